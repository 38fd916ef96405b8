#include "build/part_delegates.hpp"

#include "base/error.hpp"
#include "exchange/bins.hpp"
#include "exchange/sum_over_devices.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace brushfire {

std::uint64_t agree_on_threshold(DegreeHistogram own, Exchange& exchange)
{
  sum_over_devices(exchange, std::span(own.bins));
  return choose_threshold_of_parts(own, exchange.devices());
}

Delegates agree_on_delegates(const std::vector<Delegates::Member>& own, Vertex vertices, Exchange& exchange)
{
  Round const only{0, true};
  std::vector<Piece> pieces;
  if (!own.empty())
    for (int device = 0; device < exchange.devices(); ++device)
      pieces.push_back({device, std::as_bytes(std::span(own))});
  std::vector<Delegates::Member> all;
  exchange.post(only, {pieces, {}, false});
  exchange.collect(only, [&](Piece piece) {
    auto const members = items_of<Delegates::Member>(piece);
    all.insert(all.end(), members.begin(), members.end());
  });
  std::sort(all.begin(), all.end(), [](const Delegates::Member& a, const Delegates::Member& b) {
    return a.degree != b.degree ? a.degree > b.degree : a.index < b.index;
  });
  if (all.size() + vertices > std::numeric_limits<Vertex>::max() - 1)
    fail(ErrorKind::memory, "{} vertices and {} delegates are more than one device can number; use more devices",
         vertices, all.size());
  Buffer<Delegates::Member> by_rank(all.size());
  std::copy(all.begin(), all.end(), by_rank.data());
  return Delegates(std::move(by_rank));
}

Section<Vertex> numbers_at_home(const Delegates& delegates, int device)
{
  Buffer<Vertex> numbers(delegates.size());
  for (Vertex rank = 0; rank < numbers.size(); ++rank)
    numbers[rank] = device_of(delegates[rank].home) == device ? number_of(delegates[rank].home) : no_vertex;
  return Section<Vertex>(std::move(numbers));
}

}  // namespace brushfire
