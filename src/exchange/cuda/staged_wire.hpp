// A wire for devices that post from the memory of GPUs, over a plain one that only knows that of the host: whatever
// lies on a GPU is copied to the host, sent, and copied to the GPU again by whoever wants it there. It works anywhere,
// and is what the other ways between GPUs stand on: they pack parcels differently.
#pragma once

#include "device/arena.hpp"
#include "device/buffer.hpp"
#include "device/stream.hpp"
#include "exchange/wire.hpp"

#include <memory>
#include <vector>

namespace brushfire::cuda {

class StagedWire : public Wire {
 public:
  // `gpu` is that of the rank's first device.
  StagedWire(std::unique_ptr<Wire> plain, int gpu);

  int rank() const override { return plain_->rank(); }
  int ranks() const override { return plain_->ranks(); }
  void send(std::span<const Parcel> outgoing) override;
  std::span<const Parcel> deliver() override { return plain_->deliver(); }
  void start_or(std::span<std::uint64_t> words) override;
  void finish_or() override;
  void sum(std::span<std::uint64_t> values) override { plain_->sum(values); }
  std::uint64_t messages_for(std::uint64_t bytes) const override { return plain_->messages_for(bytes); }
  void abandon() noexcept override
  {
    Wire::abandon();
    plain_->abandon();
  }

 protected:
  // Parcels that lie on GPUs, as they shall go over the plain wire: each goes to packed_, with what the stream then
  // writes.
  virtual void pack(std::span<const Parcel> on_gpus);
  Parcel staged(const Parcel& parcel);  // a copy in the memory of the host

  std::unique_ptr<Wire> plain_;
  int gpu_;
  device::Stream stream_;
  std::vector<Parcel> packed_;

 private:
  std::vector<Parcel> on_gpus_;
  device::PinnedArena staged_;
  std::span<std::uint64_t> words_;  // on the GPU, while they are joined on the host
  device::PinnedBuffer<std::uint64_t> words_on_host_;
};

}  // namespace brushfire::cuda
