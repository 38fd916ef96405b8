// Records of counts, each summed over all devices and known to all.
#pragma once

#include "exchange/exchange.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace brushfire {

// A record is made of 64-bit counts; every device brings as many.
template <typename Record>
void sum_over_devices(Exchange& exchange, std::span<Record> records)
{
  static_assert(std::is_trivially_copyable_v<Record> && sizeof(Record) % sizeof(std::uint64_t) == 0);
  std::vector<std::uint64_t> sums(records.size_bytes() / sizeof(std::uint64_t));
  if (sums.empty()) return exchange.sum(sums);
  std::memcpy(sums.data(), records.data(), records.size_bytes());
  exchange.sum(sums);
  std::memcpy(static_cast<void*>(records.data()), sums.data(), records.size_bytes());
}

template <typename Record>
Record sum_over_devices(Exchange& exchange, const Record& own)
{
  auto sums = std::bit_cast<std::array<std::uint64_t, sizeof(Record) / sizeof(std::uint64_t)>>(own);
  exchange.sum(sums);
  return std::bit_cast<Record>(sums);
}

}  // namespace brushfire
