// What this machine can search with, and the choice among it.
#include "base/error.hpp"
#include "base/memory.hpp"
#include "base/numa.hpp"
#include "base/parallel.hpp"
#include "device/gpus.hpp"
#include "engine/gpu.hpp"
#include "exchange/job_wire.hpp"
#include "exchange/nccl/nccl_wire.hpp"

#include <brushfire/machine.hpp>
#include <brushfire/report.hpp>
#include <brushfire/units.hpp>

#include <fmt/format.h>

#include <fstream>

namespace brushfire {

namespace {

std::string cpu_name()
{
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    auto const value = line.find_first_not_of(" \t", line.find(':') + 1);
    if (value != std::string::npos) return line.substr(value);
  }
  return "unknown";  // not every architecture names its processor there
}

// As a shell would take it for one word.
std::string shell_word(const std::string& word)
{
  constexpr const char* harmless = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%+,-./:=@_";
  if (!word.empty() && word.find_first_not_of(harmless) == std::string::npos) return word;
  std::string inside;
  for (char const c : word) inside += c == '\'' ? "'\\''" : std::string(1, c);
  return fmt::format("'{}'", inside);
}

std::string describe(const device::Gpu& gpu)
{
  if (!gpu.usable()) return gpu.problem;
  return fmt::format("{} of memory, {} free, compute capability {}.{}, {} multiprocessors",
                     human_bytes(gpu.memory_bytes), human_bytes(gpu.free_bytes), gpu.compute_capability / 10,
                     gpu.compute_capability % 10, gpu.multiprocessors);
}

}  // namespace

bool built_with_cuda() { return device::built_with_cuda(); }

std::string why_no_gpu() { return device::why_no_gpu(); }

void copy_from_gpu(void* to, const void* from, std::size_t bytes)
{
  choose_device(Device::cuda);
  device::copy_from_gpu(to, from, bytes);
}

bool gpu_is_present()
{
  const device::Gpus& found = device::list_gpus();
  return !found.gpus.empty() || found.hidden;
}

Device choose_device(Device wanted)
{
  if (wanted == Device::cpu) return Device::cpu;
  std::string const problem = why_no_gpu();
  if (problem.empty()) return Device::cuda;
  if (wanted == Device::cuda) fail(ErrorKind::failure, "--device cuda: no usable GPU: {}; use --device cpu", problem);
  return Device::cpu;
}

std::vector<DeviceFacts> list_devices()
{
  std::vector<DeviceFacts> devices{
      {"cpu", cpu_name(), true,
       fmt::format("{}, {} of memory available", counted(static_cast<std::uint64_t>(Team::of(0).threads), "threads"),
                   human_bytes(available_memory_bytes()))},
      {"numa", "", true, describe_numa(numa_nodes(), allowed_processors())}};
  const device::Gpus& found = device::list_gpus();
  for (auto const& gpu : found.gpus) devices.push_back({"cuda", gpu.name, gpu.usable(), describe(gpu)});
  if (found.gpus.empty()) devices.push_back({"cuda", "GPU", false, found.problem});
  return devices;
}

std::vector<DeviceFacts> list_transports()
{
  auto const in_build = [](std::string kind, bool built, std::string use) -> DeviceFacts {
    return {kind, "", built, built ? use : "this program was built without it"};
  };
  return {in_build("mpi", built_with_mpi(), "several ranks search together"),
          in_build("nccl", built_with_nccl(), "between ranks that have a GPU each")};
}

HostReport describe_host()
{
  HostReport host{.cpu = cpu_name(), .cores = processors_of_machine(), .gpus = {}, .ranks = job_place().ranks};
  for (auto const& gpu : device::list_gpus().gpus) host.gpus.push_back(gpu.name);
  return host;
}

std::string command_line()
{
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string line;
  for (std::string word; std::getline(file, word, '\0');) {
    if (!line.empty()) line += ' ';
    line += shell_word(word);
  }
  return line;
}

MemoryReport describe_memory()
{
  return {.host_peak_bytes = peak_resident_bytes(), .device_bytes = gpu_bytes_while_searching()};
}

}  // namespace brushfire
