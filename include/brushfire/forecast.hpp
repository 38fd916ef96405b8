// `brushfire plan`: what a machine that is not here would make of a Graph500 graph. A small search over virtual devices
// says what is done and sent level by level; the models of Pan, Pearce and Owens, Scalable Breadth-First Search on a
// GPU Cluster, carry that to the size asked for; what is known of the devices and of their network turns it into time.
#pragma once

#include <brushfire/facts.hpp>
#include <brushfire/progress.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace brushfire {

// A device, and one measured speed of one such device alone, from which follows what a vertex costs it.
struct DeviceModel {
  std::string name;
  std::string title;
  std::uint64_t memory_bytes = 0;
  int known_scale = 0;          // the Graph500 graph, edge factor 16, that it searches with
  double known_teps = 0;        // this speed
  double level_seconds = 0;     // what a level costs, however little there is to do
  std::uint64_t row_bytes = 0;  // what a search keeps for each vertex that a device has, and for each delegate
  std::string source;           // where the numbers come from
};

// How devices are joined: by links inside a node, by network adapters between nodes. Rates are of one direction.
struct NetworkModel {
  std::string name;
  std::string title;
  int devices_per_node = 1;
  double link_bytes_per_second = 0;     // of a device inside its node
  double adapter_bytes_per_second = 0;  // of an adapter, which
  int devices_per_adapter = 1;          // share
  bool through_host = false;            // what goes to other nodes is copied over the link to the host, and back there
  double message_seconds = 0;           // that a device spends on each message
  std::string source;
};

std::span<const DeviceModel> device_models();
std::span<const NetworkModel> network_models();

inline constexpr int most_forecast_scale = 48;
inline constexpr int most_forecast_devices = 1 << 20;
inline constexpr std::uint64_t most_forecast_threshold = (std::uint64_t{1} << 32) - 1;

struct ForecastRequest {
  int scale = 0;
  std::uint64_t edge_factor = 16;
  int devices = 1;
  DeviceModel device;
  NetworkModel network{};                    // of several devices
  std::optional<std::uint64_t> threshold{};  // nothing: the engine's, or where that does not fit, one that does
};

// A search at small scale over virtual devices: the mean over its roots.
struct SampleLevel {
  double work = 0;            // share of the entries that are checked in the search
  double mask_exchanges = 0;  // 1: every search exchanged masks in this level
  double far_entries = 0;     // share of the nn entries that is sent, of those that lead to other devices
  double parent_bytes = 0;    // for every vertex of the graph
  double messages = 0;        // of a device, for every other device
};
struct Sample {
  int scale = 0;
  int devices = 1;
  int roots = 0;
  double normal_entries = 1;   // nn entries, of those that the degrees let expect
  double entries_checked = 0;  // for every vertex of the graph
  std::vector<SampleLevel> levels;
};
// More devices than so many would change nothing in it but the time it takes.
inline constexpr int most_sample_devices = 16;
Sample take_sample(int devices, Progress& progress = Progress::none());

struct LevelForecast {
  double compute_seconds = 0;
  double exchange_seconds = 0;
  std::uint64_t bytes_masks = 0, bytes_vertices = 0, bytes_parents = 0;  // that all devices send
  double seconds() const { return compute_seconds + exchange_seconds; }
};

struct Forecast {
  ForecastRequest request;
  Sample sample;
  std::uint64_t threshold = plain_threshold;
  std::uint64_t automatic_threshold = plain_threshold;  // that the engine takes when none is given
  std::uint64_t delegates = 0;
  std::uint64_t entries_nn = 0;
  std::vector<PlannedBytes> memory;  // of each device
  std::vector<LevelForecast> levels;
  double seconds = 0;
  double teps = 0;

  std::uint64_t device_bytes() const;  // the sum of `memory`
  bool fits() const { return device_bytes() <= request.device.memory_bytes; }
};

// A sample of as many devices, or of fewer where there are many.
Forecast make_forecast(const ForecastRequest& request, const Sample& sample);
// The least number of devices whose memory holds the graph, if any does; more of them hold it too. Takes samples.
std::optional<int> devices_needed(const ForecastRequest& request, Progress& progress = Progress::none());

// Takes the sample. Throws Error(memory) that names the least number of devices when it does not fit.
Forecast forecast(const ForecastRequest& request, Progress& progress = Progress::none());

std::string forecast_text(const Forecast& forecast);
std::string forecast_to_json(const Forecast& forecast);

}  // namespace brushfire
#pragma GCC visibility pop
