// What the readers of text formats share: a scanner that never looks past the end of its text (a mapped
// file has no terminator), and a parse of all lines in parallel, in pieces cut at line ends.
// What is wrong is thrown as a Mistake at a place; the reader turns the first one into "file:line: what".
#pragma once

#include "base/error.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "input/stored_edges.hpp"

#include <brushfire/progress.hpp>
#include <brushfire/types.hpp>
#include <brushfire/units.hpp>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace brushfire {

struct Mistake {
  const char* at;
  std::string what;
};

// A view of the bytes as text, without the mark that some editors put at the start.
std::string_view text_of(std::span<const std::byte> bytes);

// Throws Error(input): "name:line: what".
[[noreturn]] void fail_at(std::string_view text, const std::string& name, const Mistake& mistake);

class Scanner {
 public:
  explicit Scanner(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  const char* at() const { return at_; }
  std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }
  bool done() const { return at_ == end_; }
  char peek() const { return at_ == end_ ? '\n' : *at_; }
  bool at_digit() const { return at_ != end_ && static_cast<unsigned char>(*at_ - '0') < 10; }
  // A carriage return ends a line only together with a newline or the text.
  bool at_line_end() const
  {
    return at_ == end_ || *at_ == '\n' || (*at_ == '\r' && (at_ + 1 == end_ || at_[1] == '\n'));
  }

  void skip_blanks()
  {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t')) ++at_;
  }
  // Blanks with at most one comma among them.
  void skip_separator()
  {
    skip_blanks();
    if (at_ != end_ && *at_ == ',') {
      ++at_;
      skip_blanks();
    }
  }
  void skip_line()
  {
    auto const* newline = static_cast<const char*>(std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_)));
    at_ = newline == nullptr ? end_ : newline + 1;
  }
  // Skips blanks and the end of the line; anything else there is a mistake.
  void end_line();

  // A whole number from 0 to 2^63-1; `what` names it in the message.
  Label number(const char* what = "a vertex id");
  // A number of 1 ... largest, for formats that count from one.
  Label one_based(Label largest);
  // Skips a number of any kind: negative, fractional, with an exponent.
  void skip_number();
  // Skips numbers up to the end of the line, or up to a comment that starts with one of `comment`.
  void skip_columns(std::string_view comment);
  // Skips the rest of a line, whatever text it holds; control characters but tabs are no text.
  void skip_text();
  // Characters up to the next blank or line end.
  std::string_view word();

 private:
  [[noreturn]] void refuse_number(const char* start, const char* what) const;
  Label large_number(const char* start, const char* what) const;

  const char* at_;
  const char* end_;
};

inline Label Scanner::number(const char* what)
{
  const char* const start = at_;
  std::uint64_t value = 0;
  for (; at_digit(); ++at_) value = 10 * value + static_cast<std::uint64_t>(*at_ - '0');
  bool const ends = at_ == end_ || static_cast<unsigned char>(*at_) <= ' ' || *at_ == ',';
  if (at_ == start || !ends) refuse_number(start, what);
  if (at_ - start > 18) return large_number(start, what);  // 10^18 < 2^63: shorter ones cannot overflow
  return static_cast<Label>(value);
}

inline Label Scanner::one_based(Label largest)
{
  const char* const start = at_;
  Label const label = number();
  if (label < 1 || label > largest)
    throw Mistake{start, "vertex id " + std::to_string(label) + " is outside 1 ... " + std::to_string(largest)};
  return label;
}

// Cuts text into pieces that end at line ends; few enough that each may own a mapping.
std::vector<std::string_view> cut_at_lines(std::string_view text);

// Calls parse(index, scanner, edges) for every piece, in parallel; edges are kept in the order of the text.
// The mistake nearest to the start of the text is the one that is thrown; Error(memory) when the edges do not fit.
template <typename Parse>
std::vector<StoredPiece> parse_pieces(const std::vector<std::string_view>& pieces, Team team, Progress& progress,
                                      Parse&& parse)
{
  std::vector<StoredPiece> stored(pieces.size());
  std::vector<std::vector<Edge>> parsed(static_cast<std::size_t>(team.threads));
  std::optional<Mistake> first_mistake;
  std::uint64_t const available = available_memory_bytes();
  std::atomic<std::uint64_t> bytes{0};
  std::mutex guard;
  team.for_blocks(pieces.size(), 1, [&](std::uint64_t index, std::uint64_t, int thread) {
    auto& edges = parsed[static_cast<std::size_t>(thread)];
    edges.clear();
    try {
      parse(index, Scanner(pieces[index]), edges);
      stored[index] = StoredPiece(edges);
      if (bytes += stored[index].bytes(); bytes > available)
        fail(ErrorKind::memory, "the edges do not fit into the {} of memory there are", human_bytes(available));
    } catch (Mistake const& mistake) {
      std::lock_guard const lock(guard);
      if (!first_mistake || mistake.at < first_mistake->at) first_mistake = mistake;
    }
    progress.advance(pieces[index].size());
  });
  if (first_mistake) throw *first_mistake;
  return stored;
}

}  // namespace brushfire
