// Room for many small things that go together: taken one by one, given back all at once. What was taken stays where it
// is until then, so it may grow at any time; afterwards one chunk holds as much as all had.
#pragma once

#include "base/room.hpp"
#include "base/saturating.hpp"
#include "device/buffer.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace brushfire::device {

template <template <typename> typename BufferOf>
class Arena {
 public:
  static constexpr std::size_t alignment = 256, least_chunk = 1 << 16;

  std::byte* take(std::size_t bytes)
  {
    std::size_t const room = round_up(bytes, alignment);
    if (chunks_.empty() || used_ + room > chunks_.back().size()) {
      chunks_.emplace_back(std::max({room, held_, least_chunk}));
      held_ += chunks_.back().size();
      used_ = 0;
    }
    std::byte* const taken = chunks_.back().data() + used_;
    used_ += room;
    return taken;
  }

  // What it ever holds where so many bytes, with their alignment, are taken before they are given back: a chunk is made
  // when those before it are full, and is no larger than they are together or what goes into it.
  static constexpr std::uint64_t most_held(std::uint64_t bytes)
  {
    return saturating_sum({saturating_product(bytes, 2), least_chunk});
  }

  std::size_t used() const { return chunks_.empty() ? 0 : held_ - chunks_.back().size() + used_; }

  // Nobody may use it any more.
  void give_back()
  {
    used_ = 0;
    if (chunks_.size() <= 1) return;
    chunks_.clear();
    chunks_.emplace_back(held_);
  }

 private:
  std::vector<BufferOf<std::byte>> chunks_;
  std::size_t held_ = 0;  // by all of them
  std::size_t used_ = 0;  // of the last
};

using DeviceArena = Arena<Buffer>;
using PinnedArena = Arena<PinnedBuffer>;

}  // namespace brushfire::device
