#include "input/dimacs.hpp"

#include "input/text.hpp"

#include <fmt/format.h>

#include <utility>

namespace brushfire {

namespace {

struct Problem {
  char designator = 'a';  // of the lines that hold edges
  Label vertices = 0;
  Label edges = 0;
  const char* at = nullptr;
};

// The first word of a line when the line matters; nothing for blank and comment lines, which are skipped.
std::string_view designator_of(Scanner& scanner)
{
  scanner.skip_blanks();
  std::string_view const word = scanner.word();
  if (!word.empty() && word.front() != 'c') return word;
  scanner.skip_line();
  return {};
}

Problem parse_problem(Scanner& scanner)
{
  std::string_view word;
  while (word.empty() && !scanner.done()) word = designator_of(scanner);
  Problem problem;
  problem.at = word.empty() ? scanner.at() : word.data();
  if (word != "p") throw Mistake{problem.at, "expected a problem line, for example: p sp VERTICES ARCS"};
  scanner.skip_blanks();
  std::string_view const kind = scanner.word();
  if (kind != "sp" && kind != "edge" && kind != "col")
    throw Mistake{problem.at, fmt::format("expected a problem of kind sp, edge or col, found '{}'", kind)};
  problem.designator = kind == "sp" ? 'a' : 'e';
  scanner.skip_blanks();
  problem.vertices = scanner.number("the number of vertices");
  scanner.skip_blanks();
  problem.edges = scanner.number("the number of edges");
  scanner.end_line();
  return problem;
}

void parse_lines(Scanner scanner, const Problem& problem, std::vector<Edge>& edges)
{
  while (!scanner.done()) {
    std::string_view const word = designator_of(scanner);
    if (word.empty()) continue;
    if (word.size() != 1 || word.front() != problem.designator)
      throw Mistake{word.data(), fmt::format("expected a line that starts with {}", problem.designator)};
    scanner.skip_blanks();
    Edge edge{};
    edge.source = scanner.one_based(problem.vertices);
    scanner.skip_blanks();
    if (scanner.at_line_end()) throw Mistake{scanner.at(), "expected two vertex ids, found one"};
    edge.target = scanner.one_based(problem.vertices);
    edges.push_back(edge);
    scanner.skip_columns("");
  }
}

}  // namespace

std::unique_ptr<FileShare> read_dimacs(const TextShare& text, Team team, Progress& progress)
{
  try {
    Scanner scanner(text.head());
    Problem const problem = parse_problem(scanner);
    EdgeFacts facts;
    facts.name = text.name();
    facts.declared = LabelRange{1, static_cast<std::uint64_t>(problem.vertices)};
    auto pieces = parse_pieces(
        cut_at_lines(text.lines_after(scanner.at())), team, progress,
        [&](std::uint64_t, Scanner lines, std::vector<Edge>& edges) { parse_lines(lines, problem, edges); });
    Tally const tally{.entries = tuples_in(pieces)};
    auto tuples = std::make_unique<StoredEdges>(std::move(facts), std::move(pieces));
    return std::make_unique<FileShare>(std::move(tuples), text.share(), tally,
                                       Promise::of_entries(text.place_of(problem.at), problem.edges, "edges"));
  } catch (Mistake const& mistake) {
    text.refuse(mistake);
  }
}

}  // namespace brushfire
