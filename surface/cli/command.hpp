// The commands of the program. Each file adds one to the parser and, when it is the one chosen, leaves
// in `run` what to do; nothing runs before the whole command line has been understood.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>

namespace brushfire::cli {

using Run = std::function<int()>;  // returns the exit code, or throws

void add_graph500(CLI::App& program, Run& run);
void add_bfs(CLI::App& program, Run& run);
void add_bench(CLI::App& program, Run& run);
void add_generate(CLI::App& program, Run& run);
void add_convert(CLI::App& program, Run& run);
void add_info(CLI::App& program, Run& run);
void add_validate(CLI::App& program, Run& run);
void add_plan(CLI::App& program, Run& run);
void add_components(CLI::App& program, Run& run);
void add_diameter(CLI::App& program, Run& run);
void add_closeness(CLI::App& program, Run& run);
void add_report(CLI::App& program, Run& run);
void add_devices(CLI::App& program, Run& run);

}  // namespace brushfire::cli
