#include "input/caller_arrays.hpp"

#include "base/error.hpp"
#include "device/gpus.hpp"
#include "input/edge_blocks.hpp"
#include "input/symmetry.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace brushfire {

namespace {

// An array of a known type. Nothing promises that its integers are aligned.
template <typename Integer>
struct Column {
  const std::byte* first;
  std::ptrdiff_t stride;

  Label operator[](std::uint64_t index) const
  {
    Integer value;
    std::memcpy(&value, first + static_cast<std::ptrdiff_t>(index) * stride, sizeof(Integer));
    return static_cast<Label>(value);  // unsigned ones past the largest label become negative, and are refused as such
  }
};

// Calls body(column): the type is asked for once, not for every integer.
template <typename Body>
void with_type(const IntegersView& array, Body&& body)
{
  auto const* const first = static_cast<const std::byte*>(array.first());
  if (array.bytes() == 8)
    body(Column<std::int64_t>{first, array.stride()});
  else if (array.is_signed())
    body(Column<std::int32_t>{first, array.stride()});
  else
    body(Column<std::uint32_t>{first, array.stride()});
}

// Some integers of an array in the memory of a GPU: the bytes that they cover are brought to where room(bytes) says.
template <typename Room>
IntegersView bring_over(const IntegersView& array, std::uint64_t first, std::uint64_t count, Room&& room)
{
  auto const* const start =
      static_cast<const std::byte*>(array.first()) + static_cast<std::ptrdiff_t>(first) * array.stride();
  std::ptrdiff_t const length = count == 0 ? 0 : static_cast<std::ptrdiff_t>(count - 1) * array.stride();
  std::ptrdiff_t const before = std::max<std::ptrdiff_t>(-length, 0);  // of a stride that goes back
  auto const bytes = count == 0 ? 0 : static_cast<std::size_t>(std::abs(length) + array.bytes());
  std::byte* const place = room(bytes);
  if (bytes != 0) device::copy_from_gpu(place, start - before, bytes);
  auto const view = [&]<typename Integer>(Integer) {
    return IntegersView(reinterpret_cast<const Integer*>(place + before), count, array.stride());
  };
  if (array.bytes() == 8) return array.is_signed() ? view(std::int64_t{}) : view(std::uint64_t{});
  return array.is_signed() ? view(std::int32_t{}) : view(std::uint32_t{});
}

void read_ends(const IntegersView& array, std::uint64_t first, std::span<Edge> out, Label Edge::*end)
{
  auto const take = [&](const IntegersView& some, std::uint64_t from) {
    with_type(some, [&](auto column) {
      for (std::size_t at = 0; at < out.size(); ++at) out[at].*end = column[from + at];
    });
  };
  if (!array.is_on_gpu()) return take(array, first);
  std::vector<std::byte> bytes;
  take(bring_over(array, first, out.size(), [&](std::size_t size) { return bytes.resize(size), bytes.data(); }), 0);
}

std::string text_of(Label label, const IntegersView& array)
{
  return array.is_signed() ? fmt::format("{}", label) : fmt::format("{}", static_cast<std::uint64_t>(label));
}

// Labels are checked once, and read again for every pass: a caller who changes them meanwhile gets an error, not a
// place outside of our arrays.
class CheckedArrays : public ArraysOfCaller {
 public:
  void labels_were_checked() { checked_ = true; }

 protected:
  void expect_labels(std::span<const Edge> edges) const
  {
    Label signs = 0;
    for (const Edge& edge : edges) signs |= edge.source | edge.target;
    if (checked_ && signs < 0) fail(ErrorKind::input, "{}: its arrays were changed after it was made", facts_.name);
  }

 private:
  bool checked_ = false;
};

class EdgesOfCaller final : public CheckedArrays {
 public:
  explicit EdgesOfCaller(const EdgeArrays& edges) : edges_(edges)
  {
    facts_.name = edges.name;
    facts_.edges = edges.sources.size();
    if (edges.vertices) facts_.declared = LabelRange{0, *edges.vertices};
  }

  void read(std::uint64_t first, std::span<Edge> out) const override
  {
    read_ends(edges_.sources, first, out, &Edge::source);
    read_ends(edges_.targets, first, out, &Edge::target);
    expect_labels(out);
  }

  std::optional<ArraysOnGpu> on_gpu() const override
  {
    if (!edges_.sources.is_on_gpu() || !edges_.targets.is_on_gpu() || edges_.targets.size() == 0) return std::nullopt;
    return ArraysOnGpu{edges_.sources, edges_.targets};
  }
  void declare(LabelRange range) { facts_.declared = range; }

 private:
  EdgeArrays edges_;  // and with it their owner
};

class RowsOfCaller final : public CheckedArrays {
 public:
  // The offsets have been checked: they rise from 0 to the number of entries. `rows` has them on the host.
  RowsOfCaller(const CsrArrays& rows, const IntegersView& offsets_on_gpu, std::uint64_t entries)
      : rows_(rows), offsets_on_gpu_(offsets_on_gpu)
  {
    facts_.name = rows.name;
    facts_.edges = entries;
    facts_.declared = LabelRange{0, rows.offsets.size() - 1};
  }

  void read(std::uint64_t first, std::span<Edge> out) const override
  {
    read_ends(rows_.targets, first, out, &Edge::target);
    with_type(rows_.offsets, [&](auto offsets) {
      std::uint64_t vertex = row_of(first, offsets);
      for (std::size_t at = 0; at < out.size(); ++at) {
        while (vertex + 2 < rows_.offsets.size() && offsets[vertex + 1] <= static_cast<Label>(first + at)) ++vertex;
        out[at].source = static_cast<Label>(vertex);
      }
    });
    expect_labels(out);
  }

  std::optional<ArraysOnGpu> on_gpu() const override
  {
    if (!offsets_on_gpu_.is_on_gpu() || !rows_.targets.is_on_gpu() || rows_.targets.size() == 0) return std::nullopt;
    return ArraysOnGpu{offsets_on_gpu_, rows_.targets, true};
  }

  void count_both_ways()
  {
    facts_.listed_twice = true;
    facts_.loops_listed_once = true;  // the diagonal of a matrix
  }

 private:
  // The last row that starts at or before an entry.
  template <typename Offsets>
  std::uint64_t row_of(std::uint64_t entry, Offsets offsets) const
  {
    std::uint64_t low = 0, high = rows_.offsets.size() - 1;
    while (high - low > 1) {
      std::uint64_t const middle = low + (high - low) / 2;
      (offsets[middle] <= static_cast<Label>(entry) ? low : high) = middle;
    }
    return low;
  }

  CsrArrays rows_;
  IntegersView offsets_on_gpu_;
};

// -1: of no vertices. Who says that there are more than labels is refused for that later.
Label largest_of(const EdgeFacts& facts)
{
  constexpr auto most = static_cast<std::uint64_t>(largest_label);
  return facts.declared && facts.declared->count <= most ? static_cast<Label>(facts.declared->count) - 1
                                                         : largest_label;
}
bool is_label(const EdgeSource& source, Label label) { return label >= 0 && label <= largest_of(source.facts()); }

// Throws for the label of a tuple that can be none of a vertex. `what` is a tuple: "edge", "entry".
void check_labels(const EdgeSource& source, const IntegersView& sources, const IntegersView& targets, const char* what,
                  Team team)
{
  const EdgeFacts& facts = source.facts();
  Label const largest = largest_of(facts);
  for_each_edge_block(source, team, Progress::none(), [&](std::uint64_t first, std::span<const Edge> edges, int) {
    auto const check = [&](std::size_t at, Label label, const IntegersView& array) {
      if (label >= 0 && largest < 0)
        fail(ErrorKind::input, "{}: {} {} names vertex {}, and there are no vertices", facts.name, what, first + at,
             text_of(label, array));
      if (label < 0 || label > largest)
        fail(ErrorKind::input, "{}: {} {} names vertex {}, outside 0 ... {}", facts.name, what, first + at,
             text_of(label, array), largest);
    };
    for (std::size_t at = 0; at < edges.size(); ++at) {
      check(at, edges[at].source, sources);
      check(at, edges[at].target, targets);
    }
  });
}

// The number of entries that the offsets cover.
std::uint64_t check_offsets(const CsrArrays& rows, Team team)
{
  std::uint64_t entries = 0;
  with_type(rows.offsets, [&](auto offsets) {
    std::uint64_t const vertices = rows.offsets.size() - 1;
    if (offsets[0] != 0)
      fail(ErrorKind::input, "{}: the first offset is {}, and must be 0", rows.name, text_of(offsets[0], rows.offsets));
    team.for_blocks(vertices, 1 << 16, [&](std::uint64_t first, std::uint64_t last, int) {
      for (std::uint64_t vertex = first; vertex < last; ++vertex)
        if (offsets[vertex + 1] < offsets[vertex])
          fail(ErrorKind::input, "{}: the offsets are out of order: row {} starts at {} and ends at {}", rows.name,
               vertex, text_of(offsets[vertex], rows.offsets), text_of(offsets[vertex + 1], rows.offsets));
    });
    entries = static_cast<std::uint64_t>(offsets[vertices]);
  });
  if (entries != rows.targets.size())
    fail(ErrorKind::input, "{}: the last offset is {}, and there are {} targets", rows.name, entries,
         rows.targets.size());
  return entries;
}

}  // namespace

IntegersView brought_to_host(const IntegersView& array, Buffer<std::byte>& bytes)
{
  return bring_over(array, 0, array.size(), [&](std::size_t size) {
    bytes = Buffer<std::byte>(size);
    return bytes.data();
  });
}

std::unique_ptr<EdgeSource> tuples_of_edges(const EdgeArrays& edges, Team team)
{
  if (edges.sources.size() != edges.targets.size())
    fail(ErrorKind::usage, "{}: {} sources and {} targets; an edge has one of each", edges.name, edges.sources.size(),
         edges.targets.size());
  auto source = std::make_unique<EdgesOfCaller>(edges);
  if (auto const there = source->on_gpu()) {
    LookOnGpu const seen = look_on_gpu(*there, !edges.vertices);
    if (!is_label(*source, seen.first) || !is_label(*source, seen.largest))
      check_labels(*source, edges.sources, edges.targets, "edge", team);  // names one that is none
    if (seen.all_occur) source->declare({seen.first, static_cast<std::uint64_t>(seen.largest - seen.first) + 1});
  } else {
    check_labels(*source, edges.sources, edges.targets, "edge", team);
  }
  source->labels_were_checked();
  return source;
}

std::unique_ptr<EdgeSource> tuples_of_rows(const CsrArrays& given, bool directed, Team team)
{
  if (given.offsets.size() == 0)
    fail(ErrorKind::usage, "{}: there are no offsets; the rows of n vertices have n+1", given.name);
  CsrArrays rows = given;
  if (rows.offsets.is_on_gpu()) {  // they are few, and all are looked at
    auto const held = std::make_shared<std::pair<Buffer<std::byte>, std::shared_ptr<const void>>>();
    held->second = rows.owner;
    rows.offsets = brought_to_host(given.offsets, held->first);
    rows.owner = held;
  }
  auto source = std::make_unique<RowsOfCaller>(rows, given.offsets, check_offsets(rows, team));
  bool both_ways = false;
  if (auto const there = source->on_gpu()) {
    LookOnGpu const seen = look_on_gpu(*there, false);
    if (!is_label(*source, seen.first) || !is_label(*source, seen.largest))
      check_labels(*source, rows.targets, rows.targets, "entry", team);
    both_ways = seen.imbalance == 0;
  } else {
    check_labels(*source, rows.targets, rows.targets, "entry", team);
    both_ways = !directed && imbalance_of(*source, team) == 0;
  }
  source->labels_were_checked();
  if (!directed && both_ways) source->count_both_ways();
  return source;
}

}  // namespace brushfire
