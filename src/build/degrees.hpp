// The first pass over the tuples: how many touch each vertex, self-loops not counted.
#pragma once

#include "base/buffer.hpp"
#include "base/parallel.hpp"
#include "input/edge_source.hpp"
#include "input/labels.hpp"

#include <brushfire/facts.hpp>
#include <brushfire/progress.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace brushfire {

struct Degrees {
  Buffer<std::uint32_t> out;  // of an undirected graph: every tuple at both of its ends
  Buffer<std::uint32_t> in;   // of a directed graph only
  std::uint64_t self_loops = 0;

  std::uint64_t total(Vertex vertex) const { return std::uint64_t{out[vertex]} + (in.size() != 0 ? in[vertex] : 0); }
};

// Where devices share a graph: of the vertices that live here, with the tuples of all devices counted; the self-loops
// are those of the tuples that this device has read.
struct OwnDegrees {
  Degrees degrees;
  std::uint64_t tuples = 0;  // that it has read
};

// Throws Error(failure) when a vertex has more than 2^32-1 tuples.
Degrees count_degrees(const EdgeSource& source, const Labels& labels, bool directed, Team team, Progress& progress);

// The chosen threshold makes at most one vertex in so many a delegate.
inline constexpr std::uint64_t least_vertices_per_delegate = 16;

// How many vertices have each degree, and what their degrees sum to. Degrees below 4096 have a bin each. Higher ones
// share bins of a 256th of a power of two: thousands of devices can hold so few delegates each that the threshold lies
// in there. Degrees have 33 bits, for out and in are added; any longer share the last bin.
struct DegreeHistogram {
  static constexpr int log_first_shared = 12, log_bins_of_power = 8;
  static constexpr std::uint64_t first_shared = 1 << log_first_shared;  // the lowest degree that shares a bin
  static constexpr std::size_t bins_of_power = 1 << log_bins_of_power;
  static constexpr std::size_t size = first_shared + bins_of_power * (33 - log_first_shared);

  static constexpr std::size_t bin_of(std::uint64_t degree)
  {
    if (degree < first_shared) return degree;
    int const power = static_cast<int>(std::bit_width(degree)) - 1;
    std::size_t const in_power = (degree >> (power - log_bins_of_power)) - bins_of_power;
    return std::min(first_shared + bins_of_power * static_cast<std::size_t>(power - log_first_shared) + in_power,
                    size - 1);
  }
  static constexpr std::uint64_t first_degree_of(std::size_t bin)
  {
    if (bin < first_shared) return bin;
    std::size_t const shared = bin - first_shared;
    return (bins_of_power + shared % bins_of_power) << (shared / bins_of_power + log_first_shared - log_bins_of_power);
  }

  struct Bin {
    std::uint64_t vertices = 0, degree_sum = 0;
    Bin& operator+=(const Bin& other);
  };
  std::vector<Bin> bins = std::vector<Bin>(size);

  void add(std::uint64_t degree, std::uint64_t vertices) { bins[bin_of(degree)] += {vertices, degree * vertices}; }
  Bin all() const;
  Bin above(std::uint64_t threshold) const;  // of bins that begin above it
};

// The lowest threshold that makes at most `delegates_allowed` delegates, and one vertex in so many; plain_threshold
// when the graph has no hubs worth separating.
std::uint64_t choose_threshold(const DegreeHistogram& histogram, std::uint64_t delegates_allowed);

// What a threshold makes of a graph.
struct Separation {
  std::uint64_t threshold = plain_threshold;
  double delegates = 0;
  // List entries between normal vertices, if ends meet at random: the share of edges between them is the square of
  // their share of ends. (Measured on kron 26, threshold 64: 2.1 % by this rule, 1.9 % counted.)
  double normal_entries = 0;
};
Separation separation_at(std::uint64_t threshold, const DegreeHistogram& histogram);
// By rising threshold, all that leave a delegate; one for each bin of the histogram.
std::vector<Separation> separations_of(const DegreeHistogram& histogram);

// What `devices` send each other in a search: the masks of d delegates in S' levels and the edges between normal
// vertices, d p/4 S' + 4 |Enn| bytes (Pan, Pearce and Owens, section V).
double bytes_to_send(const Separation& separation, int devices);

// The threshold for a graph that `devices` share: it makes what they send each other least, with d <= 4n/p. One for
// degrees that share bins is taken only where no lower one leaves as few delegates.
std::uint64_t choose_threshold_of_parts(const DegreeHistogram& histogram, int devices);

DegreeHistogram histogram_of(std::span<const std::uint32_t> out, std::span<const std::uint32_t> in, Team team);

// The threshold above which a vertex becomes a delegate on one device: the lowest one whose delegate bits fit
// the fast memory. plain_threshold when the graph has no hubs worth separating.
// `in` is empty for an undirected graph.
std::uint64_t choose_threshold(std::span<const std::uint32_t> out, std::span<const std::uint32_t> in, Team team);

}  // namespace brushfire
