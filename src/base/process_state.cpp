#include "base/process_state.hpp"

#include <array>
#include <charconv>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

namespace brushfire {

std::optional<ProcessState> look_at_process(pid_t process) noexcept
{
  std::array<char, 32> path{"/proc/"};
  auto const number = std::to_chars(path.data() + 6, path.data() + path.size(), process);
  std::memcpy(number.ptr, "/stat", 6);
  int const file = open(path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::array<char, 512> text;
  ssize_t const length = read(file, text.data(), text.size());
  close(file);
  std::string_view rest(text.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
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

}  // namespace brushfire
