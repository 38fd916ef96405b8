// What the three searches in blocks have in common on a GPU, as traverse/cpu/block_stepper.hpp on a CPU: the own
// vertices, the level they are at, and what a level reports. The host meets the other devices in every round, so it
// also chooses the direction, from counters that come back with what was found.
//
// What is posted is read by others until all have met once more. A level is closed before that, so the own vertices
// that it found go to another queue than those that were sent.
#pragma once

#include "base/clock.hpp"
#include "device/buffer.hpp"
#include "exchange/cuda/device_pieces.hpp"
#include "traverse/cuda/block_kernels.cuh"
#include "traverse/cuda/block_stepper.hpp"
#include "traverse/cuda/lrb.cuh"
#include "traverse/policy.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace brushfire::cuda {

// Vertices in a queue as it is sent: the word that says so in front of them.
class SendableQueue {
 public:
  SendableQueue(std::uint64_t most, const device::Stream& stream) : words_(1 + words_for_list(most))
  {
    device::fill_bytes(words_.data(), 0, sizeof(Word), stream);  // list_follows
  }
  static std::uint64_t predict_bytes(std::uint64_t most) { return (1 + words_for_list(most)) * sizeof(Word); }

  Vertex* vertices() { return reinterpret_cast<Vertex*>(words_.data() + 1); }
  SentSet first(std::uint64_t count) const { return {words_.data(), bytes_of_list(count)}; }

 private:
  static std::uint64_t words_for_list(std::uint64_t most) { return (most + 1) / 2; }

  device::Buffer<Word> words_;
};

// A set on its way as bits.
class SendableBits {
 public:
  SendableBits(std::uint64_t vertices, const device::Stream& stream)
      : vertices_(vertices), stream_(stream), words_(1 + words_for(vertices))
  {
    Word const form = bits_follow;
    device::copy_to_device(words_.data(), &form, sizeof(form), stream);
    stream.wait();
  }
  static std::uint64_t predict_bytes(std::uint64_t vertices) { return bytes_of_bits(vertices); }

  SentSet set(const Vertex* members, std::uint64_t count)
  {
    device::fill_bytes(words_.data() + 1, 0, words_.bytes() - sizeof(Word), stream_);
    device::launch_over(count, set_bits_thread_per_vertex, stream_, members, count,
                        reinterpret_cast<std::uint32_t*>(words_.data() + 1));
    return {words_.data(), words_.bytes()};
  }
  // The shorter of the two forms of the first so many of a queue.
  SentSet shorter_form(SendableQueue& queue, std::uint64_t count)
  {
    return is_sent_as_bits(count, vertices_) ? set(queue.vertices(), count) : queue.first(count);
  }

 private:
  std::uint64_t vertices_;
  const device::Stream& stream_;
  device::Buffer<Word> words_;
};

// Of what all of them have.
std::uint64_t predict_block_on_gpu_bytes(const BlockSizes& sizes);

// Bits of so many vertices, in whole words of both widths.
constexpr std::uint64_t bytes_of_own_bits(std::uint64_t vertices) { return words_for(vertices) * sizeof(Word); }
inline device::Buffer<std::uint32_t> make_bits(std::uint64_t vertices)
{
  return device::Buffer<std::uint32_t>(2 * words_for(vertices));
}

// Targets that have a row to look for a parent in.
struct SearchableTargets {
  SearchableTargets(const DeviceAdjacency& rows, std::uint64_t targets, const device::Stream& stream);

  device::Buffer<std::uint32_t> bits;
  std::uint64_t count = 0;
};

class BlockOnGpu : public PartStepper {
 public:
  BlockOnGpu(const DeviceBlockPlace& place, const CudaStepperOptions& options, const device::Stream& stream);

  LevelCounters start(std::uint64_t root, const Limits& limits) final;
  LevelCounters finish_level(Trace& trace, const Traffic& traffic) final;
  void finish(Exchange& exchange) final;
  TreeFacts facts() const final { return {reached_, depth_, options_.wide_parents ? 64 : 32}; }
  TreeOnHost result() const final;
  device::ParentsOnDevice parents_on_device() const final
  {
    return {options_.wide_parents ? wide_parents_.data() : nullptr,
            options_.wide_parents ? nullptr : narrow_parents_.data(), own_};
  }

 protected:
  // For steppers to do: forget the last search and visit the root, wherever that lives.
  virtual void start_at(Home root) = 0;
  // Take in what the level has found, and give own vertices to own_found(); the counters are read afterwards.
  virtual void close_level() = 0;
  virtual void level_is_counted(const BlockTally&) {}
  // Write where the own vertices were found from, by number; those that were not are marked already.
  virtual void tell_parents(Exchange& exchange, FarVertex* parents) = 0;
  virtual void count_work(LevelCounters&) const {}

  void begin_level();
  void set_direction(Direction direction);
  const BlockTally& read_tally();  // waits
  SendableQueue& own_queue() { return own_queues_[own_turn_]; }
  std::uint64_t frontier() const { return frontier_; }  // how many of it live here, in the own queue
  OwnFound own_found();
  Direction choose(SubgraphWork work) const;
  void tell_parents_by_slot(const Vertex* slots, const DeviceExtent& sources, FarVertex* parents);
  bool is_here(Home home) const { return static_cast<int>(home.device) == device_; }

  const Block& block_;
  const DeviceBlock& rows_;
  CudaStepperOptions options_;
  const device::Stream& stream_;
  int device_;
  Vertex own_;  // vertices that live here
  unsigned multiprocessors_;
  device::Buffer<BlockTally> tally_;
  LevelRecord record_;

 private:
  bool keeps_levels() const { return options_.levels || options_.deterministic; }
  LevelCounters counters(bool stop) const;
  void name_parents_on_host(Exchange& exchange);

  DeviceBlockPlace place_;
  Limits limits_;
  Home root_{};
  std::int64_t level_ = 0, depth_ = 0;
  std::uint64_t reached_ = 0, frontier_ = 0;
  Direction direction_ = Direction::push;
  device::PinnedBuffer<BlockTally> tally_on_host_;
  std::array<SendableQueue, 2> own_queues_;
  std::size_t own_turn_ = 0;
  device::Buffer<std::int32_t> levels_;
  device::Buffer<FarVertex> found_from_;
  device::Buffer<Label> wide_parents_;
  device::Buffer<std::int32_t> narrow_parents_;
  Stopwatch watch_;

  mutable bool on_host_ = false;
  mutable std::vector<Label> wide_on_host_;
  mutable std::vector<std::int32_t> narrow_on_host_;
  mutable std::vector<std::int32_t> levels_on_host_;
};

}  // namespace brushfire::cuda
