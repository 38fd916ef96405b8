#include "traverse/cpu/block_stepper.hpp"

#include "base/fill.hpp"
#include "base/saturating.hpp"
#include "traverse/block_parents.hpp"
#include "traverse/cpu/first_neighbours.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace brushfire::cpu {

BlockStepper::BlockStepper(const BlockPlace& place, const CpuStepperOptions& options, Team team)
    : block_(place.block),
      options_(options),
      team_(team),
      device_(place.block.device),
      own_(place.vertices),
      tallies_(static_cast<std::size_t>(team.threads)),
      place_(place),
      frontier_(place.vertices, team),
      levels_(keeps_levels() ? place.vertices : 0),
      parents_(place.vertices),
      narrow_parents_(options.wide_parents ? 0 : place.vertices)
{
}

std::uint64_t predict_block_stepper_bytes(const BlockSizes& sizes)
{
  // The frontier, levels, parents, and those once more where 32 bits will do.
  return saturating_sum(
      {frontier_bytes(sizes.own), saturating_product(sizes.own, sizeof(std::int32_t) + sizeof(Label) +
                                                                    (sizes.wide_parents ? 0 : sizeof(std::int32_t)))});
}

LevelCounters BlockStepper::start(std::uint64_t root, const Limits& limits)
{
  limits_ = limits;
  root_ = place_.dealing.home_of(root);
  level_ = depth_ = 0;
  direction_ = Direction::push;
  reached_ = 0;
  std::fill(tallies_.begin(), tallies_.end(), Tally{});  // a search that was broken off leaves some
  fill_by_team(levels_.span(), unreached, team_);
  frontier_.clear();
  start_at(root_);
  if (is_here(root_)) {
    frontier_.start_with(root_.number);
    reached_ = 1;
    if (keeps_levels()) levels_[root_.number] = 0;
  }
  return counters(limits.target == root || limits.max_depth == 0);
}

LevelCounters BlockStepper::counters(bool stop) const
{
  LevelCounters counters{frontier_.size(), stop ? 1u : 0u};
  count_work(counters);
  return counters;
}

void BlockStepper::begin_level()
{
  watch_ = Stopwatch();
  record_ = {};
  record_.level = level_++;
  record_.frontier = frontier_.size();
}

Direction BlockStepper::choose_direction(SubgraphWork work) const
{
  if (work.waiting > 0)
    work.mean_list = static_cast<double>(work.unexplored_entries) / static_cast<double>(work.waiting);
  return options_.policy.choose(Subgraph::nn, work, direction_);
}

void BlockStepper::set_direction(Direction direction)
{
  direction_ = direction;
  record_.directions.fill(direction);
}

std::uint64_t BlockStepper::take_tallies()
{
  Tally sum;
  for (Tally& tally : tallies_) sum += std::exchange(tally, Tally{});
  record_.edges_checked += sum.checked;
  return sum.discovered;
}

LevelCounters BlockStepper::finish_level(Trace& trace, const Traffic& traffic)
{
  frontier_.clear();
  close_level();
  take_tallies();
  std::uint64_t const found = frontier_.size();
  reached_ += found;
  if (found > 0) depth_ = level_;
  if (keeps_levels()) frontier_.for_each([&](Vertex v) { levels_[v] = static_cast<std::int32_t>(level_); });
  bool stop = limits_.max_depth && level_ >= *limits_.max_depth;
  if (limits_.target)
    if (Home const target = place_.dealing.home_of(*limits_.target); is_here(target))
      stop |= has_visited(target.number);
  record_.discovered = found;
  set_traffic(record_, traffic);
  record_.seconds = watch_.seconds();
  trace.add(record_);
  return counters(stop);
}

void BlockStepper::finish(Exchange& exchange)
{
  DealtLabelsView const labels = place_.labels;
  auto const name = [labels](FarVertex v) { return labels.of(device_of(v))(number_of(v)); };
  std::span<FarVertex> const far{reinterpret_cast<FarVertex*>(parents_.data()), own_};
  tell_parents(exchange, far);
  if (!options_.wide_parents && !labels.own_only && !options_.deterministic) {
    write_parents(narrow_parents_.data(), name);
    return;
  }
  if (labels.own_only) {
    write_parents(parents_.data(), [](FarVertex v) { return static_cast<Label>(v); });
    name_parents(far, labels, exchange, parents_.span());
  } else {
    write_parents(parents_.data(), name);
  }
  if (options_.deterministic) choose_smallest_parents(block_, levels_.span(), place_.labels, exchange, parents_.span());
  team_.for_blocks(narrow_parents_.size(), 1 << 14, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t v = first; v < last; ++v) narrow_parents_[v] = static_cast<std::int32_t>(parents_[v]);
  });
}

// -1 for what was not found, which no_parent is too.
template <typename Parent, typename Name>
void BlockStepper::write_parents(Parent* parents, Name&& name) const
{
  auto const clear = VectorKernels<Parent>::of(vectors_of_processor()).clear;
  team_.for_blocks(words_for(own_), 64, [&](std::uint64_t first, std::uint64_t last, int) {
    std::array<FarVertex, word_bits> from;
    for (std::uint64_t w = first; w < last; ++w) {
      Word const found = found_from(w, from.data());
      for_each_bit(found, w * word_bits,
                   [&](std::uint64_t v) { parents[v] = static_cast<Parent>(name(from[v % word_bits])); });
      clear(w * word_bits, bits_below(own_, w) & ~found, parents);
    }
  });
}

TreeOnHost BlockStepper::result() const
{
  TreeOnHost result;
  result.parents =
      options_.wide_parents ? ParentsView(parents_.data(), own_) : ParentsView(narrow_parents_.data(), own_);
  if (options_.levels) result.levels = levels_.span();
  return result;
}

}  // namespace brushfire::cpu
