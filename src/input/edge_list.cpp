#include "input/edge_list.hpp"

#include "base/error.hpp"
#include "input/text.hpp"

#include <utility>

namespace brushfire {

namespace {

bool at_comment(const Scanner& scanner)
{
  std::string_view const rest = scanner.rest();
  return rest.starts_with('#') || rest.starts_with('%') || rest.starts_with("//");
}

void parse_lines(Scanner scanner, std::vector<Edge>& edges)
{
  while (!scanner.done()) {
    scanner.skip_blanks();
    if (!scanner.at_digit()) {
      if (scanner.at_line_end() || at_comment(scanner)) {
        scanner.skip_line();
        continue;
      }
    }
    Edge edge{};
    edge.source = scanner.number();
    scanner.skip_separator();
    if (scanner.at_line_end()) throw Mistake{scanner.at(), "expected two vertex ids, found one"};
    edge.target = scanner.number();
    edges.push_back(edge);
    scanner.skip_text();  // weights, names, dates: whatever further columns hold
  }
}

// Where a line of column names ends, if that is what comes first: a word where an id should be.
const char* end_of_column_names(std::string_view text)
{
  Scanner scanner(text);
  while (!scanner.done()) {
    scanner.skip_blanks();
    if (!scanner.at_line_end() && !at_comment(scanner)) break;
    scanner.skip_line();
  }
  char const first = scanner.peek();
  bool const is_name = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') || first == '_' || first == '"';
  if (is_name) scanner.skip_line();
  return scanner.at();
}

}  // namespace

std::unique_ptr<FileShare> read_edge_list(const TextShare& text, ColumnNames column_names, Team team,
                                          Progress& progress)
{
  std::string const& name = text.name();
  std::string_view const head = text.head();
  const char* const header_end = column_names == ColumnNames::allowed ? end_of_column_names(head) : head.data();
  try {
    auto pieces =
        parse_pieces(cut_at_lines(text.lines_after(header_end)), team, progress,
                     [](std::uint64_t, Scanner scanner, std::vector<Edge>& edges) { parse_lines(scanner, edges); });
    EdgeFacts facts;
    facts.name = name;
    Tally const tally{.entries = tuples_in(pieces)};
    Promise const promise{[name](const Tally& all, EdgeFacts&) {
      if (all.entries == 0) fail(ErrorKind::input, "{}: has no edge; an edge list needs at least one", name);
    }};
    auto tuples = std::make_unique<StoredEdges>(std::move(facts), std::move(pieces));
    return std::make_unique<FileShare>(std::move(tuples), text.share(), tally, promise);
  } catch (Mistake const& mistake) {
    text.refuse(mistake);
  }
}

}  // namespace brushfire
