// Sums and products of sizes that stop at the largest number instead of wrapping: a plan for a graph beyond all memory
// must come out huge, never small.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>

namespace brushfire {

constexpr std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b)
{
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::uint64_t>::max() : product;
}

constexpr std::uint64_t saturating_sum(std::initializer_list<std::uint64_t> terms)
{
  std::uint64_t sum = 0;
  for (std::uint64_t const term : terms)
    if (__builtin_add_overflow(sum, term, &sum)) return std::numeric_limits<std::uint64_t>::max();
  return sum;
}

// Of an array.
template <typename T>
constexpr std::uint64_t bytes_of(std::uint64_t items)
{
  return saturating_product(items, sizeof(T));
}

}  // namespace brushfire
