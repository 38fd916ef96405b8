// What must be true of every page that the program writes.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace brushfire::testing {

inline std::size_t count_of(const std::string& text, std::string_view part)
{
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

// Every opened tag is closed in order.
inline bool balanced(const std::string& html)
{
  std::vector<std::string> open;
  for (auto at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
    auto const end = html.find('>', at);
    if (end == std::string::npos) return false;
    bool const closing = html[at + 1] == '/';
    auto from = at + 1 + (closing ? 1 : 0);
    std::string name;
    while (std::isalnum(static_cast<unsigned char>(html[from]))) name += html[from++];
    if (html[at + 1] == '!' || html[end - 1] == '/' || name == "meta") continue;
    if (!closing) {
      open.push_back(name);
    } else if (open.empty() || open.back() != name) {
      return false;
    } else {
      open.pop_back();
    }
  }
  return open.empty();
}

inline void needs_nothing_else(const std::string& html)
{
  for (auto const* outside : {"http:", "https:", "//", "src=", "href=", "@import", "url(", "<script", "<link"})
    EXPECT_EQ(html.find(outside), std::string::npos) << outside;
}

}  // namespace brushfire::testing
