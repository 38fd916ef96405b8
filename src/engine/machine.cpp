#include "base/memory.hpp"
#include "base/parallel.hpp"

#include <brushfire/machine.hpp>
#include <brushfire/report.hpp>

#include <fmt/format.h>

namespace brushfire {

std::vector<DeviceFacts> list_devices()
{
  HostReport const host = describe_host();
  int const threads = Team::of(0).threads;
  return {{"cpu", host.cpu, true,
           fmt::format("{} threads, {} of memory available", threads, human_bytes(available_memory_bytes()))},
          {"cuda", "GPU", false, "this build has no CUDA engine"}};
}

}  // namespace brushfire
