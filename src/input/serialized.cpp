#include "input/serialized.hpp"

#include "base/error.hpp"
#include "input/compressed.hpp"
#include "input/stored_edges.hpp"
#include "input/symmetry.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

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

struct Header {
  bool directed = false;
  std::uint64_t vertices = 0;
  std::uint64_t entries = 0;
};

// `start` is the start of a file of `size` bytes.
Header parse_header(std::span<const std::byte> start, std::uint64_t size, const std::string& name)
{
  if (size < header_bytes) fail(ErrorKind::input, "{}: too short for a serialized graph", name);
  auto const flag = std::to_integer<int>(start[0]);
  auto const entries = load<std::int64_t>(start.data() + 1, 0);
  auto const vertices = load<std::int64_t>(start.data() + 1, 1);
  if (flag > 1 || entries < 0 || vertices < 0 || vertices > most_vertices)
    fail(ErrorKind::input, "{}: is not a serialized graph of the GAP benchmark: wrong header", name);

  // Bounded by the length of the file first, so that the sum below cannot overflow.
  Header const header{flag == 1, static_cast<std::uint64_t>(vertices), static_cast<std::uint64_t>(entries)};
  std::uint64_t const list_bytes = Lists::bytes(header.vertices, std::min(header.entries, size));
  std::uint64_t const promised = header_bytes + list_bytes * (header.directed ? 2 : 1);
  if (header.entries > size || promised > size)
    fail(ErrorKind::input, "{}: truncated: promises {} vertices and {} entries, but has only {} bytes", name, vertices,
         entries, size);
  if (promised < size) fail(ErrorKind::input, "{}: has {} bytes behind its end", name, size - promised);
  return header;
}

void check_neighbour(std::uint64_t entry, Label neighbour, std::uint64_t vertices, const std::string& name)
{
  if (static_cast<std::uint64_t>(neighbour) >= vertices)
    fail(ErrorKind::input, "{}: damaged: entry {} is vertex {}, outside 0 ... {}", name, entry, neighbour,
         static_cast<Label>(vertices) - 1);
}

[[noreturn]] void refuse_cover(std::uint64_t entries, const std::string& name)
{
  fail(ErrorKind::input, "{}: damaged: its lists do not cover its {} entries", name, entries);
}

[[noreturn]] void refuse_list(std::uint64_t vertex, const std::string& name)
{
  fail(ErrorKind::input, "{}: damaged: the list of vertex {} ends before it starts", name, vertex);
}

// Calls body(first, last) until the share's part of `count` things is covered.
template <typename Body>
void for_blocks_of(Share share, std::uint64_t count, Team team, Body&& body)
{
  auto const [begin, end] = share.of(count);
  team.for_blocks(end - begin, 1 << 16, [&, begin = begin](std::uint64_t first, std::uint64_t last, int) {
    body(begin + first, begin + last);
  });
}

// As much of the lists as falls to a share. Nobody looks outside the lists when the part of another is damaged: they
// start at 0 and end at the number of entries.
void check_lists(const Lists& lists, const std::string& name, Team team, Share share)
{
  if (lists.offset(0) != 0 || lists.offset(lists.vertices) != lists.entries) refuse_cover(lists.entries, name);
  for_blocks_of(share, lists.vertices, team, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t vertex = first; vertex < last; ++vertex)
      if (lists.offset(vertex) > lists.offset(vertex + 1)) refuse_list(vertex, name);
  });
  for_blocks_of(share, lists.entries, team, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t entry = first; entry < last; ++entry)
      check_neighbour(entry, lists.neighbour(entry), lists.vertices, name);
  });
}

template <typename Hash>
std::uint64_t hash_sum(const Lists& lists, Team team, Share share, Hash&& hash)
{
  std::atomic<std::uint64_t> total{0};
  for_blocks_of(share, lists.entries, team, [&](std::uint64_t first, std::uint64_t last) {
    std::uint64_t sum = 0;
    lists.for_each(first, last, [&](Label vertex, Label neighbour) { sum += hash(vertex, neighbour); });
    total.fetch_add(sum, std::memory_order_relaxed);  // read after the loop only
  });
  return total;
}

class SerializedEdges : public EdgeSource {
 public:
  SerializedEdges(EdgeFacts facts, Lists lists, std::uint64_t first_entry, Section<std::byte> bytes)
      : EdgeSource(std::move(facts)), lists_(lists), first_entry_(first_entry), bytes_(std::move(bytes))
  {
  }

  void read(std::uint64_t first, std::span<Edge> out) const override
  {
    Edge* next = out.data();
    first += first_entry_;
    lists_.for_each(first, first + out.size(), [&](Label vertex, Label neighbour) { *next++ = {vertex, neighbour}; });
  }

 private:
  Lists lists_;
  std::uint64_t first_entry_;
  Section<std::byte> bytes_;  // keeps alive what lists_ points to
};

// Adjacency lists that arrive as a stream: the offsets, then the neighbours. Of the offsets only those of lists that
// hold entries of the share are kept.
class ListsInPassing {
 public:
  ListsInPassing(const Header& header, Share share, const std::string& name)
      : vertices_(header.vertices), entries_(header.entries), own_(share.of(header.entries)), name_(name)
  {
  }

  std::size_t next_bytes() const { return offsets_ <= vertices_ ? 8 : 4; }
  bool done() const { return offsets_ > vertices_ && entry_ == entries_; }

  // Takes next_bytes() bytes, and calls body(vertex, neighbour) when they are an entry of the share.
  template <typename Body>
  void take(const std::byte* bytes, Body&& body)
  {
    if (offsets_ <= vertices_) {
      take_offset(load<std::uint64_t>(bytes, 0));
      return;
    }
    std::uint64_t const entry = entry_++;
    if (entry < own_.first || entry >= own_.second) return;
    Label const neighbour = load<std::int32_t>(bytes, 0);
    check_neighbour(entry, neighbour, vertices_, name_);
    while (rows_[row_].end <= entry) ++row_;
    body(rows_[row_].vertex, neighbour);
  }

 private:
  struct Row {
    Label vertex;
    std::uint64_t end;
  };

  void take_offset(std::uint64_t offset)
  {
    std::uint64_t const start = std::exchange(last_offset_, offset);
    std::uint64_t const vertex = offsets_++ - 1;  // whose list ends here
    if (offsets_ == 1) {
      starts_at_zero_ = offset == 0;
    } else if (offset < start) {
      if (!damaged_) damaged_ = vertex;
    } else if (start < offset && start < own_.second && offset > own_.first) {
      rows_.push_back({static_cast<Label>(vertex), offset});
    }
    if (offsets_ <= vertices_) return;
    if (!starts_at_zero_ || offset != entries_) refuse_cover(entries_, name_);
    if (damaged_) refuse_list(*damaged_, name_);
  }

  std::uint64_t vertices_, entries_;
  std::pair<std::uint64_t, std::uint64_t> own_;
  const std::string& name_;
  std::uint64_t offsets_ = 0, last_offset_ = 0;
  bool starts_at_zero_ = false;
  std::optional<std::uint64_t> damaged_;
  std::vector<Row> rows_;
  std::size_t row_ = 0;
  std::uint64_t entry_ = 0;
};

// Calls field(bytes) for one field of a packed file after the other; next_bytes() says how long the next one is.
template <typename NextBytes, typename Field>
void for_each_field(std::span<const std::byte> packed, const std::string& name, NextBytes&& next_bytes, Field&& field)
{
  std::vector<std::byte> waiting;  // a field may lie across two chunks
  unpack_in_chunks(packed, name, [&](std::span<const std::byte> chunk) {
    waiting.insert(waiting.end(), chunk.begin(), chunk.end());
    std::size_t at = 0;
    for (std::size_t size = next_bytes(); at + size <= waiting.size(); size = next_bytes()) {
      field(waiting.data() + at);
      at += size;
    }
    waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(at));
    return true;
  });
}

EdgeFacts facts_of(const Header& header, std::uint64_t edges, const std::string& name)
{
  EdgeFacts facts;
  facts.name = name;
  facts.edges = edges;
  facts.declared = LabelRange{0, header.vertices};
  facts.directed = header.directed;
  facts.listed_twice = !header.directed;
  return facts;
}

std::unique_ptr<FileShare> share_of(std::unique_ptr<EdgeSource> tuples, const Header& header, Share share,
                                    const Tally& tally)
{
  auto const check = [](const Tally& all, EdgeFacts& facts) {
    if (facts.directed && all.imbalance != 0)
      fail(ErrorKind::input, "{}: damaged: its second half is not the inverse of its first", facts.name);
  };
  auto source =
      std::make_unique<FileShare>(std::move(tuples), share, tally, Promise{check, /*symmetric=*/!header.directed});
  source->starts_at(share.of(header.entries).first);
  return source;
}

}  // namespace

std::unique_ptr<FileShare> read_serialized(Section<std::byte> bytes, const std::string& name, Team team, Share share)
{
  Header const header = parse_header(bytes.span(), bytes.size(), name);
  Lists lists;
  lists.vertices = header.vertices;
  lists.entries = header.entries;
  lists.offsets = bytes.data() + header_bytes;
  lists.neighbours = lists.offsets + 8 * (lists.vertices + 1);
  check_lists(lists, name, team, share);
  auto const [first, last] = share.of(lists.entries);
  Tally tally{.entries = last - first};
  if (header.directed) {
    std::uint64_t const list_bytes = Lists::bytes(lists.vertices, lists.entries);
    Lists inverse = lists;
    inverse.offsets = lists.offsets + list_bytes;
    inverse.neighbours = lists.neighbours + list_bytes;
    check_lists(inverse, name, team, share);
    tally.imbalance = hash_sum(lists, team, share, [](Label from, Label to) { return tuple_hash(from, to); }) -
                      hash_sum(inverse, team, share, [](Label to, Label from) { return tuple_hash(from, to); });
  }
  auto tuples = std::make_unique<SerializedEdges>(facts_of(header, last - first, name), lists, first, std::move(bytes));
  if (!header.directed) tally.imbalance = imbalance_of(*tuples, team);
  return share_of(std::move(tuples), header, share, tally);
}

std::unique_ptr<FileShare> read_packed_serialized(std::span<const std::byte> packed, const std::string& name, Team team,
                                                  Share share)
{
  std::vector<std::byte> start;
  std::uint64_t size = 0;
  unpack_in_chunks(packed, name, [&](std::span<const std::byte> chunk) {
    if (size == 0) start.assign(chunk.begin(), chunk.begin() + std::min(chunk.size(), header_bytes));
    size += chunk.size();
    return true;
  });
  Header const header = parse_header(start, size, name);

  ListsInPassing lists(header, share, name), inverse(header, share, name);
  std::vector<StoredPiece> pieces;
  std::vector<Edge> edges;
  auto const store = [&](std::size_t least) {
    if (edges.size() < least) return;
    pieces.emplace_back(edges);
    edges.clear();
  };
  Tally tally;
  std::size_t next = header_bytes;
  for_each_field(
      packed, name, [&] { return next; },
      [&](const std::byte* field) {
        if (next == header_bytes) {
          next = lists.next_bytes();
          return;
        }
        if (!lists.done()) {
          lists.take(field, [&](Label from, Label to) {
            if (header.directed) tally.imbalance += tuple_hash(from, to);
            edges.push_back({from, to});
            store(1 << 20);
          });
        } else {
          inverse.take(field, [&](Label to, Label from) { tally.imbalance -= tuple_hash(from, to); });
        }
        next = lists.done() ? inverse.next_bytes() : lists.next_bytes();
      });
  store(1);
  tally.entries = tuples_in(pieces);
  auto tuples = std::make_unique<StoredEdges>(facts_of(header, 0, name), std::move(pieces));
  if (!header.directed) tally.imbalance = imbalance_of(*tuples, team);
  return share_of(std::move(tuples), header, share, tally);
}

}  // namespace brushfire
