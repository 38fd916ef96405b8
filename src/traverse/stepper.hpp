// One device's part in a search: the hardware times the partition. The level loop drives it and knows neither.
#pragma once

#include "exchange/exchange.hpp"

#include <brushfire/trace.hpp>
#include <brushfire/types.hpp>
#include <brushfire/validate.hpp>

#include <cstdint>
#include <optional>
#include <span>

namespace brushfire {

struct Limits {
  std::optional<std::uint64_t> target;    // stop after the level that reaches it; an index among all vertices
  std::optional<std::int64_t> max_depth;  // expand no vertex of this level
};

// What a device adds to the decision whether to go on.
struct LevelCounters {
  std::uint64_t frontier = 0;  // vertices to expand next
  std::uint64_t stop = 0;      // not 0: a limit was met
  // Of steppers that must all choose the same direction; 0 of others.
  std::uint64_t frontier_entries = 0, unexplored_entries = 0, waiting = 0;
};

class Stepper {
 public:
  virtual ~Stepper() = default;
  // `root` is an index among the vertices of all devices.
  virtual LevelCounters start(std::uint64_t root, const Limits& limits) = 0;
  virtual Outbox outbox(Round round) = 0;
  virtual void work(Round round) = 0;
  virtual void absorb(Round round, Piece piece) = 0;
  virtual void masks_joined(Round) {}  // the posted mask has what anybody found
  // Closes the level, for which `traffic` was sent, and adds its record, or several where the device ran ahead by
  // itself.
  virtual LevelCounters finish_level(Trace& trace, const Traffic& traffic) = 0;
  virtual void hear(const LevelCounters& everywhere) { static_cast<void>(everywhere); }  // before each level
  // Completes parents and levels in input labels; devices ask each other for what only another knows.
  virtual void finish(Exchange& exchange) = 0;
};

// What a device sent in a level, as its record says it.
inline void set_traffic(LevelRecord& record, const Traffic& traffic)
{
  record.bytes_masks = traffic.mask_bytes;
  record.bytes_vertices = traffic.piece_bytes;
  record.bytes_sent = traffic.mask_bytes + traffic.piece_bytes;
  record.messages = traffic.messages;
  record.exchange_seconds = traffic.seconds;
  record.waited_seconds = traffic.waited_seconds;
}

// What a finished search left behind, on the host: of the vertices that live on the device.
struct TreeOnHost {
  ParentsView parents;
  std::span<const std::int32_t> levels;  // empty unless asked for
};

// What is known of a tree without looking at it.
struct TreeFacts {
  std::uint64_t reached = 0;
  std::int64_t depth = 0;
  int parent_bits = 0;
};

// A stepper whose tree can be looked at on the host, valid until the next search; a GPU copies it when first asked.
class TreeStepper : public Stepper {
 public:
  virtual TreeFacts facts() const = 0;
  virtual TreeOnHost result() const = 0;
  // What `values` has for the vertices of the tree, added up.
  virtual std::uint64_t sum_over_tree(std::span<const std::uint32_t> values) const
  {
    ParentsView const parents = result().parents;
    std::uint64_t sum = 0;
    for (std::uint64_t v = 0; v < parents.size(); ++v)
      if (parents[v] != no_label) sum += values[v];
    return sum;
  }
};

// One search, to exhaustion or to a limit. The stepper knows the hardware, the exchange knows the wires.
void run_levels(Stepper& stepper, Exchange& exchange, std::uint64_t root, const Limits& limits, Trace& trace);

}  // namespace brushfire
