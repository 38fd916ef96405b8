// How devices that found vertices of others tell them from where, when the last level is done.
#pragma once

#include "build/block.hpp"
#include "device/buffer.hpp"
#include "device/stream.hpp"
#include "exchange/cuda/device_pieces.hpp"
#include "exchange/exchange.hpp"

#include <cstddef>
#include <cstdint>

namespace brushfire::cuda {

template <typename Item>
class Telling {
 public:
  explicit Telling(const Extent& targets)
      : targets_(targets), listed_(targets.slots()), counts_(targets.devices().size())
  {
  }
  static std::uint64_t predict_bytes(std::uint64_t targets, std::uint64_t devices)
  {
    return saturating_sum({saturating_product(targets, sizeof(Item)), devices * sizeof(unsigned)});
  }

  // list(first, slots, listed, count) lists what there is for the vertices of a device, which begin at the slot
  // `first`; take(items, count) is called for what arrives, and for what is of this device.
  template <typename List, typename Take>
  void tell(int own_device, DevicePieces& pieces, Exchange& exchange, const device::Stream& stream, List&& list,
            Take&& take)
  {
    Round const only{0, true};
    auto const devices = targets_.devices();
    auto const firsts = targets_.firsts();
    counts_.fill_bytes(0, stream);
    for (std::size_t i = 0; i < devices.size(); ++i)
      list(firsts[i], std::uint64_t{firsts[i + 1] - firsts[i]}, listed_.data() + firsts[i], counts_.data() + i);
    auto const counts = device::to_vector(counts_, devices.size(), stream);
    pieces.begin_round();
    for (std::size_t i = 0; i < devices.size(); ++i) {
      const Item* const items = listed_.data() + firsts[i];
      if (devices[i] == own_device)
        take(items, std::uint64_t{counts[i]});
      else if (counts[i] != 0)
        pieces.add(devices[i], items, counts[i] * sizeof(Item));
    }
    exchange.post(only, {pieces.pieces(), {}, false});
    exchange.collect(only, [&](Piece arrived) {
      if (pieces.has_landed_much()) pieces.release();
      take(static_cast<const Item*>(pieces.land(arrived)), std::uint64_t{arrived.bytes.size() / sizeof(Item)});
    });
    stream.wait();  // before anybody lists others
  }

 private:
  const Extent& targets_;
  device::Buffer<Item> listed_;      // those of each device from its first slot on
  device::Buffer<unsigned> counts_;  // of every device
};

}  // namespace brushfire::cuda
