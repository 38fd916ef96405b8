#include "exchange/cuda/staged_wire.hpp"

#include "device/use_gpu.hpp"
#include "exchange/cuda/place.hpp"

#include <utility>

namespace brushfire::cuda {

namespace {

device::Stream stream_on(int gpu)
{
  device::UseGpu const use(gpu);
  return {};
}

}  // namespace

StagedWire::StagedWire(std::unique_ptr<Wire> plain, int gpu)
    : plain_(std::move(plain)), gpu_(gpu), stream_(stream_on(gpu))
{
}

void StagedWire::send(std::span<const Parcel> outgoing)
{
  device::UseGpu const use(gpu_);
  packed_.clear();
  on_gpus_.clear();
  staged_.give_back();
  for (const Parcel& parcel : outgoing) (is_on_gpu(parcel.bytes.data()) ? on_gpus_ : packed_).push_back(parcel);
  if (!on_gpus_.empty()) {
    pack(on_gpus_);
    stream_.wait();
  }
  plain_->send(packed_);
}

void StagedWire::pack(std::span<const Parcel> on_gpus)
{
  for (const Parcel& parcel : on_gpus) packed_.push_back(staged(parcel));
}

Parcel StagedWire::staged(const Parcel& parcel)
{
  std::byte* const copy = staged_.take(parcel.bytes.size());
  device::copy_to_host(copy, parcel.bytes.data(), parcel.bytes.size(), stream_);
  return {parcel.from, parcel.to, {copy, parcel.bytes.size()}};
}

void StagedWire::start_or(std::span<std::uint64_t> words)
{
  words_ = {};
  if (words.empty() || !is_on_gpu(words.data())) return plain_->start_or(words);
  device::UseGpu const use(gpu_);
  words_ = words;
  if (words_on_host_.size() < words.size()) words_on_host_ = device::PinnedBuffer<std::uint64_t>(words.size());
  device::copy_to_host(words_on_host_.data(), words.data(), words.size_bytes(), stream_);
  stream_.wait();
  plain_->start_or(words_on_host_.span().first(words.size()));
}

void StagedWire::finish_or()
{
  plain_->finish_or();
  if (words_.empty()) return;
  device::UseGpu const use(gpu_);
  device::copy_to_device(words_.data(), words_on_host_.data(), words_.size_bytes(), stream_);
  stream_.wait();
}

}  // namespace brushfire::cuda
