// How fast memory is copied here: what the searches of a report are compared with. Measured when the searches are done,
// so that it is in no clock, and briefly: a first copy touches the pages, the fastest of those that follow counts.
#include "base/buffer.hpp"
#include "base/clock.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "device/gpus.hpp"
#include "exchange/job_wire.hpp"

#include <brushfire/report.hpp>

#include <algorithm>
#include <cstring>

namespace brushfire {

namespace {

constexpr double seconds_to_measure = 0.1;
constexpr std::uint64_t copied_bytes = 128 << 20;  // more than most caches hold

std::optional<double> copy_bandwidth()
{
  if (available_memory_bytes() < 8 * copied_bytes) return std::nullopt;
  constexpr std::uint64_t block_bytes = 1 << 20;
  Team const team = Team::of(0);
  Buffer<char> from(copied_bytes), to(copied_bytes);
  team.for_blocks(copied_bytes, block_bytes, [&](std::uint64_t first, std::uint64_t last, int) {
    std::memset(from.data() + first, 1, last - first);  // pages that were never written are all the same one
    std::memset(to.data() + first, 0, last - first);
  });
  double fastest = 0;
  for (Stopwatch const all; all.seconds() < seconds_to_measure;) {
    Stopwatch const watch;
    team.for_blocks(copied_bytes, block_bytes, [&](std::uint64_t first, std::uint64_t last, int) {
      std::memcpy(to.data() + first, from.data() + first, last - first);
    });
    fastest = std::max(fastest, 2 * static_cast<double>(copied_bytes) / watch.seconds());
  }
  return fastest;
}

}  // namespace

void measure_bandwidth(HostReport& host, Device device)
{
  if (job_place().ranks > 1) return;  // they would measure each other
  host.memory_bandwidth = copy_bandwidth();
  if (device != Device::cuda) return;
  if (double const measured = device::copy_bandwidth(); measured > 0) host.gpu_memory_bandwidth = measured;
}

}  // namespace brushfire
