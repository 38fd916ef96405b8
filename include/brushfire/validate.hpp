// The verdict on a parent array.
#pragma once

#include <brushfire/types.hpp>

#include <cstdint>
#include <string>

#pragma GCC visibility push(default)
namespace brushfire {

// A parent array indexed by Vertex, kept in 32 or 64 bits; values are labels, -1 outside the tree.
class ParentsView {
 public:
  ParentsView() = default;
  ParentsView(const std::int64_t* parents, std::uint64_t size) : wide_(parents), size_(size) {}
  ParentsView(const std::int32_t* parents, std::uint64_t size) : narrow_(parents), size_(size) {}
  Label operator[](std::uint64_t vertex) const { return narrow_ != nullptr ? narrow_[vertex] : wide_[vertex]; }
  std::uint64_t size() const { return size_; }
  int bits() const { return narrow_ != nullptr ? 32 : 64; }

 private:
  const std::int64_t* wide_ = nullptr;
  const std::int32_t* narrow_ = nullptr;
  std::uint64_t size_ = 0;
};

struct Verdict {
  int broken_rule = 0;        // 1 ... 5 as numbered by the Graph500 specification, 0 when all hold
  std::string witness;        // one line naming the vertex or edge that breaks it
  std::uint64_t reached = 0;  // vertices in the tree
  std::int64_t depth = 0;     // largest level
  std::uint64_t nedge = 0;    // tuples with both ends in the tree, duplicates counted, self-loops not
  bool valid() const { return broken_rule == 0; }
};

}  // namespace brushfire
#pragma GCC visibility pop
