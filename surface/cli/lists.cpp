#include "lists.hpp"

#include <algorithm>

namespace brushfire::cli {

std::vector<std::string> comma_separated(const std::string& text)
{
  std::vector<std::string> words;
  for (std::size_t start = 0; start <= text.size();) {
    auto const comma = std::min(text.find(',', start), text.size());
    words.push_back(text.substr(start, comma - start));
    start = comma + 1;
  }
  return words;
}

}  // namespace brushfire::cli
