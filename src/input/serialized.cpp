#include "input/serialized.hpp"

#include "base/error.hpp"
#include "input/symmetry.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <utility>

namespace brushfire {

namespace {

constexpr std::size_t header_bytes = 1 + 8 + 8;
constexpr std::int64_t most_vertices = std::numeric_limits<std::int32_t>::max();

// The header is 17 bytes long, so nothing behind it is aligned.
template <typename T>
T load(const std::byte* start, std::uint64_t index)
{
  T value;
  std::memcpy(&value, start + index * sizeof(T), sizeof(T));
  return value;
}

// Adjacency lists in a file: list u is neighbour(offset(u)) ... neighbour(offset(u + 1) - 1).
struct Lists {
  const std::byte* offsets = nullptr;
  const std::byte* neighbours = nullptr;
  std::uint64_t vertices = 0;
  std::uint64_t entries = 0;

  std::uint64_t offset(std::uint64_t vertex) const { return load<std::uint64_t>(offsets, vertex); }
  Label neighbour(std::uint64_t entry) const { return load<std::int32_t>(neighbours, entry); }
  static std::uint64_t bytes(std::uint64_t vertices, std::uint64_t entries) { return 8 * (vertices + 1) + 4 * entries; }

  // The vertex whose list holds an entry: the last one that starts at or before it.
  std::uint64_t vertex_of(std::uint64_t entry) const
  {
    std::uint64_t low = 0, high = vertices;  // offset(low) <= entry < offset(high)
    while (high - low > 1) {
      std::uint64_t const middle = low + (high - low) / 2;
      (offset(middle) <= entry ? low : high) = middle;
    }
    return low;
  }

  // Calls body(vertex, neighbour) for the entries [first, last).
  template <typename Body>
  void for_each(std::uint64_t first, std::uint64_t last, Body&& body) const
  {
    if (first == last) return;
    std::uint64_t vertex = vertex_of(first);
    for (std::uint64_t entry = first; entry < last; ++entry) {
      while (offset(vertex + 1) <= entry) ++vertex;
      body(static_cast<Label>(vertex), neighbour(entry));
    }
  }
};

void check_lists(const Lists& lists, const std::string& name, Team team)
{
  if (lists.offset(0) != 0 || lists.offset(lists.vertices) != lists.entries)
    fail(ErrorKind::input, "{}: damaged: its lists do not cover its {} entries", name, lists.entries);
  team.for_blocks(lists.vertices, 1 << 16, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t vertex = first; vertex < last; ++vertex)
      if (lists.offset(vertex) > lists.offset(vertex + 1))
        fail(ErrorKind::input, "{}: damaged: the list of vertex {} ends before it starts", name, vertex);
  });
  team.for_blocks(lists.entries, 1 << 16, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t entry = first; entry < last; ++entry)
      if (static_cast<std::uint64_t>(lists.neighbour(entry)) >= lists.vertices)
        fail(ErrorKind::input, "{}: damaged: entry {} is vertex {}, outside 0 ... {}", name, entry,
             lists.neighbour(entry), static_cast<Label>(lists.vertices) - 1);
  });
}

template <typename Hash>
std::uint64_t hash_sum(const Lists& lists, Team team, Hash&& hash)
{
  std::atomic<std::uint64_t> total{0};
  team.for_blocks(lists.entries, 1 << 16, [&](std::uint64_t first, std::uint64_t last, int) {
    std::uint64_t sum = 0;
    lists.for_each(first, last, [&](Label vertex, Label neighbour) { sum += hash(vertex, neighbour); });
    total.fetch_add(sum, std::memory_order_relaxed);  // read after the loop only
  });
  return total;
}

class SerializedEdges : public EdgeSource {
 public:
  SerializedEdges(EdgeFacts facts, Lists lists, Section<std::byte> bytes)
      : EdgeSource(std::move(facts)), lists_(lists), bytes_(std::move(bytes))
  {
  }

  void read(std::uint64_t first, std::span<Edge> out) const override
  {
    Edge* next = out.data();
    lists_.for_each(first, first + out.size(), [&](Label vertex, Label neighbour) { *next++ = {vertex, neighbour}; });
  }

 private:
  Lists lists_;
  Section<std::byte> bytes_;  // keeps alive what lists_ points to
};

}  // namespace

std::unique_ptr<EdgeSource> read_serialized(Section<std::byte> bytes, const std::string& name, Team team)
{
  if (bytes.size() < header_bytes) fail(ErrorKind::input, "{}: too short for a serialized graph", name);
  auto const flag = std::to_integer<int>(bytes[0]);
  auto const entries = load<std::int64_t>(bytes.data() + 1, 0);
  auto const vertices = load<std::int64_t>(bytes.data() + 1, 1);
  if (flag > 1 || entries < 0 || vertices < 0 || vertices > most_vertices)
    fail(ErrorKind::input, "{}: is not a serialized graph of the GAP benchmark: wrong header", name);

  // Bounded by the length of the file first, so that the sum below cannot overflow.
  bool const directed = flag == 1;
  auto const most = static_cast<std::int64_t>(bytes.size());
  Lists lists;
  lists.vertices = static_cast<std::uint64_t>(vertices);
  lists.entries = static_cast<std::uint64_t>(entries);
  std::uint64_t const list_bytes = Lists::bytes(lists.vertices, std::min(lists.entries, bytes.size()));
  std::uint64_t const promised = header_bytes + list_bytes * (directed ? 2 : 1);
  if (entries > most || promised > bytes.size())
    fail(ErrorKind::input, "{}: truncated: promises {} vertices and {} entries, but has only {} bytes", name, vertices,
         entries, bytes.size());
  if (promised < bytes.size()) fail(ErrorKind::input, "{}: has {} bytes behind its end", name, bytes.size() - promised);

  lists.offsets = bytes.data() + header_bytes;
  lists.neighbours = lists.offsets + 8 * (lists.vertices + 1);
  check_lists(lists, name, team);
  if (directed) {
    Lists inverse = lists;
    inverse.offsets = lists.offsets + list_bytes;
    inverse.neighbours = lists.neighbours + list_bytes;
    check_lists(inverse, name, team);
    if (hash_sum(lists, team, [](Label from, Label to) { return tuple_hash(from, to); }) !=
        hash_sum(inverse, team, [](Label to, Label from) { return tuple_hash(from, to); }))
      fail(ErrorKind::input, "{}: damaged: its second half is not the inverse of its first", name);
  }

  EdgeFacts facts;
  facts.name = name;
  facts.edges = lists.entries;
  facts.declared = LabelRange{0, lists.vertices};
  facts.directed = directed;
  facts.listed_twice = !directed;
  auto source = std::make_unique<SerializedEdges>(std::move(facts), lists, std::move(bytes));
  if (!directed) check_symmetric(*source, team);
  return source;
}

}  // namespace brushfire
