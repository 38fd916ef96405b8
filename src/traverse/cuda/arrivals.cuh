// Pieces that have arrived, as one run of items that a kernel can take in at once.
#pragma once

#include "exchange/cuda/device_pieces.hpp"

#include <cstdint>
#include <functional>
#include <utility>

namespace brushfire::cuda {

template <typename Item>
struct Arrivals {
  static constexpr unsigned most = 64;  // that the arguments of a kernel have room for

  const Item* items[most];
  std::uint64_t ends[most];  // sums of their counts
  int devices[most];
  unsigned count;

  __host__ __device__ std::uint64_t begin(unsigned piece) const { return piece == 0 ? 0 : ends[piece - 1]; }
  __host__ __device__ std::uint64_t total() const { return begin(count); }
  __device__ unsigned piece_of(std::uint64_t i) const
  {
    unsigned piece = 0;
    while (ends[piece] <= i) ++piece;
    return piece;
  }
  __device__ Item item(unsigned piece, std::uint64_t i) const { return items[piece][i - begin(piece)]; }
};

// Collects them, and hands them over whenever there are as many as fit, and with finish(), which says if there were
// any. Where `take` keeps none of them for later, they are also handed over, and their memory released, when they are
// large.
enum class Taken { for_later, at_once };

template <typename Item>
class ArrivalsTaker {
 public:
  using Take = std::function<void(const Arrivals<Item>&)>;
  ArrivalsTaker(DevicePieces& pieces, Taken taken, Take take) : pieces_(pieces), taken_(taken), take_(std::move(take))
  {
  }

  void add(Piece arrived)
  {
    bool const much = taken_ == Taken::at_once && pieces_.has_landed_much();
    if (much || arrivals_.count == Arrivals<Item>::most) finish();
    if (much) pieces_.release();
    unsigned const next = arrivals_.count;
    arrivals_.items[next] = static_cast<const Item*>(pieces_.land(arrived));
    arrivals_.ends[next] = arrivals_.total() + arrived.bytes.size() / sizeof(Item);
    arrivals_.devices[next] = arrived.device;
    ++arrivals_.count;
  }
  bool finish()
  {
    bool const any = arrivals_.count != 0;
    if (any) take_(arrivals_);
    drop();
    return any;
  }
  void drop() { arrivals_.count = 0; }

 private:
  DevicePieces& pieces_;
  Taken taken_;
  Take take_;
  Arrivals<Item> arrivals_{};
};

}  // namespace brushfire::cuda
