#include "base/process_state.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

namespace brushfire {

namespace {

class Path {
 public:
  Path& operator<<(std::string_view text)
  {
    end_ = std::copy(text.begin(), text.end(), end_);
    return *this;
  }
  Path& operator<<(pid_t number)
  {
    end_ = std::to_chars(end_, text_.data() + text_.size(), number).ptr;
    return *this;
  }
  const char* text() const { return text_.data(); }

 private:
  std::array<char, 64> text_{};
  char* end_ = text_.data();
};

// As much of the file as `room` holds; nothing where it cannot be read.
std::string_view read_into(std::span<char> room, const Path& path)
{
  int const file = open(path.text(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  std::size_t length = 0;
  ssize_t more = 0;
  do {  // some files of /proc come a page at a time
    more = read(file, room.data() + length, room.size() - length);
    length += more > 0 ? static_cast<std::size_t>(more) : 0;
  } while (more > 0 && length < room.size());
  close(file);
  return {room.data(), length};
}

}  // namespace

std::optional<ProcessState> look_at_process(pid_t process) noexcept
{
  std::array<char, 512> text;
  std::string_view rest = read_into(text, Path() << "/proc/" << process << "/stat");
  auto const name_end = rest.rfind(')');  // "17 (name) S 16 ...", and the name may hold anything
  if (name_end == rest.npos || name_end + 2 >= rest.size()) return std::nullopt;
  rest.remove_prefix(name_end + 2);

  ProcessState found;
  found.state = rest.front();
  constexpr int parent_field = 4, start_field = 22;  // proc(5) counts from 1, and the state is the third
  for (int field = 3; field <= start_field; ++field) {
    auto const end = rest.find(' ');
    if (end == rest.npos) return std::nullopt;
    if (field == parent_field) std::from_chars(rest.data(), rest.data() + end, found.parent);
    if (field == start_field) std::from_chars(rest.data(), rest.data() + end, found.started);
    rest.remove_prefix(end + 1);
  }
  return found;
}

std::optional<int> count_children_with(pid_t child, pid_t parent) noexcept
{
  std::array<char, 32768> text;
  std::string_view rest = read_into(text, Path() << "/proc/" << parent << "/task/" << parent << "/children");
  if (rest.size() == text.size()) return std::nullopt;  // there are more
  int there = 0;
  bool found = false;
  for (std::size_t end; (end = rest.find(' ')) != rest.npos; rest.remove_prefix(end + 1)) {
    pid_t process = 0;
    std::from_chars(rest.data(), rest.data() + end, process);
    auto const state = look_at_process(process);
    there += state && !state->has_ended() ? 1 : 0;
    found |= process == child;
  }
  return found ? std::optional(there) : std::nullopt;
}

}  // namespace brushfire
