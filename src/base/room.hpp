// Sizes of things that share room, and room that is made as it is needed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

namespace brushfire {

// The first multiple of `unit` that is not below.
template <typename Size>
constexpr Size round_up(Size size, Size unit)
{
  return (size + unit - 1) / unit * unit;
}

// Room for so many items in any kind of buffer. It only grows, and by a quarter at least, but not past `most`, for
// which nobody will ever ask. The contents are lost.
template <typename BufferOfAny>
void make_room(BufferOfAny& buffer, std::size_t size, std::size_t most = std::numeric_limits<std::size_t>::max())
{
  if (size <= buffer.size()) return;
  std::size_t const larger = std::max(size, std::min(buffer.size() + buffer.size() / 4, most));
  buffer = BufferOfAny();  // the old one goes first
  buffer = BufferOfAny(larger);
}

}  // namespace brushfire
