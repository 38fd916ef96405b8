// The files that a command is told to write.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace brushfire::cli {

// A check for options that name a file: an empty name is a script's mistake, not a wish.
CLI::Validator file_name();

// Output files that were given must be writable, and none may be another output or an input, whatever the spelling and
// through whatever links: said before hours are spent on filling them. Inputs may also be generators.
void require_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs = {});

}  // namespace brushfire::cli
