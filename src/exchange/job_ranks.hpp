// What a Job needs of MPI; in a build without it src/exchange/without_mpi.cpp stands in.
#pragma once

#include "exchange/job_wire.hpp"
#include "exchange/launcher.hpp"

#include <brushfire/job.hpp>

#include <functional>
#include <memory>
#include <string>

namespace brushfire {

// Straight to the descriptor: a program may have silenced the stream on all ranks but the first.
void say_last_message(const std::string& message);

class JobRanks {
 public:
  virtual ~JobRanks() = default;  // disconnects
  virtual JobPlace place() const = 0;
  virtual std::unique_ptr<Wire> make_wire(int devices_per_rank, const WireOptions& options) = 0;
  virtual bool wires_take_device_memory() const = 0;
  virtual std::string from_first_rank(const std::string& text) = 0;
  // As Job::end().
  virtual int end(int code, const std::string& message) = 0;
};

// The ranks of a launch, connected, and those of each machine on one board, which this rank joins first; then it calls
// `when_seen`. Nothing when there is only one, or when they cannot be connected: then `problem` says why, the same on
// all.
std::unique_ptr<JobRanks> connect_ranks(const Launch& launch, const std::function<void()>& when_seen,
                                        std::string& problem);

}  // namespace brushfire
