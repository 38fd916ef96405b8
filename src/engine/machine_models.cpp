// Machines that `brushfire plan` knows by name. A number is measured, or published; which, and where, stands with it.
#include <brushfire/forecast.hpp>

namespace brushfire {

namespace {

constexpr std::uint64_t GiB = std::uint64_t{1} << 30;
constexpr double GB = 1e9;
constexpr double GTEPS = 1e9;

// One H200 at scale 26, in the run that the model was calibrated with; runs differ by 3 % (docs/performance.md). Cards
// on which nothing was measured have its speed in proportion to the bandwidth of their memory, as NVIDIA publishes it.
constexpr double h200_teps = 738 * GTEPS;
constexpr double h200_bandwidth = 4800 * GB;
constexpr double by_bandwidth(double bandwidth) { return h200_teps * bandwidth / h200_bandwidth; }
// From the H200 too: 0.21 ms at scale 22 and 1.46 at 26 leave 0.14 ms that no vertex explains, in seven levels.
constexpr double level_seconds = 20e-6;
// And so is what a search keeps where all vertices have rows, as on devices that share a graph: scale 28 took 46.3 GB,
// 36.1 of them for rows and entries. Pan, Pearce and Owens need a level, a place in a queue, and bits.
constexpr std::uint64_t our_row_bytes = 38, their_row_bytes = 9;

}  // namespace

std::span<const DeviceModel> device_models()
{
  static const std::vector<DeviceModel> models{
      {"p100", "NVIDIA P100, 16 GB", 16 * GiB, 24, 22.9 * GTEPS, level_seconds, their_row_bytes,
       "Pan, Pearce and Owens, Table II: 22.9 GTEPS at scale 24, by their program"},
      {"v100", "NVIDIA V100, 32 GB", 32 * GiB, 26, by_bandwidth(900 * GB), level_seconds, our_row_bytes,
       "not measured: the H200's speed by published bandwidths, 900 to 4,800 GB/s"},
      {"h100", "NVIDIA H100 SXM, 80 GB", 80 * GiB, 26, by_bandwidth(3350 * GB), level_seconds, our_row_bytes,
       "not measured: the H200's speed by published bandwidths, 3,350 to 4,800 GB/s"},
      {"h200", "NVIDIA H200, 141 GB", 139 * GiB, 26, h200_teps, level_seconds, our_row_bytes,
       "measured: 738 GTEPS at scale 26; runs differ by 3 % (docs/performance.md)"}};
  return models;
}

std::span<const NetworkModel> network_models()
{
  static const std::vector<NetworkModel> models{
      {"edr", "nodes of 4 GPUs, NVLink, InfiniBand EDR", 4, 40 * GB, 12.5 * GB, 2, true, 5e-6,
       "Pan, Pearce and Owens, section VI.A: 40 GB/s NVLink, EDR of 100 Gbit/s for each socket, through CPU memory"},
      {"dgx-2", "DGX-2: 16 GPUs, NVSwitch; 8 EDR adapters", 16, 150 * GB, 12.5 * GB, 2, false, 5e-6,
       "Green, ButterFly BFS: six links of 25 GB/s for each GPU; adapters as NVIDIA publishes them"},
      {"ndr", "nodes of 8 GPUs, NVLink 4, InfiniBand NDR", 8, 450 * GB, 50 * GB, 1, false, 5e-6,
       "NVIDIA's data sheet of the DGX H100: 900 GB/s NVLink in both directions, an adapter of 400 Gbit/s for each "
       "GPU"}};
  return models;
}

}  // namespace brushfire
