// The ring of traverse/cpu/ring_stepper.cpp on a GPU. Queues that arrive are copied, in a stream of their own, into one
// of two buffers, while the queue before is gathered from the other: where they came in the exchange puts the next.
#include "base/saturating.hpp"
#include "exchange/schedule.hpp"
#include "traverse/cuda/block_on_gpu.cuh"

namespace brushfire {

namespace cuda {

namespace {

inline constexpr unsigned run_vertices = 32;

struct LabelsToUpdate {
  std::uint32_t* touched;  // bits of runs
  std::uint64_t words;     // of them
  Vertex* vector;
  std::uint32_t* visited;
  Vertex* parents;
  Vertex own;
};

// UpdateLabels and ConvertVtoQ in one, a warp per word of touched runs, a lane per vertex of a run: what was visited
// leaves the vector; what was not is visited now, and queued.
__global__ void update_labels_warp_per_word(LabelsToUpdate labels, OwnFound found)
{
  std::uint64_t const warps = std::uint64_t{gridDim.x} * warps_of_block();
  for (std::uint64_t w = std::uint64_t{blockIdx.x} * warps_of_block() + warp_id(); w < labels.words; w += warps) {
    std::uint32_t const runs = labels.touched[w];
    if (runs == 0) continue;
    __syncwarp();
    if (lane_id() == 0) labels.touched[w] = 0;
    for (std::uint32_t left = runs; left != 0; left &= left - 1) {
      auto const run = static_cast<Vertex>(w * 32 + __ffs(static_cast<int>(left)) - 1);
      Vertex const v = run * run_vertices + lane_id();
      Vertex const parent = v < labels.own ? labels.vector[v] : no_vertex;
      if (parent != no_vertex) labels.vector[v] = no_vertex;
      std::uint32_t const visited = labels.visited[run];
      bool const is_new = parent != no_vertex && (visited >> lane_id() & 1) == 0;
      unsigned const fresh = __ballot_sync(all_lanes, is_new);
      if (lane_id() == 0 && fresh != 0) labels.visited[run] = visited | fresh;
      if (!is_new) continue;
      labels.parents[v] = parent;
      found.add(v);
    }
  }
}

__global__ void set_bit_one_thread(std::uint32_t* bits, Vertex v) { bits[v / 32] |= 1u << (v % 32); }

class RingOnGpu final : public BlockOnGpu {
 public:
  RingOnGpu(const DeviceBlockPlace& place, const CudaStepperOptions& options, const device::Stream& stream)
      : BlockOnGpu(place, options, stream),
        schedule_(block_.devices),
        sources_(block_.sources(), stream),
        visited_(make_bits(own_)),
        touched_(make_bits((std::uint64_t{own_} + run_vertices - 1) / run_vertices)),
        vector_(own_),
        parents_(own_),
        push_(most_sent(), multiprocessors_, stream),
        arriving_{DevicePieces(copies_), DevicePieces(copies_)}
  {
  }

  Outbox outbox(Round round) override
  {
    SentSet const own = own_queue().first(frontier());
    if (round.index == 0) {
      begin_level();
      next_to_gather_ = own;
      comes_from_ = device_;
    } else {
      copies_.wait();  // the exchange may use that memory again
    }
    if (block_.devices == 1) return {};
    piece_ = {schedule_.receiver(device_, round.index), {reinterpret_cast<const std::byte*>(own.words), own.bytes}};
    return {{&piece_, 1}, {}, false, false};
  }

  // While the next queue is on its way, the one before it is gathered.
  void work(Round) override { gather(); }

  void absorb(Round, Piece arrived) override
  {
    copies_.go_on_after(gathered_[landing_]);
    arriving_[landing_].begin_round();
    next_to_gather_ = {static_cast<const Word*>(arriving_[landing_].keep(arrived)), arrived.bytes.size()};
    comes_from_ = arrived.device;
    landed_.record(copies_);
    stream_.go_on_after(landed_);
  }

 private:
  std::uint64_t most_sent() const
  {
    std::uint64_t most = 0;
    auto const firsts = block_.sources().firsts();
    for (std::size_t i = 0; i + 1 < firsts.size(); ++i) most = std::max<std::uint64_t>(most, firsts[i + 1] - firsts[i]);
    return most;
  }

  void start_at(Home root) override
  {
    copies_.wait();  // for a search that failed
    landing_ = 0;
    visited_.fill_bytes(0, stream_);
    touched_.fill_bytes(0, stream_);
    vector_.fill_bytes(0xff, stream_);
    parents_.fill_bytes(0xff, stream_);
    if (is_here(root)) device::launch(set_bit_one_thread, 1, 1, stream_, visited_.data(), root.number);
  }

  void gather()
  {
    QueuedLists const lists{reinterpret_cast<const Vertex*>(next_to_gather_.words + 1), next_to_gather_.items(),
                            nullptr, block_.push_grid.first_source(comes_from_)};
    if (lists.most != 0) {
      push_.take(rows_view(rows_.push, 0), lists);
      push_.push(0, ScatteredTargets{vector_.data(), touched_.data()}, &tally_.data()->checked);
    }
    if (comes_from_ == device_) return;
    gathered_[landing_].record(stream_);
    landing_ = 1 - landing_;
  }

  void close_level() override
  {
    if (block_.devices > 1) gather();
    LabelsToUpdate const labels{touched_.data(), touched_.size(), vector_.data(),
                                visited_.data(), parents_.data(), own_};
    device::launch_over(touched_.size() * warp_threads, update_labels_warp_per_word, stream_, labels, own_found());
  }

  void tell_parents(Exchange&, FarVertex* parents) override
  {
    tell_parents_by_slot(parents_.data(), sources_, parents);
  }

  LeftRightSchedule schedule_;
  DeviceExtent sources_;
  device::Buffer<std::uint32_t> visited_, touched_;
  device::Buffer<Vertex> vector_;
  device::Buffer<Vertex> parents_;  // slots of sources
  BinnedPush push_;
  device::Stream copies_;
  device::Event landed_;
  std::array<device::Event, 2> gathered_;  // of each of the two that arrive
  std::array<DevicePieces, 2> arriving_;
  std::size_t landing_ = 0;  // which of them is next
  SentSet next_to_gather_{};
  int comes_from_ = 0;
  Piece piece_;
};

}  // namespace

}  // namespace cuda

std::uint64_t predict_gpu_ring_stepper_bytes(const BlockSizes& sizes)
{
  // The vector and parents, bits of vertices and of runs, lists in their order, and two queues that arrive.
  std::uint64_t const arriving = cuda::DevicePieces::predict_bytes(bytes_of_list(sizes.own), 1);
  return saturating_sum({cuda::predict_block_on_gpu_bytes(sizes), saturating_product(sizes.own, 2 * sizeof(Vertex)),
                         cuda::bytes_of_own_bits(sizes.own),
                         cuda::bytes_of_own_bits(sizes.own / cuda::run_vertices + 1),
                         cuda::BinnedPush::predict_bytes(sizes.own), saturating_product(2, arriving)});
}

std::unique_ptr<PartStepper> make_gpu_ring_stepper(const DeviceBlockPlace& place, const CudaStepperOptions& options,
                                                   const device::Stream& stream)
{
  return std::make_unique<cuda::RingOnGpu>(place, options, stream);
}

}  // namespace brushfire
