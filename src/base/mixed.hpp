// A well-mixed 64-bit number from any other, for random-looking choices that must repeat (the finaliser of splitmix64).
#pragma once

#include <cstdint>

namespace brushfire {

constexpr std::uint64_t mixed(std::uint64_t x)
{
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace brushfire
