// What is wrong with a request or a tree that lies in one place, said by index: the values that a sentence names are
// looked up. The tree may lie in host memory or on a device; single values of it are asked for once the verdict is
// known, so asking may be slow.
#pragma once

#include "input/edge_source.hpp"
#include "input/labels.hpp"
#include "validate/sentences.hpp"

#include <brushfire/types.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace brushfire {

// The vertex of the root. Throws Error(usage) when there is none, or not one parent for every vertex.
Vertex root_of_request(const EdgeSource& source, const Labels& labels, Label root, std::uint64_t parents);

class Witness {
 public:
  using ParentOf = std::function<Label(Vertex)>;
  using LevelOf = std::function<std::int32_t(Vertex)>;

  Witness(const EdgeSource& source, const Labels& labels, Vertex root, ParentOf parent, LevelOf level);

  std::string not_rooted(std::uint64_t v) const;
  std::string no_parent(std::uint64_t v) const;
  std::string root_missing() const;
  std::string joins_levels(std::uint64_t tuple) const;
  std::string too_deep(std::uint64_t v, std::int64_t deepest) const;
  std::string leaves_tree(std::uint64_t tuple) const;
  std::string not_an_edge(std::uint64_t v) const;

 private:
  Label label(std::uint64_t v) const { return labels_.label(static_cast<Vertex>(v)); }
  Label parent(std::uint64_t v) const { return parent_(static_cast<Vertex>(v)); }
  std::int32_t level(Label of) const { return level_(labels_.vertex(of)); }
  Edge edge(std::uint64_t tuple) const;

  const EdgeSource& source_;
  const Labels& labels_;
  Vertex root_;
  ParentOf parent_;
  LevelOf level_;
};

}  // namespace brushfire
