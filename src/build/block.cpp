#include "build/block.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <limits>

namespace brushfire {

Extent::Extent(std::vector<int> devices, std::span<const std::uint64_t> sizes) : devices_(std::move(devices))
{
  std::uint64_t slots = 0;
  for (int const device : devices_) {
    slots += words_for(sizes[static_cast<std::size_t>(device)]) * word_bits;
    if (slots >= std::numeric_limits<Vertex>::max())
      fail(ErrorKind::memory,
           "a device would have to number the vertices of {} devices, more than 2^32; use --preset delegates",
           devices_.size());
    firsts_.push_back(static_cast<Vertex>(slots));
  }
}

std::size_t Extent::place_of(int device) const
{
  return static_cast<std::size_t>(std::lower_bound(devices_.begin(), devices_.end(), device) - devices_.begin());
}

Vertex Extent::first(int device) const { return firsts_[place_of(device)]; }

BlockGrid::BlockGrid(GridShape shape, std::span<const std::uint64_t> sizes)
    : shape_(shape), first_sources_(sizes.size()), first_targets_(sizes.size())
{
  for (int row = 0; row < shape.rows; ++row) {
    std::vector<int> devices;
    for (int column = 0; column < shape.columns; ++column) devices.push_back(row * shape.columns + column);
    rows_.emplace_back(std::move(devices), sizes);
  }
  for (int column = 0; column < shape.columns; ++column) {
    std::vector<int> devices;
    for (int row = 0; row < shape.rows; ++row) devices.push_back(row * shape.columns + column);
    columns_.emplace_back(std::move(devices), sizes);
  }
  for (int device = 0; device < shape.rows * shape.columns; ++device) {
    first_sources_[static_cast<std::size_t>(device)] = sources_of(device).first(device);
    first_targets_[static_cast<std::size_t>(device)] = targets_of(device).first(device);
  }
}

}  // namespace brushfire
