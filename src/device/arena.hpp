// Room for many small things that go together: taken one by one, given back all at once. What was taken stays where it
// is until then, so it may grow at any time; after a while one chunk holds whatever is wanted.
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
      std::size_t const before = chunks_.empty() ? least_chunk : 2 * chunks_.back().size();
      chunks_.emplace_back(std::max(before, room));
      used_ = 0;
    }
    std::byte* const taken = chunks_.back().data() + used_;
    used_ += room;
    return taken;
  }

  // What it ever holds where so many bytes, with their alignment, are taken before they are given back: a chunk that
  // was made because others were full is less than twice that, and those before it are no more than it is.
  static constexpr std::uint64_t most_held(std::uint64_t bytes)
  {
    return saturating_sum({saturating_product(bytes, 4), least_chunk});
  }

  // Nobody may use it any more.
  void give_back()
  {
    if (chunks_.size() > 1) chunks_.erase(chunks_.begin(), chunks_.end() - 1);  // the last is the largest
    used_ = 0;
  }

 private:
  std::vector<BufferOf<std::byte>> chunks_;
  std::size_t used_ = 0;  // of the last
};

using DeviceArena = Arena<Buffer>;
using PinnedArena = Arena<PinnedBuffer>;

}  // namespace brushfire::device
