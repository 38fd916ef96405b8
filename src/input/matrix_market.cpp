#include "input/matrix_market.hpp"

#include "base/error.hpp"
#include "input/text.hpp"

#include <algorithm>
#include <utility>

namespace brushfire {

namespace {

constexpr std::string_view banner = "%%matrixmarket";

struct Header {
  Listing listing = Listing::as_stored;
  Label vertices = 0;
  Label entries = 0;
  const char* sizes_at = nullptr;
};

std::string lower(std::string_view word)
{
  std::string result(word);
  for (char& character : result)
    if (character >= 'A' && character <= 'Z') character = static_cast<char>(character - 'A' + 'a');
  return result;
}

template <std::size_t count>
bool one_of(const std::string& word, const char* const (&words)[count])
{
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

// The words of the banner line, in lower case; missing ones are empty.
Listing parse_banner(Scanner& scanner)
{
  const char* const start = scanner.at();
  std::string words[5];
  for (std::string& word : words) {
    word = lower(scanner.word());
    scanner.skip_blanks();
  }
  auto const& [first, object, layout, field, symmetry] = words;
  if (first != banner) throw Mistake{start, "expected the banner %%MatrixMarket"};
  if (object != "matrix") throw Mistake{start, fmt::format("expected a matrix, found '{}'", object)};
  if (layout == "array") throw Mistake{start, "is a dense matrix (array); only coordinate matrices are graphs"};
  if (layout != "coordinate") throw Mistake{start, fmt::format("expected coordinate, found '{}'", layout)};
  if (!one_of(field, {"pattern", "real", "double", "integer", "complex"}))
    throw Mistake{start, fmt::format("expected pattern, real, integer or complex, found '{}'", field)};
  if (!one_of(symmetry, {"general", "symmetric", "skew-symmetric", "hermitian"}))
    throw Mistake{start, fmt::format("expected general, symmetric, skew-symmetric or hermitian, found '{}'", symmetry)};
  scanner.end_line();
  return symmetry == "general" ? Listing::as_stored : Listing::both_ways;
}

// True when the line holds nothing but a comment or blanks; it is skipped then.
bool skip_idle_line(Scanner& scanner)
{
  scanner.skip_blanks();
  if (!scanner.at_line_end() && scanner.peek() != '%') return false;
  scanner.skip_line();
  return true;
}

Header parse_header(Scanner& scanner)
{
  Header header;
  header.listing = parse_banner(scanner);
  while (!scanner.done() && skip_idle_line(scanner)) continue;
  header.sizes_at = scanner.at();
  header.vertices = scanner.number("the number of rows");
  scanner.skip_blanks();
  Label const columns = scanner.number("the number of columns");
  scanner.skip_blanks();
  header.entries = scanner.number("the number of entries");
  scanner.end_line();
  if (columns != header.vertices)
    throw Mistake{header.sizes_at, fmt::format("the matrix has {} rows and {} columns; a graph needs a square matrix",
                                               header.vertices, columns)};
  return header;
}

void parse_entries(Scanner scanner, Label vertices, std::vector<Edge>& edges)
{
  while (!scanner.done()) {
    if (skip_idle_line(scanner)) continue;
    Edge edge{};
    edge.source = scanner.one_based(vertices);
    scanner.skip_blanks();
    if (scanner.at_line_end()) throw Mistake{scanner.at(), "expected a row and a column, found one number"};
    edge.target = scanner.one_based(vertices);
    edges.push_back(edge);
    scanner.skip_columns("%");
  }
}

}  // namespace

bool has_matrix_market_banner(std::string_view text) { return lower(text.substr(0, banner.size())) == banner; }

std::unique_ptr<FileShare> read_matrix_market(const TextShare& text, Team team, Progress& progress)
{
  try {
    Scanner scanner(text.head());
    Header const header = parse_header(scanner);
    EdgeFacts facts;
    facts.name = text.name();
    facts.declared = LabelRange{1, static_cast<std::uint64_t>(header.vertices)};
    auto pieces = parse_pieces(
        cut_at_lines(text.lines_after(scanner.at())), team, progress,
        [&](std::uint64_t, Scanner lines, std::vector<Edge>& edges) { parse_entries(lines, header.vertices, edges); });
    Tally const tally{.entries = tuples_in(pieces)};
    auto tuples = std::make_unique<StoredEdges>(std::move(facts), std::move(pieces), header.listing);
    return std::make_unique<FileShare>(std::move(tuples), text.share(), tally,
                                       Promise::of_entries(text.place_of(header.sizes_at), header.entries, "entries"));
  } catch (Mistake const& mistake) {
    text.refuse(mistake);
  }
}

}  // namespace brushfire
