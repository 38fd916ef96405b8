#include "validate/witness.hpp"

#include "base/error.hpp"

#include <utility>

namespace brushfire {

Vertex root_of_request(const EdgeSource& source, const Labels& labels, Label root, std::uint64_t parents)
{
  auto const vertex = labels.find(root);
  if (!vertex) fail(ErrorKind::usage, "the source {} is not in the graph {}", root, source.facts().name);
  if (parents != labels.size())
    fail(ErrorKind::usage, "{} parents for the {} vertices of {}", parents, labels.size(), source.facts().name);
  return *vertex;
}

Witness::Witness(const EdgeSource& source, const Labels& labels, Vertex root, ParentOf parent, LevelOf level)
    : source_(source), labels_(labels), root_(root), parent_(std::move(parent)), level_(std::move(level))
{
}

std::string Witness::not_rooted(std::uint64_t v) const
{
  if (v == root_) return fmt::format("the parent of the root {} is {}, not itself", label(v), parent(v));
  if (parent(v) == label(v)) return fmt::format("vertex {} is its own parent, but not the root", label(v));
  return fmt::format("the parents of vertex {} lead into a cycle", label(v));
}

std::string Witness::no_parent(std::uint64_t v) const
{
  Label const parent = this->parent(v);
  return fmt::format("the parent of vertex {} is {}, which is not in the {}", label(v), parent,
                     labels_.find(parent) ? "tree" : "graph");
}

std::string Witness::root_missing() const { return fmt::format("the root {} is not in the tree", label(root_)); }

std::string Witness::joins_levels(std::uint64_t tuple) const
{
  Edge const edge = this->edge(tuple);
  return fmt::format("edge ({}, {}) joins levels {} and {}", edge.source, edge.target, level(edge.source),
                     level(edge.target));
}

std::string Witness::too_deep(std::uint64_t v, std::int64_t deepest) const
{
  return fmt::format("vertex {} has level {}, beyond the depth limit {}", label(v), level_(static_cast<Vertex>(v)),
                     deepest);
}

std::string Witness::leaves_tree(std::uint64_t tuple) const
{
  Edge const edge = this->edge(tuple);
  bool const outwards = level(edge.target) == unreached;
  return fmt::format("edge ({}, {}) has {} in the tree but not {}", edge.source, edge.target,
                     outwards ? edge.source : edge.target, outwards ? edge.target : edge.source);
}

std::string Witness::not_an_edge(std::uint64_t v) const
{
  return fmt::format("the parent of vertex {} is {}, but no edge joins them", label(v), parent(v));
}

Edge Witness::edge(std::uint64_t tuple) const
{
  Edge found{};
  source_.read(tuple, {&found, 1});
  return found;
}

Verdict broken(Verdict verdict, int rule, const std::string& what)
{
  verdict.broken_rule = rule;
  verdict.witness = fmt::format("rule {}: {}", rule, what);
  return verdict;
}

}  // namespace brushfire
