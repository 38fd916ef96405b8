// What a Job needs of MPI; in a build without it src/exchange/without_mpi.cpp stands in.
#pragma once

#include "exchange/job_wire.hpp"
#include "exchange/launcher.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace brushfire {

// Lies in memory that all ranks of a machine see: the one thing that a signal handler can ask about the others.
struct MachineBoard {
  std::atomic<bool>* last_word_taken = nullptr;
  std::span<const std::int32_t> processes;  // one for each rank here
  int place = 0;                            // which of them this is
};

// Straight to the descriptor: a program may have silenced the stream on all ranks but the first.
void write_message(const std::string& message);

class JobRanks {
 public:
  virtual ~JobRanks() = default;  // disconnects, and takes the board away
  virtual int rank() const = 0;
  virtual int ranks() const = 0;
  virtual MachineBoard board() const = 0;
  virtual std::unique_ptr<Wire> make_wire(int devices_per_rank, const WireOptions& options) = 0;
  virtual bool wires_take_device_memory() const = 0;
  virtual std::string from_first_rank(const std::string& text) = 0;
  // As Job::end().
  virtual int end(int code, const std::string& message) = 0;
};

// The ranks of a launch, connected. Nothing when there is only one, or when they cannot be connected: then `problem`
// says why, the same on all.
std::unique_ptr<JobRanks> connect_ranks(const Launch& launch, std::string& problem);

}  // namespace brushfire
