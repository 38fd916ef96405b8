// Moves bytes between devices, and never learns what they mean. A level of work is cut into rounds; in each
// round a device posts pieces for others, computes, and then takes in the pieces that arrived.
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

// What one device has for another in a round.
struct Piece {
  int device = 0;  // receiver of an outgoing piece, sender of an arriving one
  std::span<const std::byte> bytes;
};

class Exchange {
 public:
  virtual ~Exchange() = default;
  virtual int rounds() const = 0;  // per level
  virtual void post(Round round, std::span<const Piece> outgoing) = 0;
  // Calls `absorb` for every piece that arrives in this round, and returns when all have.
  virtual void collect(Round round, const std::function<void(Piece)>& absorb) = 0;
  // Sums each value over all devices, in place. Every device calls it at the same point.
  virtual void sum(std::span<std::uint64_t> values) = 0;
};

}  // namespace brushfire
