// The program's own commands and options as a man page and as completions for shells, so that these never say anything
// else than --help does. `make install` puts them where shells and man look.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <string_view>

namespace brushfire::cli {

// For "man", "bash", "zsh" or "fish". Throws Error(usage) for anybody else.
std::string describe_for(std::string_view reader, const CLI::App& program);

}  // namespace brushfire::cli
