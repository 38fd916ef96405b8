// Push or pull for one GPU of several, which has dd, dn and nd to decide on by itself; what leads to other devices is
// always pushed. By the split policy of a GPU alone, or for each subgraph by a published rule. On the host: several
// devices meet there in every level anyway.
#pragma once

#include "traverse/policy.hpp"
#include "traverse/split_policy.hpp"

#include <brushfire/trace.hpp>

#include <array>
#include <cstdint>
#include <optional>

namespace brushfire {

// What a device knows before a level. Index 0 is about delegates, 1 about normal vertices.
struct PartCounts {
  using ByClass = std::array<std::uint64_t, source_classes>;
  std::array<ByClass, 2> in_frontier{};  // list entries to delegates, to normals, by the class of their source
  std::array<ByClass, 2> unexplored{};   // of sources not expanded yet, the frontier included
  std::array<ByClass, 2> all{};          // of all sources
  ByClass sources{};                     // of the frontier, by their class
  bool queued = true;                    // the frontier is in a queue already; else a push makes one first
  std::array<std::uint64_t, 2> frontier{};
  std::array<std::uint64_t, 2> waiting{};
  std::array<std::uint64_t, 2> vertices{};
};

// How one kind of target is found.
struct KindPlan {
  ClassLimit limit = 0;        // classes of sources below are pulled
  bool pulls = false;          // something is
  bool pulls_normals = false;  // normal sources alone are, whatever the limit says; only delegates push then
  bool pushes = false;
};

struct PartPlan {
  std::array<KindPlan, 2> kinds;  // delegates, normals
  Directions directions{};
};

// How a device chooses: what costs least, or the rule of Pan, Pearce and Owens, or that of the adaptive preset.
enum class PartRule : std::uint8_t { cheapest, published, adaptive };

struct PartPolicy {
  std::optional<Direction> forced;
  PartRule rule = PartRule::cheapest;
  SplitPolicy split;
  // Picoseconds of an H200, beside those of `split`: lists of a part are short, and what they cost is not their
  // entries.
  double pushed_list = 30;
  double queue = 15e6;  // to make one

  // `before` are the directions of the level before.
  PartPlan choose(const PartCounts& counts, const Directions& before) const;

 private:
  PartPlan choose_by_subgraph(const PartCounts& counts, const Directions& before) const;
  ClassLimit cheapest_limit(const PartCounts& counts, std::size_t kind) const;
};

}  // namespace brushfire
