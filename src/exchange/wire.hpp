// What joins the ranks of a job: one thread of each rank calls it, all in the same order. Devices are numbered over
// all ranks: device k lives on rank k % ranks(), where it is number k / ranks(), as Pan, Pearce and Owens deal them
// out (Algorithm 1).
#pragma once

#include "exchange/exchange.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>

namespace brushfire {

// A piece on its way from one rank to another.
struct Parcel {
  int from = 0, to = 0;  // devices
  std::span<const std::byte> bytes;
  bool on_device = false;  // they lie in the memory of a GPU, or are a note that stands for some that do
};

class Wire {
 public:
  virtual ~Wire() = default;
  virtual int rank() const = 0;
  virtual int ranks() const = 0;

  // Starts sending. The bytes must stay until deliver() returns; parcels are for devices of other ranks, at most one
  // from each device to each.
  virtual void send(std::span<const Parcel> outgoing) = 0;
  // What the other ranks sent meanwhile, in any order, aligned for any type; valid until the next send(), and in the
  // memory of a GPU until the next one that moves such parcels: whoever posts them has done with those before.
  virtual std::span<const Parcel> deliver() = 0;

  // The OR over all ranks, in place. Between the two calls the caller may compute, but not touch the words.
  virtual void start_or(std::span<std::uint64_t> words) = 0;
  virtual void finish_or() = 0;
  virtual void sum(std::span<std::uint64_t> values) = 0;

  virtual std::uint64_t messages_for(std::uint64_t bytes) const = 0;  // that a parcel of so many bytes is cut into

  // After a failure here: others may not come any more, and a wire that is taken down does not wait for them, however
  // late that is.
  virtual void abandon() noexcept { abandoned_ = true; }
  bool others_come() const { return !abandoned_ && std::uncaught_exceptions() == 0; }

 private:
  bool abandoned_ = false;
};

}  // namespace brushfire
