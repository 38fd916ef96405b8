#include "validate/witness.hpp"

#include <utility>

namespace brushfire {

Vertex root_of_request(const EdgeSource& source, const Labels& labels, Label root, std::uint64_t parents)
{
  auto const vertex = labels.find(root);
  if (!vertex) refuse_root(source, root);
  if (parents != labels.size()) refuse_size(source, parents, labels.size());
  return *vertex;
}

Witness::Witness(const EdgeSource& source, const Labels& labels, Vertex root, ParentOf parent, LevelOf level)
    : source_(source), labels_(labels), root_(root), parent_(std::move(parent)), level_(std::move(level))
{
}

std::string Witness::not_rooted(std::uint64_t v) const
{
  return sentences::not_rooted(label(v), parent(v), label(root_));
}

std::string Witness::no_parent(std::uint64_t v) const
{
  Label const parent = this->parent(v);
  return sentences::no_parent(label(v), parent, labels_.find(parent).has_value());
}

std::string Witness::root_missing() const { return sentences::root_missing(label(root_)); }

std::string Witness::joins_levels(std::uint64_t tuple) const
{
  Edge const edge = this->edge(tuple);
  return sentences::joins_levels(edge, level(edge.source), level(edge.target));
}

std::string Witness::too_deep(std::uint64_t v, std::int64_t deepest) const
{
  return sentences::too_deep(label(v), level_(static_cast<Vertex>(v)), deepest);
}

std::string Witness::leaves_tree(std::uint64_t tuple) const
{
  Edge const edge = this->edge(tuple);
  return sentences::leaves_tree(edge, level(edge.source) != unreached);
}

std::string Witness::not_an_edge(std::uint64_t v) const { return sentences::not_an_edge(label(v), parent(v)); }

Edge Witness::edge(std::uint64_t tuple) const
{
  Edge found{};
  source_.read(tuple, {&found, 1});
  return found;
}

}  // namespace brushfire
