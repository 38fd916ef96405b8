// The adaptive preset: XBFS (Gaihre et al., HPDC 2019) on a plain CSR. The host drives it level by level, as in the
// paper: it looks at the counters once per level and chooses how the next one works.
//
// Three arrays of vertices take turns. A push reads `frontier_` and writes `next_`. A pull needs no frontier queue: it
// asks `waiting_`, which is drawn anew from its own former self into the place of `frontier_`. After a pull the
// frontier has no queue; a walk over `waiting_` finds it.
#include "base/clock.hpp"
#include "base/saturating.hpp"
#include "device/buffer.hpp"
#include "device/gpus.hpp"
#include "traverse/adaptive_policy.hpp"
#include "traverse/cuda/adaptive_kernels.cuh"
#include "traverse/cuda/adaptive_pull.cuh"
#include "traverse/cuda/adaptive_queues.cuh"
#include "traverse/cuda/cuda_stepper.hpp"
#include "traverse/cuda/smallest_parents.hpp"

#include <brushfire/error.hpp>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace brushfire {

namespace {

using namespace adaptive;

constexpr unsigned blocks_per_multiprocessor = 8;

constexpr std::uint64_t segments_for(std::uint64_t items) { return (items + segment_items - 1) / segment_items; }

struct Queue {
  device::Buffer<Vertex> vertices;
  device::Buffer<EdgeIndex> offsets;
  QueueView view() { return {vertices.data(), offsets.data()}; }
};

unsigned resident_blocks() { return device::multiprocessors() * blocks_per_multiprocessor; }

template <typename Parent>
auto pull_kernel(PullBalance balance)
{
  switch (balance) {
    case PullBalance::static_shares:
      return pull_thread_per_static_share<Parent>;
    case PullBalance::thread:
      return pull_thread_per_taken_piece<Parent>;
    case PullBalance::donate:
      return pull_warp_with_donation<Parent>;
    default:
      return pull_warp_per_taken_piece<Parent>;
  }
}

template <typename Parent>
class AdaptiveStepper final : public CudaStepper {
 public:
  AdaptiveStepper(const DeviceLayout& layout, device::LabelsOnDevice labels, const CudaStepperOptions& options,
                  const AdaptiveOptions& adaptive, const device::Stream& stream);

  LevelCounters start(std::uint64_t root, const Limits& limits) override;
  void work(Round) override;
  LevelCounters finish_level(Trace& trace, const Traffic&) override;
  void finish(Exchange&) override;
  DeviceTree tree() const override;

 private:
  SearchView<Parent> view();
  ItemsView all_vertices() const { return {nullptr, layout_.vertices}; }
  ItemsView asked_vertices() const { return {waiting_.data(), vertices_in(known_.waiting)}; }
  // Blocks for so many pieces, of which the kernel may take several in turn.
  unsigned blocks_for(std::uint64_t items, std::uint64_t per_block) const
  {
    return device::blocks_for(items, per_block, resident_blocks_);
  }

  bool looks_ahead() const;
  void push(FrontierQueue queue);
  template <bool append>
  void expand();
  void collect(ItemsView items);
  template <typename Wanted>
  void scan_twice(ItemsView items, Wanted wanted, const RowsView& rows, Amount before, Amount* total, QueueView queue);
  void pull(FrontierQueue queue, PullBalance balance, bool ahead);
  void draw_waiting();
  void read_counters();

  const DeviceLayout& layout_;
  device::LabelsOnDevice labels_;
  CudaStepperOptions options_;
  AdaptiveOptions adaptive_;
  AdaptivePolicy policy_;
  const device::Stream& stream_;
  unsigned resident_blocks_;

  device::Buffer<std::int32_t> status_;
  device::Buffer<Mark> marks_;
  device::Buffer<Parent> parents_;
  Queue frontier_, next_;
  device::Buffer<Vertex> waiting_;
  device::Buffer<std::uint32_t> ballots_;
  device::Buffer<Amount> segments_;
  device::Buffer<Counters> counters_;
  device::PinnedBuffer<Counters> read_counters_;
  device::PinnedBuffer<std::int32_t> read_target_;     // its status
  device::PinnedBuffer<std::uint32_t> read_row_ends_;  // of the root
  device::Event root_row_is_read_;

  Limits limits_;
  std::int64_t level_ = 0;  // of the frontier
  std::uint64_t reached_ = 0;
  Counters known_{};  // what was last read
  Amount frontier_size_ = 0;
  Amount former_size_ = 0;  // of the frontier before
  Amount early_ = 0;        // part of the next frontier that the last pull found already
  Amount exhausted_ = 0;    // part of the frontier, found ahead, with nobody left to find (see draw_waiting)
  bool waiting_drawn_ = false;
  bool frontier_queued_ = false;  // not after a pull
  LevelRecord record_;
};

template <typename Parent>
AdaptiveStepper<Parent>::AdaptiveStepper(const DeviceLayout& layout, device::LabelsOnDevice labels,
                                         const CudaStepperOptions& options, const AdaptiveOptions& adaptive,
                                         const device::Stream& stream)
    : layout_(layout),
      labels_(labels),
      options_(options),
      adaptive_(adaptive),
      policy_{options.direction, adaptive.queue, layout.all_entries()},
      stream_(stream),
      resident_blocks_(resident_blocks()),
      status_(layout.vertices),
      marks_(layout.vertices),
      parents_(layout.vertices),
      frontier_{device::Buffer<Vertex>(layout.vertices), device::Buffer<EdgeIndex>(layout.vertices)},
      next_{device::Buffer<Vertex>(layout.vertices), device::Buffer<EdgeIndex>(layout.vertices)},
      waiting_(layout.vertices),
      ballots_(segments_for(layout.vertices) * ballots_per_segment),
      segments_(segments_for(layout.vertices)),
      counters_(1),
      read_counters_(1),
      read_target_(1),
      read_row_ends_(2)
{
  if (layout.delegates != 0) throw Error(ErrorKind::failure, "the adaptive preset needs a graph without delegates");
  if (layout.vertices > most_vertices || layout.all_entries() > most_entries)
    throw Error(ErrorKind::usage, "the graph is too large for the adaptive preset; choose --preset auto");
  if (options.direction == Direction::push && adaptive.queue == FrontierQueue::none)
    throw Error(ErrorKind::usage, "--frontier none leaves nothing to push from; leave out --direction push");
}

template <typename Parent>
SearchView<Parent> AdaptiveStepper<Parent>::view()
{
  return {rows_view(layout_.out, 0),
          rows_view(layout_.pulled(), 0),
          labels_,
          status_.data(),
          marks_.data(),
          parents_.data(),
          counters_.data(),
          known_,
          static_cast<std::int32_t>(level_)};
}

template <typename Parent>
LevelCounters AdaptiveStepper<Parent>::start(std::uint64_t root, const Limits& limits)
{
  limits_ = limits;
  level_ = 0;
  reached_ = 1;
  known_ = {};
  former_size_ = early_ = exhausted_ = 0;
  waiting_drawn_ = false;
  frontier_queued_ = true;
  device::copy_to_host(read_row_ends_.data(), layout_.out.starts.data() + root, 2 * sizeof(std::uint32_t), stream_);
  root_row_is_read_.record(stream_);
  status_.fill_bytes(0xff, stream_);
  marks_.fill_bytes(unvisited_mark, stream_);
  parents_.fill_bytes(0xff, stream_);
  counters_.fill_bytes(0, stream_);
  device::launch(plant_root_one_thread<Parent>, 1, 1, stream_, view(), static_cast<Vertex>(root), frontier_.view());
  root_row_is_read_.wait();  // while the device still clears
  frontier_size_ = amount(1, read_row_ends_[1] - read_row_ends_[0]);
  bool const stop = limits.target == root || limits.max_depth == 0;
  return {1, stop ? 1u : 0u};
}

// A search that stops at a limit must not leave vertices of a level beyond it in the tree.
template <typename Parent>
bool AdaptiveStepper<Parent>::looks_ahead() const
{
  return adaptive_.async_pull && !limits_.target && (!limits_.max_depth || level_ + 2 <= *limits_.max_depth);
}

template <typename Parent>
void AdaptiveStepper<Parent>::work(Round)
{
  Stopwatch const watch;
  AdaptiveLevel const level{entries_in(frontier_size_), entries_in(former_size_), !frontier_queued_};
  Direction const direction = policy_.choose_direction(level);
  FrontierQueue const queue = policy_.choose_queue(direction, level);
  record_ = {};
  record_.level = level_;
  record_.directions.fill(direction);
  record_.frontier = vertices_in(frontier_size_);
  record_.queue = queue;
  Counters const before = known_;
  Amount found_ahead = 0;  // and not counted as found
  if (direction == Direction::push) {
    push(queue);
  } else {
    record_.balance = adaptive_.balance.value_or(PullBalance::warp);  // as fast as thread in the paper, 6.3
    record_.async_pull = looks_ahead();
    pull(queue, *record_.balance, *record_.async_pull);
    found_ahead = early_;
  }
  read_counters();
  Amount const expanded = frontier_size_ - std::exchange(exhausted_, found_ahead);
  former_size_ = std::exchange(frontier_size_, known_.found - before.found + found_ahead);
  early_ = known_.early - before.early;
  frontier_queued_ = direction == Direction::push;
  record_.discovered = vertices_in(frontier_size_);
  record_.edges_checked = direction == Direction::push ? entries_in(expanded) : known_.checked - before.checked;
  record_.seconds = watch.seconds();
}

template <typename Parent>
void AdaptiveStepper<Parent>::push(FrontierQueue queue)
{
  bool const marks_only = queue == FrontierQueue::single_scan || queue == FrontierQueue::double_scan;
  if (marks_only) {
    expand<false>();
  } else {
    // Who was found ahead belongs to the queue that is about to be made. They are taken before anybody else gets
    // their level; the paper does not say where they would join it.
    if (early_ != 0) collect(asked_vertices());
    expand<true>();
  }
  auto const next_level = static_cast<std::int32_t>(level_ + 1);
  if (queue == FrontierQueue::single_scan) collect(all_vertices());
  if (queue == FrontierQueue::double_scan)
    scan_twice(all_vertices(), AtLevel{status_.data(), next_level}, rows_view(layout_.out, 0), known_.found,
               &counters_.data()->found, next_.view());
  std::swap(frontier_, next_);
}

template <typename Parent>
template <bool append>
void AdaptiveStepper<Parent>::expand()
{
  if (frontier_queued_) {
    device::launch(push_block_per_tile<append, Parent>, blocks_for(entries_in(frontier_size_), tile_entries),
                   device::block_threads, stream_, view(), frontier_.view(), frontier_size_, next_.view());
    return;
  }
  ItemsView const asked = asked_vertices();
  device::launch(push_block_per_walk<append, Parent>, blocks_for(asked.count, device::block_threads),
                 device::block_threads, stream_, view(), asked, frontier_.view(), next_.view());
  if (entries_in(frontier_size_) > longest_in_walk)
    device::launch(push_deferred_block_per_tile<append, Parent>, blocks_for(entries_in(frontier_size_), tile_entries),
                   device::block_threads, stream_, view(), frontier_.view(), next_.view());
}

// Single-scan: those of `items` that are on the next level.
template <typename Parent>
void AdaptiveStepper<Parent>::collect(ItemsView items)
{
  AtLevel const wanted{status_.data(), static_cast<std::int32_t>(level_ + 1)};
  auto const blocks = static_cast<unsigned>((items.count + scanned_per_block - 1) / scanned_per_block);
  device::launch(collect_block_per_piece, blocks, device::block_threads, stream_, items, wanted,
                 rows_view(layout_.out, 0), &counters_.data()->found, known_.found, next_.view());
}

template <typename Parent>
template <typename Wanted>
void AdaptiveStepper<Parent>::scan_twice(ItemsView items, Wanted wanted, const RowsView& rows, Amount before,
                                         Amount* total, QueueView queue)
{
  std::uint64_t const segments = segments_for(items.count);
  auto const blocks = static_cast<unsigned>(segments);
  device::launch(count_block_per_segment<Wanted>, blocks, device::block_threads, stream_, items, wanted, rows,
                 ballots_.data(), segments_.data());
  device::launch(sum_one_block, 1, sum_threads, stream_, segments_.data(), segments, before, total);
  device::launch(write_block_per_segment, blocks, device::block_threads, stream_, items, rows, ballots_.data(),
                 segments_.data(), queue);
}

template <typename Parent>
void AdaptiveStepper<Parent>::pull(FrontierQueue queue, PullBalance balance, bool ahead)
{
  bool const queued = queue == FrontierQueue::double_scan;
  std::uint64_t const at_most = queued && waiting_drawn_ ? asked_vertices().count : layout_.vertices;
  if (queued) draw_waiting();
  ItemsView const asked = queued ? asked_vertices() : all_vertices();
  Mark const early = ahead ? mark_of(static_cast<std::int32_t>(level_ + 1)) : never_a_mark;
  PullView<Parent> const pull{view(), asked, queued, next_.view(), early};
  device::launch(pull_kernel<Parent>(balance), blocks_for(at_most, device::block_threads), device::block_threads,
                 stream_, pull);
  if (balance != PullBalance::donate)
    device::launch(pull_deferred_block_per_vertex<Parent>, resident_blocks_, device::block_threads, stream_, pull);
}

// The waiting vertices are always among those that waited before (paper 5.2, Lemma 1). Those that the last pull found
// ahead drop out, and a walk will not come across them; it need not: the pull to come sees them from its start,
// and finds all that they could still reach, ahead.
template <typename Parent>
void AdaptiveStepper<Parent>::draw_waiting()
{
  RowsView const rows = rows_view(layout_.pulled(), 0);
  scan_twice(waiting_drawn_ ? asked_vertices() : all_vertices(), StillWaiting{marks_.data(), rows}, rows, 0,
             &counters_.data()->waiting, {frontier_.vertices.data(), nullptr});
  std::swap(frontier_.vertices, waiting_);
  waiting_drawn_ = true;
}

// The one wait of a level.
template <typename Parent>
void AdaptiveStepper<Parent>::read_counters()
{
  counters_.download(read_counters_.span(), stream_);
  if (limits_.target)
    device::copy_to_host(read_target_.data(), status_.data() + *limits_.target, sizeof(std::int32_t), stream_);
  stream_.wait();
  known_ = read_counters_[0];
}

template <typename Parent>
LevelCounters AdaptiveStepper<Parent>::finish_level(Trace& trace, const Traffic&)
{
  trace.add(record_);
  reached_ += record_.discovered;
  if (record_.discovered > 0) ++level_;
  bool const stop =
      (limits_.target && read_target_[0] != unreached) || (limits_.max_depth && level_ >= *limits_.max_depth);
  return {record_.discovered, stop ? 1u : 0u};
}

template <typename Parent>
void AdaptiveStepper<Parent>::finish(Exchange&)
{
  if (!options_.deterministic) return;
  std::int64_t* wide = nullptr;
  std::int32_t* narrow = nullptr;
  if constexpr (std::is_same_v<Parent, std::int64_t>)
    wide = parents_.data();
  else
    narrow = parents_.data();
  choose_smallest_parents(layout_, labels_, status_.data(), wide, narrow, stream_);
  stream_.wait();
}

template <typename Parent>
DeviceTree AdaptiveStepper<Parent>::tree() const
{
  DeviceTree tree;
  if constexpr (std::is_same_v<Parent, std::int64_t>)
    tree.parents.wide = parents_.data();
  else
    tree.parents.narrow = parents_.data();
  tree.parents.size = layout_.vertices;
  if (options_.levels) tree.levels = status_.data();
  tree.reached = reached_;
  tree.depth = level_;
  return tree;
}

}  // namespace

std::unique_ptr<CudaStepper> make_adaptive_stepper(const DeviceLayout& layout, device::LabelsOnDevice labels,
                                                   const CudaStepperOptions& options, const AdaptiveOptions& adaptive,
                                                   const device::Stream& stream)
{
  if (options.wide_parents)
    return std::make_unique<AdaptiveStepper<std::int64_t>>(layout, labels, options, adaptive, stream);
  return std::make_unique<AdaptiveStepper<std::int32_t>>(layout, labels, options, adaptive, stream);
}

// The status is kept whether levels are asked for or not.
std::uint64_t predict_adaptive_stepper_bytes(std::uint64_t vertices, std::uint64_t /*entries*/, bool /*directed*/,
                                             bool wide_parents, bool /*levels*/)
{
  std::uint64_t const parent = wide_parents ? sizeof(std::int64_t) : sizeof(std::int32_t);
  std::uint64_t const queues = 3 * sizeof(Vertex) + 2 * sizeof(EdgeIndex);
  std::uint64_t const per_vertex = parent + sizeof(std::int32_t) + sizeof(Mark) + queues;
  std::uint64_t const per_segment = ballots_per_segment * sizeof(std::uint32_t) + sizeof(Amount);
  std::uint64_t const segments = vertices / segment_items + 1;
  return saturating_sum(
      {saturating_product(vertices, per_vertex), saturating_product(segments, per_segment), sizeof(Counters)});
}

}  // namespace brushfire
