// A built layout seen from outside: as lists for a writer, as tuples for a validator.
#pragma once

#include "build/layout.hpp"
#include "input/edge_source.hpp"
#include "input/graph_listing.hpp"
#include "input/labels.hpp"

#include <memory>
#include <vector>

namespace brushfire {

// Both keep references: layout and labels must outlive them.
class LayoutListing final : public GraphListing {
 public:
  LayoutListing(const Layout& layout, const Labels& labels);
  const Labels& labels() const override { return labels_; }
  bool directed() const override { return layout_.directed; }
  std::uint64_t entries() const override { return layout_.entries(); }
  void neighbours(Vertex vertex, std::vector<Vertex>& out) const override { list(layout_.out, vertex, out); }
  void sources(Vertex vertex, std::vector<Vertex>& out) const override { list(layout_.in, vertex, out); }

 private:
  void list(const Adjacency& adjacency, Vertex vertex, std::vector<Vertex>& out) const;

  const Layout& layout_;
  const Labels& labels_;
  std::vector<Vertex> rank_of_;  // no_vertex for normal vertices; empty without delegates
};

// Every entry of the layout as a tuple, in the order it is stored.
class LayoutEdges final : public EdgeSource {
 public:
  LayoutEdges(std::string name, const Layout& layout, const Labels& labels);
  void read(std::uint64_t first, std::span<Edge> out) const override;

 private:
  EdgeIndex start_of(std::uint64_t row) const;

  const Layout& layout_;
  const Labels& labels_;
};

}  // namespace brushfire
