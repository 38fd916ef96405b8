// Options that take several values at once.
#pragma once

#include <string>
#include <vector>

namespace brushfire::cli {

// "a,b" has two words, and so has "a,": what is empty is for the reader of the words to refuse.
std::vector<std::string> comma_separated(const std::string& text);

}  // namespace brushfire::cli
