// The grid of traverse/cpu/grid_stepper.cpp on a GPU.
#include "base/saturating.hpp"
#include "traverse/cuda/block_on_gpu.cuh"
#include "traverse/cuda/block_telling.cuh"

#include <algorithm>

namespace brushfire {

namespace cuda {

namespace {

// At the end, to the device where a vertex lives.
struct Predecessor {
  std::uint64_t number;
  FarVertex parent;
};

__global__ void add_to_frontier_thread_per_item(SentSet set, Vertex first_source, FilledQueue queue,
                                                std::uint32_t* bits)
{
  set.for_each([&](Vertex number) {
    Vertex const slot = first_source + number;
    atomicOr(bits + slot / 32, 1u << (slot % 32));
    queue.add(slot);
  });
}

// Devices of a row are asked in their order: those before this one have the better claim.
__global__ void fold_set_thread_per_item(SentSet set, bool before_this, std::uint32_t* visited,
                                         const std::uint32_t* searchable, Vertex* parents, FilledQueue queue,
                                         BlockTally* tally)
{
  set.for_each([&](Vertex slot) {
    if (take_bit(visited, slot)) {
      queue.add(slot);
      if (has_bit(searchable, slot)) count_one(&tally->waited);
    } else if (before_this) {
      parents[slot] = no_vertex;
    }
  });
}

__global__ void keep_own_thread_per_vertex(const Vertex* slots, std::uint64_t count, Vertex first, Vertex own,
                                           OwnFound found)
{
  device::for_each_item(count, [=](std::uint64_t i) {
    if (Vertex const number = slots[i] - first; number < own) found.add(number);
  });
}

__global__ void plant_root_one_thread(std::uint32_t* visited, const std::uint32_t* searchable, Vertex slot,
                                      BlockTally* tally)
{
  visited[slot / 32] |= 1u << (slot % 32);
  if (has_bit(searchable, slot)) tally->waited = 1;
}

// Of the targets that live on one device, those whose parent this device keeps.
__global__ void list_predecessors_thread_per_target(const Vertex* parents, std::uint64_t count, ExtentView sources,
                                                    Predecessor* listed, unsigned* listed_count)
{
  device::for_each_item(count, [=](std::uint64_t v) {
    if (parents[v] != no_vertex) listed[count_one(listed_count)] = {v, sources.vertex_at(parents[v])};
  });
}

__global__ void take_predecessor_thread_per_item(const Predecessor* items, std::uint64_t count, FarVertex* found_from)
{
  device::for_each_item(count, [=](std::uint64_t i) { found_from[items[i].number] = items[i].parent; });
}

class GridOnGpu final : public BlockOnGpu {
 public:
  GridOnGpu(const DeviceBlockPlace& place, const CudaStepperOptions& options, const device::Stream& stream)
      : BlockOnGpu(place, options, stream),
        grid_(block_.push_grid),
        sources_(block_.sources()),
        targets_(block_.targets()),
        sources_on_device_(sources_, stream),
        visited_(make_bits(targets_.slots())),
        searchable_(rows_.pull(), targets_.slots(), stream),
        parents_(targets_.slots()),
        column_queue_(sources_.slots()),
        column_bits_(make_bits(sources_.slots())),
        row_found_(targets_.slots(), stream),
        sent_frontier_(own_, stream),
        sent_found_(targets_.slots(), stream),
        push_(sources_.slots(), multiprocessors_, stream),
        pieces_(stream),
        telling_(targets_)
  {
  }

  Outbox outbox(Round round) override
  {
    if (round.index == 0) {
      begin_level();
      pieces_.begin_round();
      most_gathered_ = 0;
      SentSet const own = own_queue().first(frontier());
      gather(own, device_);
      return send(sources_.devices(), sent_frontier_.shorter_form(own_queue(), frontier()));
    }
    std::uint64_t const found = visit();
    pieces_.begin_round();
    return send(targets_.devices(), sent_found_.shorter_form(row_found_, found));
  }

  void work(Round) override {}

  void absorb(Round round, Piece arrived) override
  {
    SentSet const set{static_cast<const Word*>(pieces_.land(arrived)), arrived.bytes.size()};
    if (round.index == 0)
      gather(set, arrived.device);
    else
      device::launch_over(set.items(), fold_set_thread_per_item, stream_, set, arrived.device < device_,
                          visited_.data(), searchable_.bits.data(), parents_.data(), found(), tally_.data());
  }

 private:
  FilledQueue found() { return {row_found_.vertices(), &tally_.data()->found}; }

  void start_at(Home root) override
  {
    visited_.fill_bytes(0, stream_);
    parents_.fill_bytes(0xff, stream_);
    column_bits_.fill_bytes(0, stream_);
    unexplored_entries_ = rows_.push.targets.size();
    waiting_ = searchable_.count;
    auto const device = static_cast<int>(root.device);
    if (grid_.row_of(device) != grid_.row_of(device_)) return;
    device::launch(plant_root_one_thread, 1, 1, stream_, visited_.data(), searchable_.bits.data(),
                   grid_.first_target(device) + root.number, tally_.data());
    waiting_ -= read_tally().waited;
    tally_.fill_bytes(0, stream_);
  }

  void gather(SentSet set, int from)
  {
    most_gathered_ = std::min<std::uint64_t>(most_gathered_ + set.items() * 32, sources_.slots());
    device::launch_over(set.items(), add_to_frontier_thread_per_item, stream_, set, grid_.first_source(from),
                        FilledQueue{column_queue_.data(), &tally_.data()->gathered}, column_bits_.data());
  }

  Outbox send(std::span<const int> devices, SentSet set)
  {
    for (int const device : devices)
      if (device != device_) pieces_.add(device, set.words, set.bytes);
    return {pieces_.pieces(), {}, false, false};
  }

  // Each device chooses for its own block: whichever way, all edges of the block are seen. Returns how many were found.
  std::uint64_t visit()
  {
    push_.take(rows_view(rows_.push, 0), {column_queue_.data(), most_gathered_, &tally_.data()->gathered, 0});
    push_.read_entries(entries_.data());
    std::uint64_t const gathered = read_tally().gathered;
    SubgraphWork work;
    work.frontier_entries = entries_[0];
    unexplored_entries_ -= work.frontier_entries;
    work.unexplored_entries = unexplored_entries_;
    work.waiting = waiting_;
    work.scanned_words = words_for(targets_.slots());
    work.frontier = gathered;
    Direction const direction = choose(work);
    set_direction(direction);
    if (direction == Direction::push) {
      if (work.frontier_entries != 0)
        push_.push(0, ClaimedTargets{visited_.data(), parents_.data(), found()}, &tally_.data()->checked);
    } else {
      PullingTargets const targets{{rows_view(rows_.pull(), 0), column_bits_.data()},
                                   visited_.data(),
                                   searchable_.bits.data(),
                                   searchable_.bits.size(),
                                   parents_.data(),
                                   found(),
                                   0,
                                   tally_.data()};
      device::launch_over(std::uint64_t{targets_.slots()} + 31, pull_warp_per_word, stream_, targets);
    }
    device::launch_over(gathered, clear_words_thread_per_vertex, stream_, column_queue_.data(), gathered,
                        column_bits_.data());
    // Whatever is claimed here has a row to be looked in.
    std::uint64_t const found_here = read_tally().found;
    waiting_ -= std::min<std::uint64_t>(waiting_, found_here);
    return found_here;
  }

  void close_level() override
  {
    std::uint64_t const found = read_tally().found;
    device::launch_over(found, keep_own_thread_per_vertex, stream_, row_found_.vertices(), found,
                        grid_.first_target(device_), own_, own_found());
  }

  void level_is_counted(const BlockTally& tally) override
  {
    waiting_ -= std::min<std::uint64_t>(waiting_, tally.waited);
  }

  void tell_parents(Exchange& exchange, FarVertex* parents) override
  {
    telling_.tell(
        device_, pieces_, exchange, stream_,
        [&](Vertex first, std::uint64_t slots, Predecessor* listed, unsigned* count) {
          device::launch_over(slots, list_predecessors_thread_per_target, stream_, parents_.data() + first, slots,
                              extent_view(sources_on_device_), listed, count);
        },
        [&](const Predecessor* items, std::uint64_t count) {
          device::launch_over(count, take_predecessor_thread_per_item, stream_, items, count, parents);
        });
  }

  const BlockGrid& grid_;
  const Extent& sources_;
  const Extent& targets_;
  DeviceExtent sources_on_device_;
  device::Buffer<std::uint32_t> visited_;
  SearchableTargets searchable_;
  device::Buffer<Vertex> parents_;       // by target slot, of what this device was the first of its row to find
  device::Buffer<Vertex> column_queue_;  // the frontier of the column
  device::Buffer<std::uint32_t> column_bits_;
  SendableQueue row_found_;
  SendableBits sent_frontier_, sent_found_;
  BinnedPush push_;
  DevicePieces pieces_;
  Telling<Predecessor> telling_;
  device::PinnedBuffer<Count> entries_{1};  // of the frontier of the column
  std::uint64_t most_gathered_ = 0;
  std::uint64_t unexplored_entries_ = 0, waiting_ = 0;
};

}  // namespace

}  // namespace cuda

std::uint64_t predict_gpu_grid_stepper_bytes(const BlockSizes& sizes)
{
  // Of the targets: two sets of bits, parents, a queue, a message, and at the end what is sent to where they live. Of
  // the sources: a queue, bits, lists in their order. What arrives is no more than the bits of either side, or at the
  // end the parents of the own vertices.
  std::uint64_t const arriving =
      std::max({cuda::SendableBits::predict_bytes(sizes.targets), cuda::SendableBits::predict_bytes(sizes.sources),
                saturating_product(sizes.own, sizeof(cuda::Predecessor))});
  std::uint64_t const devices = (sizes.sources + sizes.targets) / std::max<std::uint64_t>(sizes.own, 1) + 1;
  return saturating_sum(
      {cuda::predict_block_on_gpu_bytes(sizes), saturating_product(2, cuda::bytes_of_own_bits(sizes.targets)),
       saturating_product(sizes.targets, sizeof(Vertex)),
       cuda::Telling<cuda::Predecessor>::predict_bytes(sizes.targets, devices),
       cuda::SendableQueue::predict_bytes(sizes.targets), cuda::SendableBits::predict_bytes(sizes.targets),
       cuda::SendableBits::predict_bytes(sizes.own), saturating_product(sizes.sources, sizeof(Vertex)),
       cuda::bytes_of_own_bits(sizes.sources), cuda::BinnedPush::predict_bytes(sizes.sources),
       cuda::DevicePieces::predict_bytes(arriving, devices)});
}

std::unique_ptr<PartStepper> make_gpu_grid_stepper(const DeviceBlockPlace& place, const CudaStepperOptions& options,
                                                   const device::Stream& stream)
{
  return std::make_unique<cuda::GridOnGpu>(place, options, stream);
}

}  // namespace brushfire
