#include "traverse/cpu/far_side.hpp"

namespace brushfire::cpu {

FarTargets::FarTargets(const Part& part, bool uniquify) : part_(part), uniquify_(uniquify), bins_(part.devices)
{
  std::vector<std::size_t> targets(static_cast<std::size_t>(part.devices));
  for (FarVertex const target : part.out.targets.span()) ++targets[static_cast<std::size_t>(device_of(target))];
  for (int device = 0; device < part.devices; ++device)
    bins_.of(device).reserve(targets[static_cast<std::size_t>(device)]);
}

std::span<const Piece> FarTargets::collect(std::span<const Vertex> frontier, std::uint64_t& checked)
{
  bins_.clear();
  for (Vertex const u : frontier) {
    auto const row = part_.out.row(u);
    checked += row.size();
    for (FarVertex const target : row) bins_.add(device_of(target), number_of(target));
  }
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
