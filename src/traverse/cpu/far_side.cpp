#include "traverse/cpu/far_side.hpp"

namespace brushfire::cpu {

FarTargets::FarTargets(const Part& part, bool uniquify)
    : part_(part), uniquify_(uniquify), have_any_(words_for(part.layout.vertices)), bins_(part.devices)
{
  for (Vertex v = 0; v < part.layout.vertices; ++v)
    if (part.out.length(v) > 0) set_bit(have_any_.data(), v);
  std::vector<std::size_t> targets(static_cast<std::size_t>(part.devices));
  for (FarVertex const target : part.out.targets.span()) ++targets[static_cast<std::size_t>(device_of(target))];
  for (int device = 0; device < part.devices; ++device)
    bins_.of(device).reserve(targets[static_cast<std::size_t>(device)]);
}

std::span<const Piece> FarTargets::collect(const Frontier& frontier, std::int32_t level, std::int32_t* levels,
                                           std::uint64_t& checked)
{
  bins_.clear();
  frontier.for_each(have_any_.data(), [&](Vertex u) {
    auto const row = part_.out.row(u);
    levels[u] = level;
    checked += row.size();
    for (FarVertex const target : row) bins_.add(device_of(target), number_of(target));
  });
  if (uniquify_) {
    for (int device = 0; device < part_.devices; ++device) {
      auto& numbers = bins_.of(device);
      std::sort(numbers.begin(), numbers.end());
      numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    }
  }
  return bins_.pieces();
}

}  // namespace brushfire::cpu
