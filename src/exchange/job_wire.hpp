// The wire between the ranks of the job that this process belongs to, for whoever puts devices together.
#pragma once

#include "exchange/wire.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace brushfire {

struct WireOptions {
  std::size_t message_bytes = std::size_t{4} << 20;  // about the best that Pan, Pearce and Owens found
  bool nonblocking_or = true;
  std::size_t reduced_words = std::size_t{1} << 28;  // in one call of MPI, which counts them in an int
  // Where parcels that come from the memory of a GPU are received: so many bytes that its answer before no longer
  // needs. Without it they are received by the host, like all.
  std::function<std::byte*(std::size_t)> room_on_device{};
};

// Where this process stands in the job.
struct JobPlace {
  int rank = 0;
  int ranks = 1;
  int ranks_on_machine = 1;  // which share its memory
  int rank_on_machine = 0;   // among them
};
JobPlace job_place();

bool built_with_mpi();

// Nothing when this is the only rank. All ranks make the same wires in the same order.
std::unique_ptr<Wire> make_wire(int devices_per_rank, const WireOptions& options = {});

// Whether wires can be told to send from and receive in the memory of GPUs.
bool wires_take_device_memory();

// What the first rank says, on every rank; all of them call it.
std::string from_first_rank(const std::string& text);

}  // namespace brushfire
