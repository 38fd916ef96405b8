// What devices that build their parts together do step by step: each reads some of its tuples, deals what it makes of
// them, and takes in what the others made of theirs. No step holds more than tuples_per_step tuples.
#pragma once

#include "build/cuda/dealer.cuh"
#include "build/cuda/device_rows.hpp"
#include "exchange/sum_over_devices.hpp"
#include "input/cuda/tuples_on_device.hpp"

#include <brushfire/progress.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace brushfire {

inline constexpr std::uint64_t tuples_per_step = std::uint64_t{1} << 21;

// Where a vertex lives, from its index among all.
struct DealtIndices {
  std::uint32_t devices;

  __device__ std::uint32_t device_of(std::uint64_t index) const
  {
    // A division in 32 bits takes a quarter of the time.
    auto const low = static_cast<std::uint32_t>(index);
    return low == index ? low % devices : static_cast<std::uint32_t>(index % devices);
  }
  __device__ Vertex number_of(std::uint64_t index) const
  {
    auto const low = static_cast<std::uint32_t>(index);
    return low == index ? low / devices : static_cast<Vertex>(index / devices);
  }
  __device__ FarVertex somebody_at(std::uint32_t device) const { return std::uint64_t{device} << 32; }
};

// The tuples of a step, each once in every direction that rows hold: item i is tuple i, and where rows hold both, the
// items behind the last tuple are the tuples the other way round.
struct DirectedTuples {
  const IndexPair* pairs;
  std::uint64_t tuples;
  RowsHold hold;

  std::uint64_t items() const { return tuples * ((hold.at_source ? 1 : 0) + (hold.at_target ? 1 : 0)); }
  __device__ std::uint64_t tuple(std::uint64_t item) const { return item < tuples ? item : item - tuples; }
  __device__ bool turned(std::uint64_t item) const { return item >= tuples || !hold.at_source; }
  // From the vertex whose row it is to the one that is listed there.
  __device__ IndexPair edge(std::uint64_t item) const
  {
    IndexPair const pair = pairs[tuple(item)];
    return turned(item) ? IndexPair{pair.target, pair.source} : pair;
  }
};

class PartSteps {
 public:
  PartSteps(TuplesOnDevice& tuples, Exchange& exchange, const device::Stream& stream, Progress& progress)
      : exchange(exchange),
        stream(stream),
        progress(progress),
        dealer(exchange, stream),
        tuples_(tuples),
        pairs_(std::min(tuples.size(), tuples_per_step))
  {
  }

  std::uint64_t tuples() const { return tuples_.size(); }
  std::uint64_t step_size() const { return pairs_.size(); }

  // The number of steps is that of the device with the largest share, so that all make the same calls.
  template <typename Body>
  void for_each(const char* stage, Body&& body)
  {
    std::uint64_t left_of_all = sum(tuples());
    progress.begin(stage, left_of_all, "edges");
    std::uint64_t first = 0;
    while (left_of_all > 0) {
      std::uint64_t const count = std::min(tuples() - first, tuples_per_step);
      if (count != 0) tuples_.read(first, count, pairs_.data(), stream);
      body(static_cast<const IndexPair*>(pairs_.data()), count);
      first += count;
      std::uint64_t const before = std::exchange(left_of_all, sum(tuples() - first));
      progress.advance(before - left_of_all);
    }
    progress.end();
  }

  std::uint64_t sum(std::uint64_t value) { return sum_over_devices(exchange, value); }
  // Until all devices have come so far, and nothing is under way on any of them.
  void meet()
  {
    stream.wait();
    sum(0);
  }

  Exchange& exchange;
  const device::Stream& stream;
  Progress& progress;
  Dealer dealer;

 private:
  TuplesOnDevice& tuples_;
  device::Buffer<IndexPair> pairs_;
};

}  // namespace brushfire
