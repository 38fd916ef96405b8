// One record of every device, known to all: for counts that they must agree on before they go on.
#pragma once

#include "exchange/exchange.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace brushfire {

// The records by device. A record is made of 64-bit numbers.
template <typename Record>
std::vector<Record> gather(Exchange& exchange, const Record& own)
{
  constexpr std::size_t number_bytes = 8;
  static_assert(std::is_trivially_copyable_v<Record> && sizeof(Record) % number_bytes == 0);
  std::size_t const numbers = sizeof(Record) / number_bytes;
  auto const devices = static_cast<std::size_t>(exchange.devices());
  // Each number is zero but on the device that has it, so the sums are the numbers.
  std::vector<std::uint64_t> sums(devices * numbers);
  std::memcpy(&sums[static_cast<std::size_t>(exchange.device()) * numbers], &own, sizeof(Record));
  exchange.sum(sums);
  std::vector<Record> records(devices);
  std::memcpy(static_cast<void*>(records.data()), sums.data(), devices * sizeof(Record));
  return records;
}

}  // namespace brushfire
