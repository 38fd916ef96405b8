#include "input/metis.hpp"

#include "input/symmetry.hpp"
#include "input/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>

namespace brushfire {

namespace {

struct Header {
  Label vertices = 0;
  Label edges = 0;
  Label vertex_numbers = 0;  // sizes and weights before the neighbours
  bool edge_weights = false;
  const char* at = nullptr;
};

// The format is up to three binary digits: vertex sizes, vertex weights, edge weights.
void parse_format(Scanner& scanner, Header& header)
{
  const char* const at = scanner.at();
  std::string_view const format = scanner.word();
  if (format.size() > 3 || format.find_first_not_of("01") != std::string_view::npos)
    throw Mistake{at, fmt::format("expected a format of up to three digits 0 or 1, found '{}'", format)};
  auto const flag = [&](std::size_t from_right) {
    return format.size() >= from_right && format[format.size() - from_right] == '1';
  };
  scanner.skip_blanks();
  Label const weights = scanner.at_line_end() ? 1 : scanner.number("the number of vertex weights");
  if (weights > 1'000'000) throw Mistake{at, fmt::format("{} weights per vertex are not plausible", weights)};
  header.edge_weights = flag(1);
  header.vertex_numbers = (flag(2) ? weights : 0) + (flag(3) ? 1 : 0);
}

Header parse_header(Scanner& scanner)
{
  Header header;
  for (; !scanner.done(); scanner.skip_line()) {
    scanner.skip_blanks();
    if (!scanner.at_line_end() && scanner.peek() != '%') break;
  }
  header.at = scanner.at();
  header.vertices = scanner.number("the number of vertices");
  scanner.skip_blanks();
  header.edges = scanner.number("the number of edges");
  scanner.skip_blanks();
  if (!scanner.at_line_end()) parse_format(scanner, header);
  scanner.end_line();
  return header;
}

std::uint64_t count_lists(Scanner scanner)
{
  std::uint64_t lines = 0;
  for (; !scanner.done(); scanner.skip_line()) lines += scanner.peek() != '%';
  return lines;
}

// Number of the vertex whose list comes first in each piece.
std::vector<Label> first_vertices(const std::vector<std::string_view>& pieces, const Header& header, Team team)
{
  std::vector<Label> first(pieces.size() + 1, 1);
  team.for_blocks(pieces.size(), 1, [&](std::uint64_t index, std::uint64_t, int) {
    first[index + 1] = static_cast<Label>(count_lists(Scanner(pieces[index])));
  });
  for (std::size_t index = 0; index < pieces.size(); ++index) first[index + 1] += first[index];
  // The list of an isolated last vertex is empty, and so is a last line without its end.
  Label const lists = first.back() - (header.vertex_numbers > 0 ? 1 : 0);
  if (header.vertices > lists)
    throw Mistake{header.at,
                  fmt::format("promises {} vertices, but only {} lists follow", header.vertices, first.back() - 1)};
  return first;
}

void parse_lists(Scanner scanner, Label vertex, const Header& header, std::vector<Edge>& edges)
{
  while (!scanner.done()) {
    if (scanner.peek() == '%') {
      scanner.skip_line();
      continue;
    }
    scanner.skip_blanks();
    if (vertex > header.vertices) {
      if (!scanner.at_line_end())
        throw Mistake{scanner.at(), fmt::format("more lists than the {} vertices promised", header.vertices)};
      scanner.skip_line();
      continue;
    }
    for (Label count = 0; count < header.vertex_numbers; ++count) {
      scanner.skip_number();
      scanner.skip_blanks();
    }
    while (!scanner.at_line_end()) {
      edges.push_back({vertex, scanner.one_based(header.vertices)});
      scanner.skip_blanks();
      if (header.edge_weights) {
        scanner.skip_number();
        scanner.skip_blanks();
      }
    }
    scanner.skip_line();
    ++vertex;
  }
}

// A self-loop is one edge, whether it stands once or twice in its list.
void check_edge_count(std::uint64_t entries, std::uint64_t self_loops, const Header& header)
{
  std::uint64_t const promised = 2 * static_cast<std::uint64_t>(header.edges);
  if (promised == entries || promised == entries + self_loops) return;
  throw Mistake{header.at, fmt::format("promises {} edges, that is {} list entries, but {} follow", header.edges,
                                       promised, entries)};
}

}  // namespace

std::unique_ptr<EdgeSource> read_metis(std::span<const std::byte> bytes, const std::string& name, Team team,
                                       Progress& progress)
{
  std::string_view const text = text_of(bytes);
  try {
    Scanner scanner(text);
    Header const header = parse_header(scanner);
    auto const lines = cut_at_lines(scanner.rest());
    auto const first = first_vertices(lines, header, team);
    std::atomic<std::uint64_t> self_loops{0};
    auto pieces =
        parse_pieces(lines, team, progress, [&](std::uint64_t index, Scanner piece, std::vector<Edge>& edges) {
          parse_lists(piece, first[index], header, edges);
          self_loops += static_cast<std::uint64_t>(
              std::count_if(edges.begin(), edges.end(), [](Edge const& edge) { return edge.source == edge.target; }));
        });
    EdgeFacts facts;
    facts.name = name;
    facts.declared = LabelRange{1, static_cast<std::uint64_t>(header.vertices)};
    facts.listed_twice = true;
    std::uint64_t entries = 0;
    for (StoredPiece const& piece : pieces) entries += piece.size();
    check_edge_count(entries, self_loops, header);
    facts.loops_listed_once = 2 * static_cast<std::uint64_t>(header.edges) != entries;
    auto source = std::make_unique<StoredEdges>(std::move(facts), std::move(pieces));
    check_symmetric(*source, team);
    return source;
  } catch (Mistake const& mistake) {
    fail_at(text, name, mistake);
  }
}

}  // namespace brushfire
