#include "build/cuda/delegate_directory.hpp"

#include "device/launch.cuh"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_scan.cuh>

#include <vector>

namespace brushfire {

namespace {

__global__ void mark_delegate_per_thread(const std::uint64_t* indices, Vertex delegates, DirectoryWord* words)
{
  device::for_each_item(delegates, [=](std::uint64_t rank) {
    std::uint64_t const index = indices[rank];
    atomicOr(&words[index / 32].bits, 1u << (index % 32));
  });
}

struct BitsOfWord {
  const DirectoryWord* words;

  __device__ std::uint32_t operator()(std::uint64_t word) const { return __popc(words[word].bits); }
};

__global__ void note_bits_before_per_thread(const std::uint32_t* before, std::uint64_t count, DirectoryWord* words)
{
  device::for_each_item(count, [=](std::uint64_t word) { words[word].before = before[word]; });
}

__global__ void file_delegate_per_thread(const std::uint64_t* indices, Vertex delegates, const DirectoryWord* words,
                                         Vertex* ranks)
{
  device::for_each_item(delegates, [=](std::uint64_t rank) {
    std::uint64_t const index = indices[rank];
    DirectoryWord const word = words[index / 32];
    ranks[word.before + __popc(word.bits & ((1u << (index % 32)) - 1))] = static_cast<Vertex>(rank);
  });
}

}  // namespace

DelegateDirectory::DelegateDirectory(const Delegates& delegates, std::uint64_t indices, const device::Stream& stream)
{
  Vertex const count = delegates.size();
  if (count == 0) return;
  std::vector<std::uint64_t> by_rank(count);
  std::vector<DelegateHome> homes(count);
  for (Vertex rank = 0; rank < count; ++rank) {
    by_rank[rank] = delegates[rank].index;
    homes[rank] = delegates[rank].home_for_edges();
  }
  homes_ = device::make_buffer(std::span<const DelegateHome>(homes), stream);
  auto const indices_by_rank = device::make_buffer(std::span<const std::uint64_t>(by_rank), stream);
  std::uint64_t const words = (indices + 31) / 32;
  words_ = device::Buffer<DirectoryWord>(words);
  words_.fill_bytes(0, stream);
  device::launch_over(count, mark_delegate_per_thread, stream, indices_by_rank.data(), count, words_.data());
  device::Buffer<std::uint32_t> before(words);
  auto const set =
      thrust::make_transform_iterator(thrust::counting_iterator<std::uint64_t>(0), BitsOfWord{words_.data()});
  device::with_scratch("numbering delegates", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, set, before.data(), words, stream.handle());
  });
  device::launch_over(words, note_bits_before_per_thread, stream, before.data(), words, words_.data());
  ranks_ = device::Buffer<Vertex>(count);
  device::launch_over(count, file_delegate_per_thread, stream, indices_by_rank.data(), count, words_.data(),
                      ranks_.data());
  stream.wait();  // before the indices go
}

}  // namespace brushfire
