// Arrays of the caller's as an EdgeSource: tuples are made of them in each pass, and nothing is copied. All labels and
// offsets are looked at once, when the source is made, so that no pass meets one that it cannot use.
//
// Where they lie in the memory of the GPU that searches, they are looked at there, and whoever builds there reads them
// where they are; read() brings over what it is asked for.
#pragma once

#include "base/buffer.hpp"
#include "base/parallel.hpp"
#include "input/edge_source.hpp"

#include <brushfire/arrays.hpp>

#include <memory>
#include <optional>

namespace brushfire {

// Edges, or compressed rows, in the memory of a GPU.
struct ArraysOnGpu {
  IntegersView sources;  // offsets, where they are rows
  IntegersView targets;
  bool are_rows = false;
};

// What a look at all tuples told.
struct LookOnGpu {
  // The least and the largest label, or number of a row; unsigned ones past the largest label are negative.
  Label first = 0, largest = 0;
  bool all_occur = false;       // between those two; where asked for
  std::uint64_t imbalance = 0;  // see symmetry.hpp
};
LookOnGpu look_on_gpu(const ArraysOnGpu& arrays, bool for_gaps);  // there is at least one tuple

class ArraysOfCaller : public EdgeSource {
 public:
  virtual std::optional<ArraysOnGpu> on_gpu() const = 0;

 protected:
  ArraysOfCaller() : EdgeSource({}) {}
};

// An array from the memory of any GPU, in `bytes`.
IntegersView brought_to_host(const IntegersView& array, Buffer<std::byte>& bytes);

// Both throw Error(usage) for arrays of lengths that do not fit, Error(input) for what they hold.
std::unique_ptr<EdgeSource> tuples_of_edges(const EdgeArrays& edges, Team team);
// Of an undirected graph it is also found out whether every edge stands in the lists of both its ends.
std::unique_ptr<EdgeSource> tuples_of_rows(const CsrArrays& rows, bool directed, Team team);

}  // namespace brushfire
