#include "terminal.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

namespace brushfire::cli {

bool can_redraw()
{
  const char* const terminal = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

std::size_t terminal_columns()
{
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

bool wants_colour()
{
  const char* const refused = std::getenv("NO_COLOR");
  return can_redraw() && (refused == nullptr || *refused == '\0');
}

std::string coloured(std::string_view text, Colour colour)
{
  constexpr int codes[] = {0, 33, 36, 35};
  if (colour == Colour::none || !wants_colour()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", codes[static_cast<std::size_t>(colour)], text);
}

}  // namespace brushfire::cli
