// Pointer jumping. A vertex that its own parent value does not settle knows an ancestor and how many steps away it is,
// at first its parent. In each round it asks that ancestor. A settled one settles the asker; any other names its own
// ancestor, which becomes the asker's. So after r rounds an unsettled vertex has climbed 2^r steps or more without
// meeting a settled one; when that is as many as there are vertices, it climbs in a circle.
#include "validate/spread_levels.hpp"

#include "exchange/gather.hpp"
#include "validate/inquiry.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <vector>

namespace brushfire {

namespace {

constexpr std::uint64_t vertices_per_block = 1 << 14;

struct Ascent {
  Place ancestor;  // nowhere: settled, and `steps` is the level
  std::uint32_t steps = 0;
};

class Climber {
 public:
  Climber(const DealtLabels& labels, Label root, ParentsView parents, Exchange& exchange, Team team)
      : labels_(labels),
        root_(root),
        parents_(parents),
        exchange_(exchange),
        team_(team),
        inquiry_(exchange),
        levels_(labels.size()),
        ascents_(labels.size())
  {
  }

  TreeLevels derive()
  {
    settle_alone();
    for (std::uint64_t climbed = 1;; climbed *= 2) {
      std::uint64_t const most_climbing = agree();
      if (most_climbing == 0 || climbed >= labels_.total()) break;
      for (std::uint64_t first = 0; first < most_climbing; first += questions_per_block) climb(first);
      std::erase_if(climbing_, [&](Vertex v) { return levels_[v] != TreeLevels::unsettled; });
    }
    for (Vertex const v : climbing_) {
      levels_[v] = TreeLevels::astray;
      rule_1_.offer(index_of(v));
    }
    std::int32_t deepest = 0;
    for (std::int32_t const level : levels_.span()) deepest = std::max(deepest, level);
    return {std::move(levels_), in_tree_, deepest, rule_1_.index(), rule_2_.index()};
  }

 private:
  std::uint64_t index_of(Vertex own) const
  {
    return labels_.dealing().index_of({static_cast<std::uint32_t>(labels_.device()), own});
  }

  void settle_alone()
  {
    team_.for_blocks(labels_.size(), vertices_per_block, [&](std::uint64_t first, std::uint64_t last, int) {
      for (auto v = first; v < last; ++v) levels_[v] = level_alone(static_cast<Vertex>(v));
    });
    for (Vertex v = 0; v < labels_.size(); ++v) {
      in_tree_ += levels_[v] != unreached;
      if (levels_[v] == TreeLevels::unsettled) climbing_.push_back(v);
    }
  }

  std::int32_t level_alone(Vertex v)
  {
    Label const parent = parents_[v];
    if (parent == no_label) return unreached;
    if (labels_.label(v) == root_) {
      if (parent != root_) rule_1_.offer(index_of(v));
      return 0;
    }
    auto const above = labels_.find(parent);
    if (!above) {
      rule_2_.offer(index_of(v));
      return TreeLevels::severed;
    }
    Home const home = labels_.dealing().home_of(*above);
    ascents_[v] = {{home.device, home.number}, 1};
    return TreeLevels::unsettled;
  }

  // The largest number of climbing vertices that a device has. A tree that is too deep is refused by all at once.
  std::uint64_t agree()
  {
    struct Standing {
      std::uint64_t climbing;
      std::uint64_t too_deep;
    };
    std::uint64_t most = 0;
    bool too_deep = false;
    for (Standing const& standing : gather(exchange_, Standing{climbing_.size(), too_deep_ ? 1u : 0u})) {
      most = std::max(most, standing.climbing);
      too_deep |= standing.too_deep != 0;
    }
    if (too_deep) refuse_depth();
    return most;
  }

  // One block of a round.
  void climb(std::uint64_t first_climbing)
  {
    std::uint64_t const first = std::min<std::uint64_t>(first_climbing, climbing_.size());
    std::uint64_t const last = std::min<std::uint64_t>(first + questions_per_block, climbing_.size());
    asked_.resize(last - first);
    team_.for_blocks(asked_.size(), questions_per_thread, [&](std::uint64_t from, std::uint64_t to, int) {
      for (auto i = from; i < to; ++i) asked_[i] = ascents_[climbing_[first + i]].ancestor;
    });
    inquiry_.ask(asked_, team_, [&](Vertex v) { return standing_of(v); });
    team_.for_blocks(asked_.size(), questions_per_thread, [&](std::uint64_t from, std::uint64_t to, int) {
      for (auto i = from; i < to; ++i) rise(climbing_[first + i], inquiry_.answer(i));
    });
  }

  Ascent standing_of(Vertex v) const
  {
    if (levels_[v] == TreeLevels::unsettled) return ascents_[v];
    return {Place{}, static_cast<std::uint32_t>(levels_[v])};
  }

  void rise(Vertex v, const Ascent& above)
  {
    // Steps are not counted on where no level can follow.
    constexpr std::uint64_t too_many = std::uint64_t{1} << 31;
    Ascent& ascent = ascents_[v];
    if (above.ancestor.device != Place::nowhere) {
      std::uint64_t const steps = std::uint64_t{ascent.steps} + above.steps;
      ascent = {above.ancestor, static_cast<std::uint32_t>(std::min(steps, too_many))};
      return;
    }
    auto const end = static_cast<std::int32_t>(above.steps);
    if (end < 0) {
      levels_[v] = TreeLevels::severed;
      if (end == unreached && ascent.steps == 1) rule_2_.offer(index_of(v));
    } else if (end + std::int64_t{ascent.steps} > std::numeric_limits<std::int32_t>::max()) {
      too_deep_ = true;
    } else {
      levels_[v] = end + static_cast<std::int32_t>(ascent.steps);
    }
  }

  const DealtLabels& labels_;
  Label root_;
  ParentsView parents_;
  Exchange& exchange_;
  Team team_;
  Inquiry<Ascent> inquiry_;
  Buffer<std::int32_t> levels_;
  Buffer<Ascent> ascents_;        // of the unsettled
  std::vector<Vertex> climbing_;  // the unsettled
  std::vector<Place> asked_;
  std::uint64_t in_tree_ = 0;
  std::atomic<bool> too_deep_{false};
  Lowest rule_1_;
  Lowest rule_2_;
};

}  // namespace

TreeLevels derive_spread_levels(const DealtLabels& labels, Label root, ParentsView parents, Exchange& exchange,
                                Team team)
{
  return Climber(labels, root, parents, exchange, team).derive();
}

}  // namespace brushfire
