// Which device has which vertex. Vertices are named by their index among all; they are dealt out one by one, like cards
// (Pan, Pearce and Owens, Algorithm 1), or in pieces of consecutive ones.
#pragma once

#include <brushfire/types.hpp>

#include <algorithm>
#include <cstdint>

namespace brushfire {

struct Home {
  std::uint32_t device;
  Vertex number;  // there
};

struct Dealing {
  std::uint32_t devices = 1;
  const std::uint64_t* bounds = nullptr;  // devices + 1: where each piece begins; null: one by one

  Home home_of(std::uint64_t index) const
  {
    if (bounds != nullptr) {
      auto const piece = std::upper_bound(bounds + 1, bounds + devices, index) - 1;
      return {static_cast<std::uint32_t>(piece - bounds), static_cast<Vertex>(index - *piece)};
    }
    // Most graphs have fewer than 2^32 vertices, and many processors divide 32 bits in a fraction of the time.
    if (index <= ~std::uint32_t{0}) {
      auto const narrow = static_cast<std::uint32_t>(index);
      return {narrow % devices, narrow / devices};
    }
    return {static_cast<std::uint32_t>(index % devices), static_cast<Vertex>(index / devices)};
  }

  std::uint64_t index_of(Home home) const
  {
    return bounds != nullptr ? bounds[home.device] + home.number : std::uint64_t{home.number} * devices + home.device;
  }
};

}  // namespace brushfire
