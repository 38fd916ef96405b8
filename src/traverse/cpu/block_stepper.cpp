#include "traverse/cpu/block_stepper.hpp"

#include "base/saturating.hpp"
#include "traverse/block_parents.hpp"

#include <algorithm>
#include <utility>

namespace brushfire::cpu {

BlockStepper::BlockStepper(const BlockPlace& place, const CpuStepperOptions& options, Team team)
    : block_(place.block),
      options_(options),
      team_(team),
      device_(place.block.device),
      own_(place.vertices),
      bins_(place.block.targets().slots(), team),
      tallies_(static_cast<std::size_t>(team.threads)),
      place_(place),
      queue_(place.vertices),
      levels_(keeps_levels() ? place.vertices : 0),
      found_from_(place.vertices),
      names_(place.vertices),
      narrow_parents_(options.wide_parents ? 0 : place.vertices)
{
}

std::uint64_t predict_block_stepper_bytes(const BlockSizes& sizes)
{
  // The queue, levels, where a vertex was found from, its parent's label, and that once more where 32 bits will do.
  return saturating_product(sizes.own, sizeof(Vertex) + sizeof(std::int32_t) + sizeof(FarVertex) + sizeof(Label) +
                                           (sizes.wide_parents ? 0 : sizeof(std::int32_t)));
}

LevelCounters BlockStepper::start(std::uint64_t root, const Limits& limits)
{
  limits_ = limits;
  root_ = place_.dealing.home_of(root);
  level_ = depth_ = 0;
  direction_ = Direction::push;
  reached_ = found_ = 0;
  std::fill_n(levels_.data(), levels_.size(), unreached);
  start_at(root_);
  if (is_here(root_)) {
    found_own(root_.number);
    reached_ = 1;
    if (keeps_levels()) levels_[root_.number] = 0;
  }
  return counters(limits.target == root || limits.max_depth == 0);
}

LevelCounters BlockStepper::counters(bool stop) const
{
  LevelCounters counters{found_, stop ? 1u : 0u};
  count_work(counters);
  return counters;
}

void BlockStepper::begin_level()
{
  watch_ = Stopwatch();
  record_ = {};
  record_.level = level_++;
  record_.frontier = found_;
}

void BlockStepper::set_direction(Direction direction)
{
  direction_ = direction;
  record_.directions.fill(direction);
}

Vertex* BlockStepper::found_own_many(std::uint64_t count)
{
  found_ += count;
  return queue_.data() + (found_ - count);
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
  found_ = 0;
  close_level();
  take_tallies();
  reached_ += found_;
  if (found_ > 0) depth_ = level_;
  bool stop = limits_.max_depth && level_ >= *limits_.max_depth;
  std::optional<Home> const target =
      limits_.target ? std::optional(place_.dealing.home_of(*limits_.target)) : std::nullopt;
  for (Vertex const v : frontier()) {
    if (keeps_levels()) levels_[v] = static_cast<std::int32_t>(level_);
    stop |= target && is_here(*target) && target->number == v;
  }
  record_.discovered = found_;
  set_traffic(record_, traffic);
  record_.seconds = watch_.seconds();
  trace.add(record_);
  return counters(stop);
}

void BlockStepper::finish(Exchange& exchange)
{
  std::fill_n(found_from_.data(), found_from_.size(), no_parent);
  tell_parents(exchange, found_from_.span());
  if (is_here(root_)) found_from_[root_.number] = far_vertex(device_, root_.number);
  name_parents(found_from_.span(), place_.labels, exchange, names_.span());
  if (options_.deterministic) choose_smallest_parents(block_, levels_.span(), place_.labels, exchange, names_.span());
  for (std::size_t v = 0; v < narrow_parents_.size(); ++v) narrow_parents_[v] = static_cast<std::int32_t>(names_[v]);
}

TreeOnHost BlockStepper::result() const
{
  TreeOnHost result;
  result.parents = options_.wide_parents ? ParentsView(names_.data(), own_) : ParentsView(narrow_parents_.data(), own_);
  if (options_.levels) result.levels = levels_.span();
  return result;
}

}  // namespace brushfire::cpu
