// What stderr is: a screen that can be redrawn, in colours or not, or a file that wants plain lines.
#pragma once

#include <string>
#include <string_view>

namespace brushfire::cli {

bool can_redraw();
std::size_t terminal_columns();

// Colours are for screens, and for nobody who has set NO_COLOR to anything (no-color.org).
bool wants_colour();
enum class Colour { none, yellow, cyan, magenta };
std::string coloured(std::string_view text, Colour colour);  // the text itself where there are none

}  // namespace brushfire::cli
