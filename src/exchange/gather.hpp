// One record of every device, or of every rank, known to all: for counts that they must agree on before they go on.
#pragma once

#include "exchange/exchange.hpp"
#include "exchange/wire.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace brushfire {

// sum() sums over all. Each number is zero but where it is known, so the sums are the numbers.
template <typename Record, typename Sum>
std::vector<Record> gather_by_sums(const Record& own, int number, int count, Sum&& sum)
{
  constexpr std::size_t number_bytes = 8;
  static_assert(std::is_trivially_copyable_v<Record> && sizeof(Record) % number_bytes == 0);
  std::size_t const numbers = sizeof(Record) / number_bytes;
  std::vector<std::uint64_t> sums(static_cast<std::size_t>(count) * numbers);
  std::memcpy(&sums[static_cast<std::size_t>(number) * numbers], &own, sizeof(Record));
  sum(std::span(sums));
  std::vector<Record> records(static_cast<std::size_t>(count));
  std::memcpy(static_cast<void*>(records.data()), sums.data(), records.size() * sizeof(Record));
  return records;
}

// The records by device. A record is made of 64-bit numbers.
template <typename Record>
std::vector<Record> gather(Exchange& exchange, const Record& own)
{
  return gather_by_sums(own, exchange.device(), exchange.devices(), [&](auto sums) { exchange.sum(sums); });
}

// By rank.
template <typename Record>
std::vector<Record> gather(Wire& wire, const Record& own)
{
  return gather_by_sums(own, wire.rank(), wire.ranks(), [&](auto sums) { wire.sum(sums); });
}

}  // namespace brushfire
