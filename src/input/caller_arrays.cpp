#include "input/caller_arrays.hpp"

#include "base/error.hpp"
#include "input/edge_blocks.hpp"
#include "input/symmetry.hpp"

#include <cstring>
#include <string>
#include <utility>

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

void read_ends(const IntegersView& array, std::uint64_t first, std::span<Edge> out, Label Edge::*end)
{
  with_type(array, [&](auto column) {
    for (std::size_t at = 0; at < out.size(); ++at) out[at].*end = column[first + at];
  });
}

std::string text_of(Label label, const IntegersView& array)
{
  return array.is_signed() ? fmt::format("{}", label) : fmt::format("{}", static_cast<std::uint64_t>(label));
}

// Labels are checked once, and read again for every pass: a caller who changes them meanwhile gets an error, not a
// place outside of our arrays.
class ArraysOfCaller : public EdgeSource {
 public:
  ArraysOfCaller() : EdgeSource({}) {}
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

class EdgesOfCaller final : public ArraysOfCaller {
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

 private:
  EdgeArrays edges_;  // and with it their owner
};

class RowsOfCaller final : public ArraysOfCaller {
 public:
  // The offsets have been checked: they rise from 0 to the number of entries.
  RowsOfCaller(const CsrArrays& rows, std::uint64_t entries) : rows_(rows)
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
};

// Throws for the label of a tuple that can be none of a vertex. `what` is a tuple: "edge", "entry".
void check_labels(const EdgeSource& source, const IntegersView& sources, const IntegersView& targets, const char* what,
                  Team team)
{
  const EdgeFacts& facts = source.facts();
  Label const largest = facts.declared ? static_cast<Label>(facts.declared->count) - 1 : largest_label;
  for_each_edge_block(source, team, Progress::none(), [&](std::uint64_t first, std::span<const Edge> edges, int) {
    auto const check = [&](std::size_t at, Label label, const IntegersView& array) {
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

std::unique_ptr<EdgeSource> tuples_of_edges(const EdgeArrays& edges, Team team)
{
  if (edges.sources.size() != edges.targets.size())
    fail(ErrorKind::usage, "{}: {} sources and {} targets; an edge has one of each", edges.name, edges.sources.size(),
         edges.targets.size());
  auto source = std::make_unique<EdgesOfCaller>(edges);
  check_labels(*source, edges.sources, edges.targets, "edge", team);
  source->labels_were_checked();
  return source;
}

std::unique_ptr<EdgeSource> tuples_of_rows(const CsrArrays& rows, bool directed, Team team)
{
  if (rows.offsets.size() == 0)
    fail(ErrorKind::usage, "{}: there are no offsets; the rows of n vertices have n+1", rows.name);
  auto source = std::make_unique<RowsOfCaller>(rows, check_offsets(rows, team));
  check_labels(*source, rows.targets, rows.targets, "entry", team);
  source->labels_were_checked();
  if (!directed && imbalance_of(*source, team) == 0) source->count_both_ways();
  return source;
}

}  // namespace brushfire
