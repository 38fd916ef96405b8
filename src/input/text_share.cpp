#include "input/text_share.hpp"

#include "base/error.hpp"
#include "base/memory.hpp"
#include "input/compressed.hpp"

#include <brushfire/units.hpp>

#include <algorithm>
#include <atomic>
#include <functional>
#include <utility>

namespace brushfire {

namespace {

constexpr std::size_t head_bytes = std::size_t{1} << 24;  // of a packed file

// Counts the ends of lines, and the lines that do not start with '%', of a text that arrives in pieces.
class LineCounter {
 public:
  void add(std::string_view text)
  {
    while (!text.empty()) {
      if (at_start_ && text.front() != '%') ++lists_;
      std::size_t const newline = text.find('\n');
      at_start_ = newline != std::string_view::npos;
      if (!at_start_) return;
      ++ends_;
      text.remove_prefix(newline + 1);
    }
  }
  std::uint64_t ends() const { return ends_; }
  std::uint64_t lists() const { return lists_; }

 private:
  bool at_start_ = true;
  std::uint64_t ends_ = 0;
  std::uint64_t lists_ = 0;
};

std::uint64_t count_lists_together(std::string_view lines, Team team)
{
  auto const pieces = cut_at_lines(lines);
  std::atomic<std::uint64_t> lists{0};
  team.for_blocks(pieces.size(), 1,
                  [&](std::uint64_t index, std::uint64_t, int) { lists += count_lists(pieces[index]); });
  return lists;
}

// Shares meet at the end of the line that a byte range cuts: where the first line that starts at `nominal` or behind
// it does start.
std::size_t line_start(std::string_view text, std::size_t nominal)
{
  if (nominal == 0) return 0;
  std::size_t const newline = text.find('\n', nominal - 1);
  return newline == std::string_view::npos ? text.size() : newline + 1;
}

std::string_view between(const char* first, const char* last)
{
  return first < last ? std::string_view(first, static_cast<std::size_t>(last - first)) : std::string_view();
}

// Calls take(text) for one chunk after the other, until it says that it needs no more.
void for_each_chunk(std::span<const std::byte> packed, const std::string& name,
                    const std::function<bool(std::string_view)>& take)
{
  bool first = true;
  unpack_in_chunks(packed, name, [&](std::span<const std::byte> chunk) {
    if (std::exchange(first, false)) return take(text_of(chunk));
    return take({reinterpret_cast<const char*>(chunk.data()), chunk.size()});
  });
}

}  // namespace

std::uint64_t count_lists(std::string_view lines)
{
  LineCounter counter;
  counter.add(lines);
  return counter.lists();
}

struct TextShare::Unpacked {
  std::uint64_t size = 0;  // of the whole text, and of what is in it
  std::uint64_t lists = 0;
  std::string head;
  std::string own;
  std::uint64_t own_start = 0;  // in the whole text, and what stands before it
  LineCounter before;

  void measure(std::span<const std::byte> packed, const std::string& name)
  {
    LineCounter all;
    for_each_chunk(packed, name, [&](std::string_view text) {
      size += text.size();
      all.add(text);
      if (head.size() < head_bytes) head += text.substr(0, head_bytes - head.size());
      return true;
    });
    lists = all.lists();
    // What is cut off in the middle of a line could be read as something else.
    if (head.size() < size) head.resize(head.rfind('\n') + 1);
  }

  // Keeps the lines that start in [first, last).
  void keep(std::span<const std::byte> packed, const std::string& name, std::uint64_t first, std::uint64_t last)
  {
    if (first == last) return;
    own.reserve(last - first);
    std::uint64_t start = 0;  // of the chunk
    bool begun = false;
    // Where in a chunk that starts at `start` the first line at `nominal` or behind it starts; its size when the line
    // before goes on.
    auto const line_start_in = [&](std::string_view text, std::uint64_t nominal) {
      if (nominal == 0) return std::size_t{0};
      std::size_t const newline = text.find('\n', std::max(nominal - 1, start) - start);
      return newline == std::string_view::npos ? text.size() : newline + 1;
    };
    for_each_chunk(packed, name, [&](std::string_view text) {
      if (!begun) {
        std::size_t const skipped = line_start_in(text, first);
        before.add(text.substr(0, skipped));
        begun = first == 0 || (skipped > 0 && start + skipped >= first && text[skipped - 1] == '\n');
        start += skipped;
        text.remove_prefix(skipped);
        if (!begun) return true;
        own_start = start;
        if (own_start >= last) return false;
      }
      std::size_t const kept = line_start_in(text, last);
      own += text.substr(0, kept);
      start += kept;
      return start < last || own.back() != '\n';
    });
  }
};

TextShare::TextShare(std::string_view text, std::string name, Share share)
    : head_(text), name_(std::move(name)), share_(share)
{
}

TextShare TextShare::of_packed(std::span<const std::byte> packed, std::string name, Share share)
{
  auto unpacked = std::make_shared<Unpacked>();
  unpacked->measure(packed, name);
  auto const [first, last] = share.of(unpacked->size);
  if (std::uint64_t const available = available_memory_bytes(); last - first > available / 2)
    fail(ErrorKind::memory, "{}: a share of it unpacks to more than {}", name, human_bytes(available / 2));
  unpacked->keep(packed, name, first, last);
  TextShare text(unpacked->head, std::move(name), share);
  text.unpacked_ = std::move(unpacked);
  return text;
}

std::string_view TextShare::own() const
{
  if (unpacked_) return unpacked_->own;
  auto const [first, last] = share_.of(head_.size());
  std::size_t const start = line_start(head_, first);
  return head_.substr(start, line_start(head_, last) - start);
}

std::string_view TextShare::lines_after(const char* header_end) const
{
  if (head_ends_at(header_end)) refuse_header();
  std::string_view const lines = own();
  if (!unpacked_) return between(std::max(lines.data(), header_end), lines.data() + lines.size());
  auto const header = static_cast<std::uint64_t>(header_end - head_.data());
  std::uint64_t const skipped = std::max(header, unpacked_->own_start) - unpacked_->own_start;
  return lines.substr(std::min<std::uint64_t>(skipped, lines.size()));
}

TextShare::Lists TextShare::lists_after(const char* header_end, Team team) const
{
  if (!unpacked_) {
    std::uint64_t const before = count_lists_together(between(header_end, own().data()), team);
    return {before, before + count_lists_together(
                                 between(std::max(header_end, own().data()), head_.data() + head_.size()), team)};
  }
  std::uint64_t const header = count_lists_together(between(head_.data(), header_end), team);
  std::uint64_t const before = unpacked_->before.lists();
  return {std::max(before, header) - header, unpacked_->lists - header};
}

std::string TextShare::place_of(const char* at) const
{
  bool const in_head = at >= head_.data() && at <= head_.data() + head_.size();
  const char* const start = in_head ? head_.data() : unpacked_->own.data();
  std::uint64_t const before = in_head ? 0 : unpacked_->before.ends();
  return fmt::format("{}:{}", name_, before + static_cast<std::uint64_t>(std::count(start, at, '\n')) + 1);
}

void TextShare::refuse(const Mistake& mistake) const
{
  if (head_ends_at(mistake.at)) refuse_header();
  fail(ErrorKind::input, "{}: {}", place_of(mistake.at), mistake.what);
}

// Whether a place is where the head of a longer text stops.
bool TextShare::head_ends_at(const char* at) const
{
  return unpacked_ && head_.size() < unpacked_->size && at == head_.data() + head_.size();
}

void TextShare::refuse_header() const
{
  fail(ErrorKind::input, "{}: its header takes more than {}; unpack the file first", name_, human_bytes(head_bytes));
}

}  // namespace brushfire
