// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace brushfire {

std::string human_bytes(std::uint64_t bytes);  // "1.5 GiB"
std::string human_count(double count);         // "12.3 M"
std::string human_teps(double teps);           // "950 MTEPS", "1.36 GTEPS"
// "1 edge", "2 edges", "0 vertices": `many` is what two of them are called.
std::string counted(std::uint64_t count, std::string_view many);

}  // namespace brushfire
#pragma GCC visibility pop
