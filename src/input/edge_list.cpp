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

// The text behind a line of column names, if that is what comes first: a word where an id should be.
std::string_view without_column_names(std::string_view text)
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
  return scanner.rest();
}

}  // namespace

std::unique_ptr<EdgeSource> read_edge_list(std::span<const std::byte> bytes, const std::string& name,
                                           ColumnNames column_names, Team team, Progress& progress)
{
  std::string_view const text = text_of(bytes);
  std::string_view const lines = column_names == ColumnNames::allowed ? without_column_names(text) : text;
  try {
    auto pieces =
        parse_pieces(cut_at_lines(lines), team, progress,
                     [](std::uint64_t, Scanner scanner, std::vector<Edge>& edges) { parse_lines(scanner, edges); });
    EdgeFacts facts;
    facts.name = name;
    auto source = std::make_unique<StoredEdges>(std::move(facts), std::move(pieces));
    if (source->facts().edges == 0) fail(ErrorKind::input, "{}: has no edge; an edge list needs at least one", name);
    return source;
  } catch (Mistake const& mistake) {
    fail_at(text, name, mistake);
  }
}

}  // namespace brushfire
