// The files that a command is told to write.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace brushfire::cli {

// A check for options that name a file: an empty name is a script's mistake, not a wish.
CLI::Validator file_name();
CLI::Validator no_stdout();  // what is written there is not for reading

// Output files that were given must be writable, and none may be another output or an input, whatever the spelling and
// through whatever links: said before hours are spent on filling them. Inputs may also be generators.
void require_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs = {});

// Values of vertices are written as .txt or .npy. To be asked before the graph is opened, which may take long;
// require_result_file() then looks at its labels too.
void require_table_name(const std::string& option, const std::string& file);

}  // namespace brushfire::cli
