// What each level of a search did. A search of a million levels keeps a bounded trace: the first
// and the last levels one by one, the levels between merged into buckets of equal length (the last may be shorter).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#pragma GCC visibility push(default)
namespace brushfire {

enum class Direction : std::uint8_t { push, pull };
constexpr const char* name_of(Direction direction) { return direction == Direction::push ? "push" : "pull"; }

// The four kinds of edges of a degree-separated graph, source first: d = delegate, n = normal.
enum class Subgraph : std::uint8_t { dd, dn, nd, nn };
inline constexpr std::size_t subgraph_count = 4;
constexpr std::size_t index_of(Subgraph subgraph) { return static_cast<std::size_t>(subgraph); }

using Directions = std::array<Direction, subgraph_count>;  // indexed by Subgraph

// How the adaptive preset makes the next frontier, and how its pull shares the waiting vertices out. Of several
// devices: how the frontier that a level expands came by its queue.
enum class FrontierQueue : std::uint8_t { scan_free, single_scan, double_scan, none };
enum class PullBalance : std::uint8_t { static_shares, thread, warp, donate };
constexpr const char* name_of(FrontierQueue queue)
{
  constexpr const char* names[] = {"scan-free", "single-scan", "double-scan", "none"};
  return names[static_cast<std::size_t>(queue)];
}
constexpr const char* name_of(PullBalance balance)
{
  constexpr const char* names[] = {"static", "thread", "warp", "donate"};
  return names[static_cast<std::size_t>(balance)];
}

struct LevelRecord {
  std::int64_t level = 0;           // of the frontier that was expanded
  std::int64_t levels = 1;          // how many levels this record sums up; 1 unless summarised
  Directions directions{};          // of the first level summed up
  std::uint64_t frontier = 0;       // vertices expanded
  std::uint64_t edges_checked = 0;  // list entries looked at
  std::uint64_t discovered = 0;     // vertices found
  double seconds = 0;
  std::uint64_t bytes_sent = 0;          // that crossed a device boundary: the three kinds below
  std::uint64_t messages = 0;            // that brought masks and vertices
  std::uint64_t messages_parents = 0;    // and parents
  std::uint64_t bytes_masks = 0;         // delegates found
  std::uint64_t bytes_vertices = 0;      // normal vertices found
  std::uint64_t bytes_parents = 0;       // asked for when the last level was done
  double exchange_seconds = 0;           // of several devices, added up: from sending to having received, and of that
  double waited_seconds = 0;             // what they did not compute meanwhile
  std::optional<FrontierQueue> queue{};  // where they apply; of the first level summed up
  std::optional<PullBalance> balance{};
  std::optional<bool> async_pull{};  // whether its pull was asynchronous
  // Where several devices share the graph: what one of them did at most, for the others wait for it.
  std::uint64_t most_checked = 0;  // list entries
  std::uint64_t most_bytes = 0;    // sent
  std::uint64_t most_messages = 0;

  // The share of the time that messages were under way in which their devices computed.
  double hidden() const { return exchange_seconds > 0 ? std::max(0.0, 1 - waited_seconds / exchange_seconds) : 0; }
};

// Levels in which masks of delegates were exchanged.
inline std::uint64_t levels_with_masks(std::span<const LevelRecord> trace)
{
  std::uint64_t levels = 0;
  for (const LevelRecord& record : trace)
    if (record.bytes_masks > 0) levels += static_cast<std::uint64_t>(record.levels);
  return levels;
}

class Trace {
 public:
  static constexpr std::size_t kept_whole = 1000;  // traces up to this length are never summarised
  static constexpr std::size_t kept_at_ends = 100;

  void clear();
  void add(const LevelRecord& record);
  void add_parent_traffic(std::uint64_t bytes, std::uint64_t messages);  // to the last level

  // A trace of these records, for example of the sums over several devices.
  static Trace of(std::vector<LevelRecord> records);

  std::int64_t levels() const { return levels_; }  // how many were added
  std::vector<LevelRecord> records() const;        // by rising level

 private:
  static constexpr std::size_t most_buckets = 100;

  void summarise();
  void merge_into_middle(const LevelRecord& record);

  std::vector<LevelRecord> head_;     // every level while there are at most kept_whole, then the first ones
  std::vector<LevelRecord> buckets_;  // the summarised middle
  std::int64_t bucket_levels_ = 1;    // levels a full bucket sums up
  std::vector<LevelRecord> tail_;     // ring of the last levels; empty until there is a middle
  std::size_t oldest_ = 0;            // in the ring
  std::int64_t levels_ = 0;
};

}  // namespace brushfire
#pragma GCC visibility pop
