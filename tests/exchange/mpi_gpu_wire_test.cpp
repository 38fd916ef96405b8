// Wires between ranks whose devices are GPUs, or share one: parcels and masks in device memory, over every transport
// that the ranks here can use. One rank sends to itself, over NCCL.
#include "device/buffer.hpp"
#include "device/use_gpu.hpp"
#include "exchange/cuda/gpu_wire.hpp"
#include "exchange/cuda/place.hpp"
#include "exchange/nccl/nccl_wire.hpp"
#include "gpu.hpp"

#include <brushfire/error.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace brushfire {
namespace {

constexpr int devices_per_rank = 2;

class GpuWires : public testing::NeedsGpu<::testing::TestWithParam<std::string>> {
 protected:
  void SetUp() override
  {
    NeedsGpu::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    JobPlace const place = job_place();
    auto const& gpus = device::usable_gpus();
    gpu_ = gpus[static_cast<std::size_t>(place.rank_on_machine) % gpus.size()];
    bool const one_gpu_each = place.ranks_on_machine <= static_cast<int>(gpus.size());
    if (GetParam() == "nccl" && (!built_with_nccl() || !one_gpu_each)) GTEST_SKIP() << "no NCCL between these ranks";
    if (GetParam() != "nccl" && place.ranks == 1) GTEST_SKIP() << "one rank has no wire";
    setenv("BRUSHFIRE_TRANSPORT", GetParam().c_str(), 1);
    try {
      made_ = cuda::make_gpu_wire(devices_per_rank, gpu_, {.message_bytes = 1 << 16});
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::usage) throw;
      GTEST_SKIP() << error.what();  // no IPC in this container, no MPI that takes device memory
    }
    ASSERT_EQ(made_.transport, GetParam());
  }
  void TearDown() override { unsetenv("BRUSHFIRE_TRANSPORT"); }

  Wire& wire() { return *made_.wire; }
  std::vector<int> devices_of(int rank)
  {
    std::vector<int> devices;
    for (int index = 0; index < devices_per_rank; ++index) devices.push_back(rank + wire().ranks() * index);
    return devices;
  }

  int gpu_ = 0;
  cuda::GpuWire made_;
};

// On both sides of where messages are cut, and larger than any before in some rounds, so that rooms must grow.
std::size_t words_between(int from, int to, int round)
{
  constexpr std::size_t counts[] = {1, 0, 8191, 8192, 8193, 33, 200000, 0, 5, 700001};
  return counts[static_cast<std::size_t>(from * 3 + to * 7 + round) % std::size(counts)];
}

std::vector<std::uint64_t> words_for(int from, int to, int round)
{
  std::vector<std::uint64_t> words(words_between(from, to, round));
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = (static_cast<std::uint64_t>(from * 1000 + to * 100 + round) << 32) + i;
  return words;
}

TEST_P(GpuWires, BringWhatWasSentAndWhereItWas)
{
  device::UseGpu const use(gpu_);
  device::Stream const stream;
  int const ranks = wire().ranks(), me = wire().rank();
  for (int round = 0; round < 40; ++round) {
    bool const on_host = round % 5 == 3;
    std::vector<std::vector<std::uint64_t>> words;
    std::vector<device::Buffer<std::uint64_t>> on_gpu;
    std::vector<Parcel> outgoing;
    for (int rank = 0; rank < ranks; ++rank)
      for (int const from : devices_of(me))
        for (int const to : devices_of(rank)) {
          if (rank == me && (ranks > 1 || on_host)) continue;
          if (words_between(from, to, round) == 0) continue;
          words.push_back(words_for(from, to, round));
          on_gpu.push_back(device::make_buffer(std::span<const std::uint64_t>(words.back()), stream));
          auto const source = on_host ? std::span<const std::uint64_t>(words.back())
                                      : std::span<const std::uint64_t>(on_gpu.back().data(), words.back().size());
          outgoing.push_back({from, to, std::as_bytes(source)});
        }
    wire().send(outgoing);
    auto const heard = wire().deliver();
    std::vector<Parcel> const arrived(heard.begin(), heard.end());
    // Those in the memory of a GPU stay while nothing of that kind moves, whatever becomes of what was sent.
    for (auto& buffer : on_gpu) buffer.fill_bytes(0xff, stream);
    stream.wait();
    std::uint64_t heard_on_host = 0;
    for (const Parcel& parcel : arrived) heard_on_host += cuda::is_on_gpu(parcel.bytes.data()) ? 0 : 1;
    wire().sum({&heard_on_host, 1});
    if (heard_on_host == 0) {
      wire().send({});
      EXPECT_TRUE(wire().deliver().empty());
    }
    EXPECT_TRUE(on_host || GetParam() == "staged" || heard_on_host == 0);
    std::size_t expected = 0;
    for (int rank = 0; rank < ranks; ++rank)
      for (int const from : devices_of(rank))
        for (int const to : devices_of(me))
          if ((rank != me || (ranks == 1 && !on_host)) && words_between(from, to, round) != 0) ++expected;
    EXPECT_EQ(arrived.size(), expected);
    for (const Parcel& parcel : arrived) {
      EXPECT_FALSE(on_host && cuda::is_on_gpu(parcel.bytes.data()));
      std::vector<std::uint64_t> found(parcel.bytes.size() / sizeof(std::uint64_t));
      device::copy_anywhere(found.data(), parcel.bytes.data(), parcel.bytes.size(), stream);
      stream.wait();
      EXPECT_TRUE(found == words_for(parcel.from, parcel.to, round)) << parcel.from << " to " << parcel.to;
    }
  }
}

TEST_P(GpuWires, JoinMasks)
{
  device::UseGpu const use(gpu_);
  device::Stream const stream;
  int const ranks = wire().ranks(), me = wire().rank();
  for (std::size_t const size : {1u, 2u, 3u, 7u, 64u, 100003u})
    for (bool const on_host : {false, true}) {
      std::vector<std::uint64_t> mask(size), expected(size);
      for (std::size_t i = 0; i < size; ++i)
        for (int rank = 0; rank < ranks; ++rank) {
          std::uint64_t const bits = std::uint64_t{1} << (static_cast<std::size_t>(rank * 11) + i % 11);
          expected[i] |= bits;
          if (rank == me) mask[i] = bits;
        }
      auto on_gpu = device::make_buffer(std::span<const std::uint64_t>(mask), stream);
      wire().start_or(on_host ? std::span(mask) : std::span(on_gpu.data(), size));
      wire().finish_or();
      EXPECT_TRUE((on_host ? mask : device::to_vector(on_gpu, size, stream)) == expected) << size << " words";
    }
}

INSTANTIATE_TEST_SUITE_P(Over, GpuWires, ::testing::Values("staged", "ipc", "mpi", "nccl"),
                         [](const auto& transport) { return transport.param; });

}  // namespace
}  // namespace brushfire
