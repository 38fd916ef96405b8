// A graph before it is built: tuples, asked for by range. A generator computes them, a file holds them.
// Tuples are numbered 0 ... facts().edges-1 and never change; read() may be called from many threads.
#pragma once

#include <brushfire/types.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace brushfire {

struct Edge {
  Label source;
  Label target;
  friend bool operator==(const Edge&, const Edge&) = default;
};

struct LabelRange {
  Label first = 0;
  std::uint64_t count = 0;
};

struct EdgeFacts {
  std::string name;         // as the user gave it: "kron:20", "roads.el"
  std::uint64_t edges = 0;  // tuples, self-loops and duplicates included

  // The vertices there are whether or not an edge names them. Without it the vertices are the labels that occur.
  std::optional<LabelRange> declared;

  // Adjacency formats list every undirected edge twice, as (u,v) and as (v,u); edge lists do it once.
  bool listed_twice = false;

  // The source is a directed graph by its own word (an .sg file), whatever the user asks for.
  bool directed = false;

  // With listed_twice: a self-loop (u,u) is nevertheless listed once.
  bool loops_listed_once = false;

  // Memory the tuples take while the source lives: none where they are computed or mapped.
  std::uint64_t bytes_held = 0;
};

class EdgeSource {
 public:
  virtual ~EdgeSource() = default;
  EdgeSource(const EdgeSource&) = delete;
  EdgeSource& operator=(const EdgeSource&) = delete;

  const EdgeFacts& facts() const { return facts_; }

  // Fills `out` with the tuples first ... first + out.size() - 1.
  virtual void read(std::uint64_t first, std::span<Edge> out) const = 0;

 protected:
  explicit EdgeSource(EdgeFacts facts) : facts_(std::move(facts)) {}
  EdgeFacts facts_;
};

}  // namespace brushfire
