// Moves bytes between devices, and never learns what they mean. A level of work is cut into rounds; in each
// round a device posts what it has for others, computes, and then takes in what arrived.
//
// An Exchange is one device's place among all that work together: devices of this process, of other ranks, or both.
// Every device makes the same calls in the same order, each from a thread of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace brushfire {

struct Round {
  int index = 0;
  bool last = false;
};

// What one device has for another in a round. What arrives is aligned for any type.
struct Piece {
  int device = 0;  // receiver of an outgoing piece, sender of an arriving one
  std::span<const std::byte> bytes;
};

// What a device posts. It must stay where it is until the round is collected; in the memory of a GPU, where a receiver
// reads on after that, until the next sum: receivers are done with it when they make that.
struct Outbox {
  std::span<const Piece> pieces;  // at most one for each device; one for the device itself comes back
  std::span<std::uint64_t> mask;  // becomes the OR of the masks of all devices that changed theirs; same size for all
  bool mask_changed = false;      // when no device says so, masks stay as they are and none is moved
  bool may_join = false;          // pieces from several devices of a rank may arrive as one, from any of them
};

// What one device has sent to others.
struct Traffic {
  std::uint64_t piece_bytes = 0;
  std::uint64_t mask_bytes = 0;
  std::uint64_t messages = 0;
  double seconds = 0;         // from posting a round to having collected it, and of that
  double waited_seconds = 0;  // what the device did not compute meanwhile
};

class Exchange {
 public:
  virtual ~Exchange() = default;
  virtual int devices() const = 0;
  virtual int device() const = 0;  // 0 ... devices()-1
  virtual int rounds() const = 0;  // per level
  virtual void post(Round round, const Outbox& outgoing) = 0;
  // Calls `absorb` for every piece that arrives in this round, the own one first, then that of the device before this
  // one, and so on around the circle, and returns when all have and the
  // masks are joined: true if any had changed.
  virtual bool collect(Round round, const std::function<void(Piece)>& absorb) = 0;
  // Sums each value over all devices, in place.
  virtual void sum(std::span<std::uint64_t> values) = 0;
  virtual Traffic take_traffic() = 0;  // since it was last taken
};

}  // namespace brushfire
