// The butterfly of traverse/cpu/butterfly_stepper.cpp on a GPU. What was found is one queue that grows from round to
// round; so many devices' shares are its first so many vertices, and are sent from where they are.
#include "base/saturating.hpp"
#include "exchange/schedule.hpp"
#include "traverse/cuda/block_on_gpu.cuh"
#include "traverse/cuda/block_telling.cuh"

#include <algorithm>

namespace brushfire {

namespace cuda {

namespace {

__global__ void plant_root_one_thread(Vertex slot, std::uint32_t* visited, std::uint32_t* frontier, Vertex* queue)
{
  visited[slot / 32] |= 1u << (slot % 32);
  frontier[slot / 32] |= 1u << (slot % 32);
  *queue = slot;
}

__global__ void hear_set_thread_per_item(SentSet set, std::uint32_t* visited, FilledQueue queue)
{
  set.for_each([&](Vertex slot) {
    if (take_bit(visited, slot)) queue.add(slot);
  });
}

__global__ void note_count_one_thread(const BlockTally* tally, std::uint64_t* to_host) { *to_host = tally->found; }

// A parent on its way, as a slot.
struct Told {
  Vertex number, parent;
};

__global__ void list_told_thread_per_target(const Vertex* parents, std::uint64_t count, Told* listed,
                                            unsigned* listed_count)
{
  device::for_each_item(count, [=](std::uint64_t v) {
    if (parents[v] != no_vertex) listed[count_one(listed_count)] = {static_cast<Vertex>(v), parents[v]};
  });
}

// Who was claimed by several hears any of them.
__global__ void take_told_thread_per_item(const Told* items, std::uint64_t count, Vertex* parents)
{
  device::for_each_item(count, [=](std::uint64_t i) { parents[items[i].number] = items[i].parent; });
}

// The vertices of the next frontier, and what a device does with its own.
struct FoundEverywhere {
  const Vertex* slots;
  std::uint64_t count;
  Vertex first, own;
  RowsView pushed;
  const std::uint32_t* searchable;
};

__global__ void settle_own_warp_per_32(FoundEverywhere found, OwnFound own_found)
{
  std::uint64_t const stride = std::uint64_t{gridDim.x} * blockDim.x;
  Count entries = 0;
  unsigned waited = 0;
  for (std::uint64_t base = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x - lane_id(); base < found.count;
       base += stride) {
    std::uint64_t const i = base + lane_id();
    Vertex const v = i < found.count ? found.slots[i] - found.first : no_vertex;
    if (i >= found.count || v >= found.own) continue;
    own_found.add(v);
    entries += found.pushed.length(v);
    if (has_bit(found.searchable, v)) ++waited;
  }
  entries = sum_over_warp(entries);
  waited = sum_over_warp(waited);
  if (lane_id() != 0) return;
  if (entries != 0) atomicAdd(&own_found.tally->own_entries, entries);
  if (waited != 0) atomicAdd(&own_found.tally->waited, waited);
}

class ButterflyOnGpu final : public BlockOnGpu {
 public:
  ButterflyOnGpu(const DeviceBlockPlace& place, const CudaStepperOptions& options, const device::Stream& stream)
      : BlockOnGpu(place, options, stream),
        schedule_(block_.devices, options.fanout),
        all_(block_.targets()),
        first_(all_.first(device_)),
        all_on_device_(all_, stream),
        visited_(make_bits(all_.slots())),
        frontier_bits_(make_bits(all_.slots())),
        searchable_(rows_.pull(), own_, stream),
        parents_(all_.slots()),
        global_{SendableQueue(all_.slots(), stream), SendableQueue(all_.slots(), stream)},
        everything_{SendableBits(all_.slots(), stream), SendableBits(all_.slots(), stream)},
        beginning_{SendableBits(all_.slots(), stream), SendableBits(all_.slots(), stream)},
        push_(own_, multiprocessors_, stream),
        pieces_(stream),
        counts_(static_cast<std::size_t>(block_.devices) + 1),
        telling_(all_)
  {
  }

  void hear(const LevelCounters& everywhere) override { everywhere_ = everywhere; }

  Outbox outbox(Round round) override
  {
    if (round.index == 0) {
      begin_level();
      expand();
      gathered_.assign(1, {1, read_tally().found});
    } else {
      stream_.wait();
      for (std::size_t i = noted_; i < gathered_.size(); ++i) gathered_[i].vertices = counts_[i];
    }
    noted_ = gathered_.size();
    pieces_.begin_round();
    std::uint64_t const held = gathered_.back().vertices;
    std::size_t const turn = static_cast<std::size_t>(round.index % 2);
    SentSet all{}, part{};
    schedule_.for_each_receiver(device_, round.index, [&](int receiver, int shares) {
      std::uint64_t const lacking = covering(shares);
      SentSet& sent = lacking == held ? all : part;
      if (sent.words == nullptr)
        sent = (lacking == held ? everything_ : beginning_)[turn].shorter_form(next(), lacking);
      pieces_.add(receiver, sent.words, sent.bytes);
    });
    return {pieces_.pieces(), {}, false, false};
  }

  void work(Round) override {}

  // Nearest sender first: so the shares of the devices just before this one stay in front.
  void absorb(Round round, Piece arrived) override
  {
    SentSet const set{static_cast<const Word*>(pieces_.land(arrived)), arrived.bytes.size()};
    device::launch_over(set.items(), hear_set_thread_per_item, stream_, set, visited_.data(), filled());
    device::launch(note_count_one_thread, 1, 1, stream_, tally_.data(), &counts_[gathered_.size()]);
    gathered_.push_back({gathered_.back().shares + schedule_.held(round.index), 0});
  }

 private:
  // What has been gathered in this level: so many devices' shares are the first so many vertices of the next frontier.
  struct Gathered {
    int shares;
    std::uint64_t vertices;
  };

  SendableQueue& current() { return global_[turn_]; }
  SendableQueue& next() { return global_[1 - turn_]; }
  FilledQueue filled() { return {next().vertices(), &tally_.data()->found}; }
  std::uint32_t* own_visited() { return visited_.data() + first_ / 32; }
  Vertex* own_parents() { return parents_.data() + first_; }

  void start_at(Home root) override
  {
    turn_ = 0;
    gathered_.reserve(counts_.size());
    visited_.fill_bytes(0, stream_);
    frontier_bits_.fill_bytes(0, stream_);
    parents_.fill_bytes(0xff, stream_);
    Vertex const slot = all_.first(static_cast<int>(root.device)) + root.number;
    device::launch(plant_root_one_thread, 1, 1, stream_, slot, visited_.data(), frontier_bits_.data(),
                   current().vertices());
    frontier_everywhere_ = 1;
    unexplored_entries_ = rows_.push.targets.size();
    waiting_ = searchable_.count;
    frontier_entries_ = 0;
    if (!is_here(root)) return;
    SubgraphView const pushed = block_.pushed();
    frontier_entries_ = pushed.length(root.number);
    unexplored_entries_ -= frontier_entries_;
    if (block_.pulled().length(root.number) > 0) --waiting_;
  }

  void count_work(LevelCounters& counters) const override
  {
    counters.frontier_entries = frontier_entries_;
    counters.unexplored_entries = unexplored_entries_;
    counters.waiting = waiting_;
  }

  // One direction for all: an edge is seen by the device of its source when pushing, of its target when pulling.
  void expand()
  {
    SubgraphWork work;
    work.frontier_entries = everywhere_.frontier_entries;
    work.unexplored_entries = everywhere_.unexplored_entries;
    work.waiting = everywhere_.waiting;
    work.scanned_words = words_for(all_.slots());
    work.frontier = everywhere_.frontier;
    Direction const direction = choose(work);
    set_direction(direction);
    if (direction == Direction::push) {
      if (frontier_entries_ == 0) return;
      push_.take(rows_view(rows_.push, 0), {own_queue().vertices(), frontier(), nullptr, 0});
      push_.push(first_, ClaimedTargets{visited_.data(), parents_.data(), filled()}, &tally_.data()->checked);
    } else {
      PullingTargets const targets{{rows_view(rows_.pull(), 0), frontier_bits_.data()},
                                   own_visited(),
                                   searchable_.bits.data(),
                                   searchable_.bits.size(),
                                   own_parents(),
                                   filled(),
                                   first_,
                                   tally_.data()};
      device::launch_over(std::uint64_t{own_} + 31, pull_warp_per_word, stream_, targets);
    }
  }

  // The fewest vertices of the next frontier that include so many shares.
  std::uint64_t covering(int shares) const
  {
    for (const Gathered& part : gathered_)
      if (part.shares >= shares) return part.vertices;
    return gathered_.back().vertices;
  }

  void close_level() override
  {
    std::uint64_t const found = read_tally().found;
    FoundEverywhere const everywhere{.slots = next().vertices(),
                                     .count = found,
                                     .first = first_,
                                     .own = own_,
                                     .pushed = rows_view(rows_.push, 0),
                                     .searchable = searchable_.bits.data()};
    device::launch_over(found, settle_own_warp_per_32, stream_, everywhere, own_found());
    device::launch_over(frontier_everywhere_, clear_words_thread_per_vertex, stream_, current().vertices(),
                        frontier_everywhere_, frontier_bits_.data());
    device::launch_over(found, set_bits_thread_per_vertex, stream_, next().vertices(), found, frontier_bits_.data());
    frontier_everywhere_ = found;
    turn_ = 1 - turn_;
  }

  void level_is_counted(const BlockTally& tally) override
  {
    frontier_entries_ = tally.own_entries;
    unexplored_entries_ -= frontier_entries_;
    waiting_ -= tally.waited;
  }

  void tell_parents(Exchange& exchange, FarVertex* parents) override
  {
    telling_.tell(
        device_, pieces_, exchange, stream_,
        [&](Vertex first, std::uint64_t slots, Told* listed, unsigned* count) {
          if (first != first_)
            device::launch_over(slots, list_told_thread_per_target, stream_, parents_.data() + first, slots, listed,
                                count);
        },
        [&](const Told* items, std::uint64_t count) {
          device::launch_over(count, take_told_thread_per_item, stream_, items, count, own_parents());
        });
    tell_parents_by_slot(own_parents(), all_on_device_, parents);
  }

  ButterflySchedule schedule_;
  const Extent& all_;
  Vertex first_;  // slot of the first own vertex
  DeviceExtent all_on_device_;
  device::Buffer<std::uint32_t> visited_, frontier_bits_;
  SearchableTargets searchable_;         // among the own vertices
  device::Buffer<Vertex> parents_;       // by slot, as slots: of the own vertices, when told, and those claimed
  std::array<SendableQueue, 2> global_;  // the current frontier and the next, taking turns
  // On their way as bits. A round's are read while the next is packed, and not any more when that is collected.
  std::array<SendableBits, 2> everything_, beginning_;
  BinnedPush push_;
  DevicePieces pieces_;
  device::PinnedBuffer<std::uint64_t> counts_;  // what had been gathered when each piece was taken in
  Telling<Told> telling_;
  std::vector<Gathered> gathered_;
  std::size_t noted_ = 0;  // of `gathered_`, whose counts are known
  std::size_t turn_ = 0;   // of the two

  LevelCounters everywhere_;
  std::uint64_t frontier_everywhere_ = 0;
  std::uint64_t frontier_entries_ = 0, unexplored_entries_ = 0, waiting_ = 0;
};

}  // namespace

}  // namespace cuda

std::uint64_t predict_gpu_butterfly_stepper_bytes(const BlockSizes& sizes)
{
  auto const most_arriving = static_cast<std::uint64_t>(std::max(sizes.fanout, 1));
  // Of all vertices: two sets of bits, two queues, four messages, parents, what is told at the end, and what arrives in
  // a round or then; of the own ones bits, lists in their order.
  std::uint64_t const message = cuda::SendableBits::predict_bytes(sizes.targets);
  std::uint64_t const told = saturating_product(sizes.own, sizeof(cuda::Told));
  std::uint64_t const devices = sizes.targets / std::max<std::uint64_t>(sizes.own, 1) + 1;
  std::uint64_t const landed = std::max(saturating_product(most_arriving, message),
                                        cuda::DevicePieces::most_unreleased(saturating_product(devices, told), told));
  return saturating_sum({cuda::predict_block_on_gpu_bytes(sizes),
                         saturating_product(2, cuda::bytes_of_own_bits(sizes.targets)),
                         saturating_product(2, cuda::SendableQueue::predict_bytes(sizes.targets)),
                         saturating_product(4, message), saturating_product(sizes.targets, sizeof(Vertex)),
                         cuda::Telling<cuda::Told>::predict_bytes(sizes.targets, devices),
                         cuda::DevicePieces::predict_bytes(landed, std::max(most_arriving, devices)),
                         cuda::bytes_of_own_bits(sizes.own), cuda::BinnedPush::predict_bytes(sizes.own)});
}

std::unique_ptr<PartStepper> make_gpu_butterfly_stepper(const DeviceBlockPlace& place,
                                                        const CudaStepperOptions& options, const device::Stream& stream)
{
  return std::make_unique<cuda::ButterflyOnGpu>(place, options, stream);
}

}  // namespace brushfire
