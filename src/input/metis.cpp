#include "input/metis.hpp"

#include "base/error.hpp"
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

// Number of the vertex whose list comes first in each piece.
std::vector<Label> first_vertices(const std::vector<std::string_view>& pieces, TextShare::Lists lists, Team team)
{
  std::vector<Label> first(pieces.size() + 1, static_cast<Label>(lists.before) + 1);
  team.for_blocks(pieces.size(), 1, [&](std::uint64_t index, std::uint64_t, int) {
    first[index + 1] = static_cast<Label>(count_lists(pieces[index]));
  });
  for (std::size_t index = 0; index < pieces.size(); ++index) first[index + 1] += first[index];
  return first;
}

void check_list_count(std::uint64_t lists, const Header& header)
{
  // The list of an isolated last vertex is empty, and so is a last line without its end.
  Label const most_vertices = static_cast<Label>(lists) + (header.vertex_numbers > 0 ? 0 : 1);
  if (header.vertices > most_vertices)
    throw Mistake{header.at, fmt::format("promises {} vertices, but only {} lists follow", header.vertices, lists)};
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

// Every edge stands in two lists; a self-loop is one edge, whether it stands once or twice in its list.
Promise promise_of(const Header& header, std::string place)
{
  auto const check = [edges = static_cast<std::uint64_t>(header.edges), place = std::move(place)](const Tally& all,
                                                                                                  EdgeFacts& facts) {
    facts.loops_listed_once = 2 * edges != all.entries;
    if (facts.loops_listed_once && 2 * edges != all.entries + all.self_loops)
      fail(ErrorKind::input, "{}: promises {} edges, that is {} list entries, but {} follow", place, edges, 2 * edges,
           all.entries);
  };
  return {.check = check, .symmetric = true};
}

}  // namespace

// Only counting the lists of the others is not divided among shares.
std::unique_ptr<FileShare> read_metis(const TextShare& text, Team team, Progress& progress)
{
  try {
    Scanner scanner(text.head());
    Header const header = parse_header(scanner);
    auto const lists = text.lists_after(scanner.at(), team);
    check_list_count(lists.all, header);
    auto const lines = cut_at_lines(text.lines_after(scanner.at()));
    auto const first = first_vertices(lines, lists, team);
    std::atomic<std::uint64_t> self_loops{0};
    auto pieces =
        parse_pieces(lines, team, progress, [&](std::uint64_t index, Scanner piece, std::vector<Edge>& edges) {
          parse_lists(piece, first[index], header, edges);
          self_loops += static_cast<std::uint64_t>(
              std::count_if(edges.begin(), edges.end(), [](Edge const& edge) { return edge.source == edge.target; }));
        });
    EdgeFacts facts;
    facts.name = text.name();
    facts.declared = LabelRange{1, static_cast<std::uint64_t>(header.vertices)};
    facts.listed_twice = true;
    auto tuples = std::make_unique<StoredEdges>(std::move(facts), std::move(pieces));
    Tally const tally{tuples->facts().edges, self_loops, imbalance_of(*tuples, team)};
    return std::make_unique<FileShare>(std::move(tuples), text.share(), tally,
                                       promise_of(header, text.place_of(header.at)));
  } catch (Mistake const& mistake) {
    text.refuse(mistake);
  }
}

}  // namespace brushfire
