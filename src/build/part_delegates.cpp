#include "build/part_delegates.hpp"

#include "base/error.hpp"
#include "exchange/bins.hpp"
#include "exchange/sum_over_devices.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace brushfire {

DegreeHistogram degrees_of_all(DegreeHistogram own, Exchange& exchange)
{
  sum_over_devices(exchange, std::span(own.bins));
  return own;
}

std::uint64_t agree_on_threshold(DegreeHistogram own, Exchange& exchange)
{
  return choose_threshold_of_parts(degrees_of_all(std::move(own), exchange), exchange.devices());
}

namespace {

// Delegates look for a parent where they live first, so a device's own are to stand together, a few words of bits of
// each device in turn. So ranks fall with the degree only roughly; what is left of each comes last.
constexpr std::size_t ranks_together = 256;

std::vector<Delegates::Member> interleaved_by_home(const std::vector<Delegates::Member>& by_degree, int devices)
{
  std::vector<std::vector<Delegates::Member>> of_device(static_cast<std::size_t>(devices));
  std::vector<std::size_t> living(of_device.size());
  for (const Delegates::Member& member : by_degree) ++living[static_cast<std::size_t>(device_of(member.home))];
  std::vector<Delegates::Member> ranked, left;
  ranked.reserve(by_degree.size());
  for (const Delegates::Member& member : by_degree) {
    auto const device = static_cast<std::size_t>(device_of(member.home));
    std::vector<Delegates::Member>& block = of_device[device];
    if (block.empty() && living[device] < ranks_together) {
      left.push_back(member);
      continue;
    }
    block.push_back(member);
    if (block.size() < ranks_together) continue;
    ranked.insert(ranked.end(), block.begin(), block.end());
    block.clear();
    living[device] -= ranks_together;
  }
  ranked.insert(ranked.end(), left.begin(), left.end());
  return ranked;
}

}  // namespace

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
  auto const ranked = interleaved_by_home(all, exchange.devices());
  Buffer<Delegates::Member> by_rank(ranked.size());
  std::copy(ranked.begin(), ranked.end(), by_rank.data());
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
