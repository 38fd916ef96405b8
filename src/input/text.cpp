#include "input/text.hpp"

#include "base/error.hpp"

#include <algorithm>

namespace brushfire {

namespace {

bool printable(char character) { return character > ' ' && character <= '~'; }

// What stands at `at`, for a message: a word in quotes, or the value of a byte that is not text.
std::string shown(const char* at, const char* end)
{
  if (Scanner({at, static_cast<std::size_t>(end - at)}).at_line_end()) return "the end of the line";
  if (!printable(*at)) return fmt::format("byte 0x{:02x}", static_cast<unsigned char>(*at));
  const char* last = at;
  while (last != end && printable(*last) && last - at < 24) ++last;
  return fmt::format("'{}'", std::string_view(at, static_cast<std::size_t>(last - at)));
}

}  // namespace

std::string_view text_of(std::span<const std::byte> bytes)
{
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  return text;
}

void fail_at(std::string_view text, const std::string& name, const Mistake& mistake)
{
  auto const line = std::count(text.data(), mistake.at, '\n') + 1;
  fail(ErrorKind::input, "{}:{}: {}", name, line, mistake.what);
}

void Scanner::end_line()
{
  skip_blanks();
  if (!at_line_end()) throw Mistake{at_, fmt::format("expected the end of the line, found {}", shown(at_, end_))};
  skip_line();
}

std::string_view Scanner::word()
{
  const char* const start = at_;
  while (!at_line_end() && *at_ != ' ' && *at_ != '\t') ++at_;
  return {start, static_cast<std::size_t>(at_ - start)};
}

void Scanner::skip_number()
{
  const char* const start = at_;
  auto const skip_sign = [&] {
    if (at_ != end_ && (*at_ == '-' || *at_ == '+')) ++at_;
  };
  auto const skip_digits = [&] {
    const char* const first = at_;
    while (at_digit()) ++at_;
    return at_ - first;
  };
  skip_sign();
  auto digits = skip_digits();
  if (peek() == '.') {
    ++at_;
    digits += skip_digits();
  }
  if (digits > 0 && (peek() == 'e' || peek() == 'E')) {
    ++at_;
    skip_sign();
    digits = skip_digits();
  }
  bool const ends = at_line_end() || *at_ == ' ' || *at_ == '\t' || *at_ == ',';
  if (digits == 0 || !ends) throw Mistake{start, fmt::format("expected a number, found {}", shown(start, end_))};
}

void Scanner::skip_columns(std::string_view comment)
{
  for (;;) {
    skip_separator();
    if (at_line_end() || comment.find(*at_) != std::string_view::npos) break;
    skip_number();
  }
  skip_line();
}

void Scanner::skip_text()
{
  for (; !at_line_end(); ++at_)
    if (static_cast<unsigned char>(*at_) < ' ' && *at_ != '\t')
      throw Mistake{at_, fmt::format("expected text, found {}", shown(at_, end_))};
  skip_line();
}

void Scanner::refuse_number(const char* start, const char* what) const
{
  if (start != end_ && *start == '-' && start + 1 != end_ && static_cast<unsigned char>(start[1] - '0') < 10)
    throw Mistake{start, fmt::format("{} cannot be negative: {}", what, shown(start, end_))};
  if (start != at_ && (*at_ == '.' || *at_ == 'e' || *at_ == 'E'))
    throw Mistake{start, fmt::format("{} is a whole number, not {}", what, shown(start, end_))};
  throw Mistake{start, fmt::format("expected {}, found {}", what, shown(start, end_))};
}

Label Scanner::large_number(const char* start, const char* what) const
{
  std::uint64_t value = 0;
  for (const char* at = start; at != at_; ++at) {
    auto const digit = static_cast<std::uint64_t>(*at - '0');
    if (value > (static_cast<std::uint64_t>(largest_label) - digit) / 10)
      throw Mistake{start, fmt::format("{} is at most 2^63-1, not {}", what, shown(start, end_))};
    value = 10 * value + digit;
  }
  return static_cast<Label>(value);
}

std::vector<std::string_view> cut_at_lines(std::string_view text)
{
  constexpr std::size_t smallest_piece = 1 << 20;
  constexpr std::size_t most_pieces = 4096;
  std::size_t const nominal = std::max(smallest_piece, text.size() / most_pieces);
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    std::size_t const newline = text.find('\n', std::min(nominal, text.size()) - 1);
    std::size_t const size = newline == std::string_view::npos ? text.size() : newline + 1;
    pieces.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return pieces;
}

}  // namespace brushfire
