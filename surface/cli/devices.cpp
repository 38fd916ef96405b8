// brushfire devices: what can search here, and why something else cannot.
#include "command.hpp"

#include <brushfire/energy.hpp>
#include <brushfire/machine.hpp>

#include <fmt/format.h>

namespace brushfire::cli {

namespace {

int run_devices()
{
  for (auto const& facts : {list_devices(), list_transports(), list_energy_counters()})
    for (auto const& device : facts)
      fmt::print("{:<5} {:<10} {}{}\n", device.kind, device.usable ? "usable" : "not usable",
                 device.name.empty() ? "" : device.name + ": ", device.detail);
  return 0;
}

}  // namespace

void add_devices(CLI::App& program, Run& run)
{
  auto& command = *program.add_subcommand("devices", "what is usable here, and why something is not");
  command.footer("Example: brushfire devices");
  command.callback([&run] { run = run_devices; });
}

}  // namespace brushfire::cli
