// The host's side of batched searches on a GPU: three or four launches a level, then the counters come back and say
// whether and in which direction the next one goes.
#include "traverse/cuda/batch_stepper.hpp"

#include "base/saturating.hpp"
#include "device/buffer.hpp"
#include "traverse/cuda/batch_kernels.cuh"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace brushfire {

namespace {

using cuda::BatchCounts;
using cuda::BatchSource;
using cuda::BatchView;

std::uint64_t slots_of(const DeviceLayout& layout) { return std::uint64_t{layout.delegates} + layout.vertices; }

class CudaBatchStepper final : public BatchStepper {
 public:
  CudaBatchStepper(const DeviceLayout& layout, const BatchStepperOptions& options, const device::Stream& stream);

  void start(std::span<const Vertex> sources) override;
  FoundByBatch step() override;
  std::span<const Word> found_bits() override;
  void write_levels(std::span<std::int32_t> rows) override;

 private:
  BatchView view();
  BatchSource source_at(Vertex v) const;
  BatchCounts read_counts();
  void push();
  void pull();

  const DeviceLayout& layout_;
  BatchStepperOptions options_;
  const device::Stream& stream_;
  std::vector<Vertex> homes_, ranks_;  // of delegates, by rising home
  device::Buffer<Word> seen_;
  device::Buffer<Word> waves_[2];
  int turn_ = 0;
  device::Buffer<std::int32_t> levels_;
  device::Buffer<BatchCounts> counts_;
  device::Buffer<BatchSource> sources_;
  std::size_t source_count_ = 0;
  device::Buffer<Word> bits_by_vertex_;  // once somebody asks
  std::vector<Word> found_bits_;
  BatchCounts last_{};  // of the level before
  Word searching_ = 0;
  std::int64_t level_ = 0;
};

CudaBatchStepper::CudaBatchStepper(const DeviceLayout& layout, const BatchStepperOptions& options,
                                   const device::Stream& stream)
    : layout_(layout),
      options_(options),
      stream_(stream),
      ranks_(layout.delegates),
      seen_(slots_of(layout)),
      waves_{device::Buffer<Word>(slots_of(layout)), device::Buffer<Word>(slots_of(layout))},
      levels_(options.levels ? sources_per_batch * std::size_t{layout.vertices} : 0),
      counts_(1),
      sources_(sources_per_batch)
{
  auto const homes = device::to_vector(layout.delegate_vertices, layout.delegates, stream);
  std::iota(ranks_.begin(), ranks_.end(), Vertex{0});
  std::sort(ranks_.begin(), ranks_.end(), [&](Vertex a, Vertex b) { return homes[a] < homes[b]; });
  for (Vertex const rank : ranks_) homes_.push_back(homes[rank]);
}

BatchSource CudaBatchStepper::source_at(Vertex v) const
{
  auto const found = std::lower_bound(homes_.begin(), homes_.end(), v);
  bool const delegate = found != homes_.end() && *found == v;
  return {v, delegate ? ranks_[static_cast<std::size_t>(found - homes_.begin())] : no_vertex};
}

BatchView CudaBatchStepper::view()
{
  return {rows_view(layout_.out, layout_.delegates),
          rows_view(layout_.pulled(), layout_.delegates),
          layout_.delegates,
          slots_of(layout_),
          row_numbers(layout_),
          layout_.delegate_vertices.data(),
          seen_.data(),
          waves_[turn_].data(),
          waves_[1 - turn_].data(),
          levels_.data(),
          counts_.data(),
          searching_,
          static_cast<std::int32_t>(level_)};
}

BatchCounts CudaBatchStepper::read_counts() { return device::value_at(counts_, 0, stream_); }

void CudaBatchStepper::start(std::span<const Vertex> sources)
{
  std::vector<BatchSource> starts;
  for (Vertex const source : sources) starts.push_back(source_at(source));
  sources_.upload(starts, stream_);
  source_count_ = sources.size();
  level_ = 0;
  searching_ = sources.size() == word_bits ? ~Word{0} : bit_of(sources.size()) - 1;
  counts_.fill_bytes(0, stream_);
  levels_.fill_bytes(0xff, stream_);  // unreached
  device::launch_over(slots_of(layout_), cuda::forget_thread_per_slot, stream_, view());
  device::launch_over(source_count_, cuda::start_thread_per_source, stream_, view(), sources_.data(), source_count_,
                      layout_.vertices);
  last_ = read_counts();
  last_.waiting_entries = layout_.all_entries();
}

FoundByBatch CudaBatchStepper::step()
{
  ++level_;
  counts_.fill_bytes(0, stream_);
  bool const many = 4 * last_.frontier_entries > last_.waiting_entries;
  Direction const direction = options_.direction.value_or(many ? Direction::pull : Direction::push);
  if (direction == Direction::push)
    push();
  else
    pull();
  device::launch_over(slots_of(layout_), cuda::settle_lane_per_slot, stream_, view(), layout_.vertices);
  last_ = read_counts();
  FoundByBatch found;
  std::copy(std::begin(last_.found), std::end(last_.found), found.vertices.begin());
  (direction == Direction::push ? found.pushed : found.pulled) = searching_;
  found.checked = last_.checked;
  searching_ = still_searching(found.vertices);
  turn_ = 1 - turn_;
  return found;
}

void CudaBatchStepper::push()
{
  waves_[1 - turn_].fill_bytes(0, stream_);
  device::launch(cuda::push_block_per_delegate, std::min(layout_.delegates, 1u << 16), device::block_threads, stream_,
                 view());
  device::launch_over(layout_.vertices, cuda::push_lane_per_slot, stream_, view());
}

void CudaBatchStepper::pull()
{
  device::launch_over(std::uint64_t{layout_.delegates} * cuda::warp_threads, cuda::pull_warp_per_delegate, stream_,
                      view());
  device::launch_over(layout_.vertices, cuda::pull_lane_per_slot, stream_, view());
}

std::span<const Word> CudaBatchStepper::found_bits()
{
  found_bits_.resize(layout_.vertices);
  if (bits_by_vertex_.size() == 0) bits_by_vertex_ = device::Buffer<Word>(layout_.vertices);
  bits_by_vertex_.fill_bytes(0, stream_);
  if (level_ == 0)
    device::launch_over(source_count_, cuda::show_sources_thread_per_source, stream_, sources_.data(), source_count_,
                        bits_by_vertex_.data());
  else
    device::launch_over(slots_of(layout_), cuda::show_found_thread_per_slot, stream_, view(), bits_by_vertex_.data());
  bits_by_vertex_.download(found_bits_, stream_);
  stream_.wait();
  return found_bits_;
}

void CudaBatchStepper::write_levels(std::span<std::int32_t> rows)
{
  levels_.download(rows, stream_);
  stream_.wait();
}

}  // namespace

std::unique_ptr<BatchStepper> make_cuda_batch_stepper(const DeviceLayout& layout, const BatchStepperOptions& options,
                                                      const device::Stream& stream)
{
  return std::make_unique<CudaBatchStepper>(layout, options, stream);
}

std::uint64_t predict_cuda_batch_stepper_bytes(std::uint64_t vertices, std::uint64_t delegates, bool levels)
{
  std::uint64_t const words = saturating_product(vertices + delegates, 3 * sizeof(Word));
  std::uint64_t const rows = saturating_product(vertices, sources_per_batch * sizeof(std::int32_t));
  return saturating_sum({words, levels ? rows : 0});
}

}  // namespace brushfire
