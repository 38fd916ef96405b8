// A page that needs nothing else: no network, no script, readable on a phone, light or dark as the reader's system is.
#pragma once

#include <string>
#include <string_view>

namespace brushfire {

// The title is text; the body is HTML, in which whatever comes from outside went through escaped().
std::string page(std::string_view title, const std::string& body);
std::string escaped(std::string_view text);
std::string fact(std::string_view name, std::string_view value);  // a row of
std::string facts(const std::string& rows);

}  // namespace brushfire
