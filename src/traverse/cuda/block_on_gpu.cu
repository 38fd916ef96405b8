#include "traverse/cuda/block_on_gpu.cuh"

#include "base/saturating.hpp"
#include "device/gpus.hpp"
#include "traverse/block_parents.hpp"

#include <optional>

namespace brushfire::cuda {

namespace {

__global__ void name_parent_thread_per_vertex(const FarVertex* found_from, std::uint64_t count, DealtLabelsView labels,
                                              Label* wide, std::int32_t* narrow)
{
  device::for_each_item(count, [=](std::uint64_t v) {
    FarVertex const parent = found_from[v];
    Label const name = parent == no_parent ? no_label : labels.of(device_of(parent))(number_of(parent));
    if (wide != nullptr)
      wide[v] = name;
    else
      narrow[v] = static_cast<std::int32_t>(name);
  });
}

}  // namespace

BlockOnGpu::BlockOnGpu(const DeviceBlockPlace& place, const CudaStepperOptions& options, const device::Stream& stream)
    : block_(place.block),
      rows_(place.rows),
      options_(options),
      stream_(stream),
      device_(place.block.device),
      own_(place.vertices),
      multiprocessors_(device::multiprocessors()),
      tally_(1),
      place_(place),
      tally_on_host_(1),
      own_queues_{SendableQueue(place.vertices, stream), SendableQueue(place.vertices, stream)},
      levels_(keeps_levels() ? place.vertices : 0),
      found_from_(place.vertices),
      wide_parents_(options.wide_parents ? place.vertices : 0),
      narrow_parents_(options.wide_parents ? 0 : place.vertices)
{
}

std::uint64_t predict_block_on_gpu_bytes(const BlockSizes& sizes)
{
  std::uint64_t const of_vertex = sizeof(std::int32_t) + sizeof(FarVertex) + (sizes.wide_parents ? 8 : 4);
  return saturating_sum(
      {saturating_product(2, SendableQueue::predict_bytes(sizes.own)), saturating_product(sizes.own, of_vertex)});
}

SearchableTargets::SearchableTargets(const DeviceAdjacency& rows, std::uint64_t targets, const device::Stream& stream)
    : bits(make_bits(targets))
{
  device::Buffer<Count> marked(1);
  marked.fill_bytes(0, stream);
  bits.fill_bytes(0, stream);
  device::launch_over(targets + 31, mark_searchable_warp_per_word, stream, rows_view(rows, 0), targets, bits.data(),
                      marked.data());
  count = device::value_at(marked, 0, stream);
}

LevelCounters BlockOnGpu::start(std::uint64_t root, const Limits& limits)
{
  stream_.wait();  // for a search that failed
  limits_ = limits;
  on_host_ = false;
  root_ = place_.dealing.home_of(root);
  level_ = depth_ = 0;
  direction_ = Direction::push;
  own_turn_ = 0;
  tally_.fill_bytes(0, stream_);
  levels_.fill_bytes(0xff, stream_);  // unreached
  start_at(root_);
  reached_ = frontier_ = is_here(root_) ? 1 : 0;
  if (frontier_ != 0) {
    device::launch(put_one_thread<Vertex>, 1, 1, stream_, own_queue().vertices(), root_.number);
    if (keeps_levels()) device::fill_bytes(levels_.data() + root_.number, 0, sizeof(std::int32_t), stream_);
  }
  stream_.wait();
  return counters(limits.target == root || limits.max_depth == 0);
}

LevelCounters BlockOnGpu::counters(bool stop) const
{
  LevelCounters counters{frontier_, stop ? 1u : 0u};
  count_work(counters);
  return counters;
}

void BlockOnGpu::begin_level()
{
  watch_ = Stopwatch();
  record_ = {};
  record_.level = level_++;
  record_.frontier = frontier_;
}

void BlockOnGpu::set_direction(Direction direction)
{
  direction_ = direction;
  record_.directions.fill(direction);
}

Direction BlockOnGpu::choose(SubgraphWork work) const
{
  if (work.waiting > 0)
    work.mean_list = static_cast<double>(work.unexplored_entries) / static_cast<double>(work.waiting);
  DirectionPolicy policy;
  policy.forced = options_.direction;
  return policy.choose(Subgraph::nn, work, direction_);
}

const BlockTally& BlockOnGpu::read_tally()
{
  tally_.download(tally_on_host_.span(), stream_);
  stream_.wait();
  return tally_on_host_[0];
}

OwnFound BlockOnGpu::own_found()
{
  Vertex target = no_vertex;
  if (limits_.target)
    if (Home const home = place_.dealing.home_of(*limits_.target); is_here(home)) target = home.number;
  return {{own_queues_[1 - own_turn_].vertices(), &tally_.data()->own_found},
          keeps_levels() ? levels_.data() : nullptr,
          static_cast<std::int32_t>(level_),
          target,
          tally_.data()};
}

LevelCounters BlockOnGpu::finish_level(Trace& trace, const Traffic& traffic)
{
  close_level();
  BlockTally const tally = read_tally();
  tally_.fill_bytes(0, stream_);
  level_is_counted(tally);
  own_turn_ = 1 - own_turn_;
  frontier_ = tally.own_found;
  reached_ += frontier_;
  if (frontier_ > 0) depth_ = level_;
  bool const stop = tally.target_reached != 0 || (limits_.max_depth && level_ >= *limits_.max_depth);
  record_.edges_checked += tally.checked;
  record_.discovered = frontier_;
  set_traffic(record_, traffic);
  record_.seconds = watch_.seconds();
  trace.add(record_);
  return counters(stop);
}

void BlockOnGpu::finish(Exchange& exchange)
{
  found_from_.fill_bytes(0xff, stream_);  // no_parent
  tell_parents(exchange, found_from_.data());
  if (is_here(root_))
    device::launch(put_one_thread<FarVertex>, 1, 1, stream_, found_from_.data() + root_.number,
                   far_vertex(device_, root_.number));
  if (place_.labels.own_only || options_.deterministic)
    name_parents_on_host(exchange);
  else
    device::launch_over(own_, name_parent_thread_per_vertex, stream_, found_from_.data(), std::uint64_t{own_},
                        place_.labels_on_device, wide_parents_.data(), narrow_parents_.data());
  stream_.wait();
}

void BlockOnGpu::tell_parents_by_slot(const Vertex* slots, const DeviceExtent& sources, FarVertex* parents)
{
  device::launch_over(own_, tell_parent_thread_per_vertex, stream_, slots, std::uint64_t{own_}, extent_view(sources),
                      parents);
}

// What only other devices know, and what is not in a hurry.
void BlockOnGpu::name_parents_on_host(Exchange& exchange)
{
  auto const found_from = device::to_vector(found_from_, own_, stream_);
  std::vector<Label> names(own_);
  name_parents(found_from, place_.labels, exchange, names);
  if (options_.deterministic)
    choose_smallest_parents(block_, device::to_vector(levels_, own_, stream_), place_.labels, exchange, names);
  std::vector<std::int32_t> narrow;
  if (options_.wide_parents) {
    wide_parents_.upload(names, stream_);
  } else {
    narrow.assign(names.begin(), names.end());
    narrow_parents_.upload(narrow, stream_);
  }
  stream_.wait();
}

TreeOnHost BlockOnGpu::result() const
{
  if (!on_host_) {
    if (options_.wide_parents) wide_on_host_ = device::to_vector(wide_parents_, own_, stream_);
    if (!options_.wide_parents) narrow_on_host_ = device::to_vector(narrow_parents_, own_, stream_);
    wide_on_host_.reserve(1);  // a view of nothing has a width too
    narrow_on_host_.reserve(1);
    if (options_.levels) levels_on_host_ = device::to_vector(levels_, own_, stream_);
    on_host_ = true;
  }
  return {options_.wide_parents ? ParentsView(wide_on_host_.data(), own_) : ParentsView(narrow_on_host_.data(), own_),
          levels_on_host_};
}

}  // namespace brushfire::cuda
