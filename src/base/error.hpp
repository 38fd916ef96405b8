// Shorthand for throwing an Error with a formatted line.
#pragma once

#include <brushfire/error.hpp>

#include <fmt/format.h>

#include <utility>

namespace brushfire {

template <typename... Arguments>
[[noreturn]] void fail(ErrorKind kind, fmt::format_string<Arguments...> format, Arguments&&... arguments)
{
  throw Error(kind, fmt::format(format, std::forward<Arguments>(arguments)...));
}

}  // namespace brushfire
