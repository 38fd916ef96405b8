#include "traverse/cpu/far_side.hpp"

namespace brushfire::cpu {

FarTargets::FarTargets(const Part& part, bool uniquify)
    : part_(part), uniquify_(uniquify), have_any_(words_for(part.layout.vertices)), bins_(part.devices)
{
  std::size_t count = 0;
  for (Vertex v = 0; v < part.layout.vertices; ++v)
    if (part.out.length(v) > 0) {
      set_bit(have_any_.data(), v);
      ++count;
    }
  walked_.reserve(count);
  std::vector<std::size_t> targets(static_cast<std::size_t>(part.devices));
  for (FarVertex const target : part.out.targets.span()) ++targets[static_cast<std::size_t>(device_of(target))];
  for (int device = 0; device < part.devices; ++device)
    bins_.of(device).reserve(targets[static_cast<std::size_t>(device)]);
}

std::span<const Piece> FarTargets::collect(const Frontier& frontier, std::int32_t level, std::int32_t* levels,
                                           std::uint64_t& checked)
{
  constexpr std::size_t ahead = 16;  // whose lines are on their way
  bins_.clear();
  walked_.clear();
  frontier.for_each(have_any_.data(), [&](Vertex u) { walked_.push_back(u); });
  for (std::size_t i = 0; i < walked_.size(); ++i) {
    if (i + 2 * ahead < walked_.size()) {
      part_.out.prefetch_row(walked_[i + 2 * ahead]);
      __builtin_prefetch(levels + walked_[i + 2 * ahead], 1);
    }
    if (i + ahead < walked_.size()) part_.out.prefetch_targets(walked_[i + ahead]);
    auto const row = part_.out.row(walked_[i]);
    levels[walked_[i]] = level;
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
