#include "build/block_builder.hpp"

#include "build/rows.hpp"
#include "build/tuple_steps.hpp"
#include "exchange/bins.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace brushfire {

namespace {

// Slots by how often they occur, falling; the rank of each, and back.
struct Ranking {
  explicit Ranking(const Buffer<std::uint32_t>& occurrences) : slots(occurrences.size()), ranks(occurrences.size())
  {
    if (slots.size() == 0) return;
    // More than there are slots is only possible by duplicates, which are no reason to take room for as many numbers.
    auto const times = [&](std::size_t slot) { return std::min<std::size_t>(occurrences[slot], slots.size()); };
    std::size_t most = 0;
    for (std::size_t slot = 0; slot < slots.size(); ++slot) most = std::max(most, times(slot));
    std::vector<Vertex> next(most + 1);  // rank of a slot that occurs so many times less than the most
    for (std::size_t slot = 0; slot < slots.size(); ++slot) ++next[most - times(slot)];
    std::exclusive_scan(next.begin(), next.end(), next.begin(), Vertex{0});
    for (std::size_t slot = 0; slot < slots.size(); ++slot) {
      ranks[slot] = next[most - times(slot)]++;
      slots[ranks[slot]] = static_cast<Vertex>(slot);
    }
  }
  Buffer<Vertex> slots, ranks;
};

class BlockBuilder {
 public:
  BlockBuilder(const TupleShare& tuples, const DealtLabels& labels, bool directed, Exchange& exchange, Team team,
               Progress& progress)
      : tuples_(tuples),
        labels_(labels),
        directed_(directed),
        exchange_(exchange),
        team_(team),
        progress_(progress),
        both_ends_(counts_at_both_ends(tuples, directed))
  {
  }

  BuiltBlock build(const BlockCut& cut);

 private:
  // A list entry on its way: the row and the target are slots of the device that keeps it.
  struct Entry {
    Vertex row, target;
  };

  // Lists that are `pulled` begin with who is in most of them: that one is the likeliest to be in a frontier.
  template <typename Place>
  Adjacency build_rows(Vertex rows, Vertex targets, bool pulled, Place&& place);
  template <typename Place, typename Take>
  void for_each_entry(const char* stage, Place&& place, Take&& take);
  Adjacency rows_of(const BlockGrid& grid, bool by_target, bool pulled);

  const TupleShare& tuples_;
  const DealtLabels& labels_;
  bool directed_;
  Exchange& exchange_;
  Team team_;
  Progress& progress_;
  bool both_ends_;
  BuiltBlock built_;
};

// Calls take(entries) for what arrives here; place(edge) says where an entry goes.
template <typename Place, typename Take>
void BlockBuilder::for_each_entry(const char* stage, Place&& place, Take&& take)
{
  Bins<Entry> entries(exchange_.devices());
  auto const add = [&](Home source, Home target) {
    auto const [keeper, entry] = place(source, target);
    entries.add(keeper, entry);
  };
  for_each_step(tuples_, exchange_, team_, progress_, stage, [&](std::span<const Edge> edges) {
    for (auto const [from, to] : edges) {
      if (from == to) continue;
      Home const source = labels_.dealing().home_of(labels_.index_of(from));
      Home const target = labels_.dealing().home_of(labels_.index_of(to));
      add(source, target);
      if (both_ends_) add(target, source);
    }
    send_bins(exchange_, entries, [&](int, std::span<const Entry> items) { take(items); });
  });
}

template <typename Place>
Adjacency BlockBuilder::build_rows(Vertex rows, Vertex target_slots, bool pulled, Place&& place)
{
  Buffer<std::uint32_t> ends(rows);  // counts, then cursors, then row ends
  Buffer<std::uint32_t> occurrences(pulled ? target_slots : 0);
  for_each_entry("counting rows", place, [&](std::span<const Entry> items) {
    for (const Entry& entry : items) ++ends[entry.row];
    if (pulled)
      for (const Entry& entry : items) ++occurrences[entry.target];
  });
  Ranking const ranking(occurrences);
  RowStarts starts = place_rows(ends.span());
  Buffer<Vertex> targets(starts.entries);
  std::copy_n(starts.starts.data(), ends.size(), ends.data());
  for_each_entry("placing edges", place, [&](std::span<const Entry> items) {
    Drops<Vertex> drops(ends.span(), starts.bases.span(), targets.span());
    for (const Entry& entry : items) drops.add(entry.row, pulled ? ranking.ranks[entry.target] : entry.target);
    drops.finish();
  });
  progress_.begin("sorting lists", 0, "");
  auto const bits = static_cast<int>(std::bit_width(target_slots));
  sort_rows<Vertex>(targets.span(), starts.starts.span(), ends.span(), starts.bases.span(), 0, bits, team_);
  targets.shrink(close_gaps<Vertex>(targets.span(), starts.starts.span(), ends.span(), starts.bases.span(), team_));
  if (pulled)
    team_.for_blocks(targets.size(), 1 << 16, [&](std::uint64_t first, std::uint64_t last, int) {
      for (std::uint64_t i = first; i < last; ++i) targets[i] = ranking.slots[targets[i]];
    });
  progress_.end();
  return {Section<std::uint32_t>(std::move(starts.starts)),
          {},
          Section<std::uint64_t>(std::move(starts.bases)),
          Section<Vertex>(std::move(targets))};
}

Adjacency BlockBuilder::rows_of(const BlockGrid& grid, bool by_target, bool pulled)
{
  int const here = exchange_.device();
  Vertex const sources = grid.sources_of(here).slots(), targets = grid.targets_of(here).slots();
  auto const place = [&](Home source, Home target) {
    auto const from = static_cast<int>(source.device), to = static_cast<int>(target.device);
    Vertex const left = grid.first_source(from) + source.number, right = grid.first_target(to) + target.number;
    return std::pair(grid.keeper(from, to), by_target ? Entry{right, left} : Entry{left, right});
  };
  return by_target ? build_rows(targets, sources, pulled, place) : build_rows(sources, targets, pulled, place);
}

BuiltBlock BlockBuilder::build(const BlockCut& cut)
{
  std::vector<std::uint64_t> sizes;
  for (int device = 0; device < exchange_.devices(); ++device) sizes.push_back(labels_.size_of(device));
  Block& block = built_.block;
  block.device = exchange_.device();
  block.devices = exchange_.devices();
  block.directed = directed_;
  block.push_grid = BlockGrid(cut.push, sizes);
  OwnDegrees counted =
      count_own_degrees(tuples_, labels_, {.incoming = false, .both = both_ends_}, exchange_, team_, progress_);
  built_.totals.tuples = counted.tuples;
  built_.totals.self_loops = counted.degrees.self_loops;
  built_.input_degrees = Section<std::uint32_t>(std::move(counted.degrees.out));
  // What a device pulls by its own rows it pushes by them too, where edges go both ways.
  bool const same = cut.pull && !directed_ && cut.pull->rows == cut.push.columns &&
                    cut.push.rows == cut.pull->columns && std::min(cut.push.rows, cut.push.columns) == 1;
  block.push = rows_of(block.push_grid, false, same);
  if (cut.pull) {
    block.pull_grid = BlockGrid(*cut.pull, sizes);
    block.pull = same ? block.push : rows_of(block.pull_grid, true, true);
  }
  built_.totals.entries[index_of(Subgraph::nn)] = block.push.targets.size();
  built_.totals.bytes = block.bytes() + built_.input_degrees.bytes();
  built_.totals.subgraph_bytes = block.bytes();
  built_.totals = sum_over_devices(exchange_, built_.totals);
  return std::move(built_);
}

}  // namespace

BuiltBlock build_block(const TupleShare& tuples, const DealtLabels& labels, const BlockCut& cut, bool directed,
                       Exchange& exchange, Team team, Progress& progress)
{
  return BlockBuilder(tuples, labels, directed, exchange, team, progress).build(cut);
}

std::vector<std::uint64_t> balanced_bounds(const TupleShare& tuples, const DealtLabels& labels, Exchange& exchange,
                                           Team team)
{
  constexpr std::uint64_t most_runs = 1 << 16;
  std::uint64_t const vertices = labels.total();
  std::uint64_t const run_length = std::max<std::uint64_t>(1, (vertices + most_runs - 1) / most_runs);
  std::vector<std::uint64_t> ends((vertices + run_length - 1) / run_length);
  for_each_step(tuples, exchange, team, Progress::none(), "weighing vertices", [&](std::span<const Edge> edges) {
    for (auto const [from, to] : edges) {
      if (from == to) continue;
      ++ends[labels.index_of(from) / run_length];
      ++ends[labels.index_of(to) / run_length];
    }
  });
  exchange.sum(ends);
  // A vertex weighs as much as an entry, or those without any might all fall to one device.
  std::uint64_t total = 0, passed = 0;
  for (std::uint64_t& weight : ends) total += weight += run_length;
  auto const devices = static_cast<std::uint64_t>(exchange.devices());
  std::vector<std::uint64_t> bounds{0};
  for (std::size_t run = 0; run < ends.size(); ++run) {
    while (bounds.size() < devices && passed >= total / devices * bounds.size()) bounds.push_back(run * run_length);
    passed += ends[run];
  }
  bounds.resize(devices, vertices);
  bounds.push_back(vertices);
  return bounds;
}

}  // namespace brushfire
