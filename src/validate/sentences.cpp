#include "validate/sentences.hpp"

#include "base/error.hpp"

namespace brushfire {

namespace sentences {

std::string not_rooted(Label vertex, Label parent, Label root)
{
  if (vertex == root) return fmt::format("the parent of the root {} is {}, not itself", vertex, parent);
  if (parent == vertex) return fmt::format("vertex {} is its own parent, but not the root", vertex);
  return fmt::format("the parents of vertex {} lead into a cycle", vertex);
}

std::string no_parent(Label vertex, Label parent, bool parent_in_graph)
{
  return fmt::format("the parent of vertex {} is {}, which is not in the {}", vertex, parent,
                     parent_in_graph ? "tree" : "graph");
}

std::string root_missing(Label root) { return fmt::format("the root {} is not in the tree", root); }

std::string joins_levels(Edge edge, std::int32_t source_level, std::int32_t target_level)
{
  return fmt::format("edge ({}, {}) joins levels {} and {}", edge.source, edge.target, source_level, target_level);
}

std::string too_deep(Label vertex, std::int32_t level, std::int64_t deepest)
{
  return fmt::format("vertex {} has level {}, beyond the depth limit {}", vertex, level, deepest);
}

std::string leaves_tree(Edge edge, bool source_in_tree)
{
  return fmt::format("edge ({}, {}) has {} in the tree but not {}", edge.source, edge.target,
                     source_in_tree ? edge.source : edge.target, source_in_tree ? edge.target : edge.source);
}

std::string not_an_edge(Label vertex, Label parent)
{
  return fmt::format("the parent of vertex {} is {}, but no edge joins them", vertex, parent);
}

}  // namespace sentences

Verdict broken(Verdict verdict, int rule, const std::string& what)
{
  verdict.broken_rule = rule;
  verdict.witness = fmt::format("rule {}: {}", rule, what);
  return verdict;
}

void refuse_root(const EdgeSource& source, Label root)
{
  fail(ErrorKind::usage, "the source {} is not in the graph {}", root, source.facts().name);
}

void refuse_size(const EdgeSource& source, std::uint64_t parents, std::uint64_t vertices)
{
  fail(ErrorKind::usage, "{} parents for the {} vertices of {}", parents, vertices, source.facts().name);
}

}  // namespace brushfire
