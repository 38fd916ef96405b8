// What `brushfire bench` measured, as numbers, and the ways it is shown: a table, JSON, a page. Plain data, like a
// Report; whoever searched fills it in.
#pragma once

#include <brushfire/machine.hpp>
#include <brushfire/report.hpp>
#include <brushfire/trace.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace brushfire {

// What a search would take if each of its devices were a machine of its own. Devices that share two cores, or one GPU,
// take turns; what they check and send is the same, so it can be priced: in every level all wait for the device that
// checks, sends and says most. Nothing overlaps, and a level costs nothing by itself.
struct TimeModel {
  // Whole searches over the list entries they looked at: everything that goes with an entry is in it. The CPU's is what
  // the standard set took on 2 cores, the GPU's what kron scale 26 took on an H200 (docs/bench.md).
  static constexpr double seconds_per_check_on_cpu = 6e-9;
  static constexpr double seconds_per_check_on_gpu = 30e-12;

  double seconds_per_check = seconds_per_check_on_cpu;
  double bytes_per_second = 25e9;     // that a device can send: a network of 200 Gbit/s for each
  double seconds_per_message = 5e-6;  // until the first byte is there

  TimeModel without_messages() const { return {seconds_per_check, bytes_per_second, 0}; }
};
TimeModel model_of(Device device);
double modelled_seconds(std::span<const LevelRecord> levels, int devices, const TimeModel& model);

// One combination. Counts and times are those of one search: the mean over the roots, and over the rounds the median.
struct BenchRow {
  std::string graph;
  std::string preset;
  std::string device;  // "cpu", "cuda"
  int devices = 1;     // of all ranks
  std::string direction;
  std::string why_not{};  // it did not run; empty: it did, and the rest is known

  double seconds = 0;
  double fastest = 0, slowest = 0;  // of the rounds
  double teps = 0;                  // harmonic mean over the roots
  double ratio = 0;                 // of its time to the least for the same graph and as many devices
  double modelled_seconds = 0;
  double modelled_ratio = 0;  // likewise
  double volume_seconds = 0;  // modelled without messages: what is checked and sent alone
  double volume_ratio = 0;
  std::uint64_t edges_checked = 0;  // by all devices
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_by_paper = 0;  // what the model of Pan, Pearce and Owens allows; 0: it is about none such
  std::uint64_t messages = 0;
  std::uint64_t graph_bytes = 0;  // on all devices
  bool ran() const { return why_not.empty(); }
};

struct BenchReport {
  std::string command_line{};  // as a shell would take it; empty: not known
  HostReport host;
  TimeModel model;
  int roots = 0, rounds = 0;
  std::uint64_t seed = 0;
  bool validated = false;
  std::vector<GraphReport> graphs;  // by name; of one that could not be built, only that
  std::vector<BenchRow> rows;       // graph by graph
};

// Sets the ratios of the rows that ran.
void compare(std::span<BenchRow> rows);

// How far the program's own choice stays behind the best: by time for one device, by the model, without messages and
// with them, for several, which may well be one machine. The worst graph for each number of devices.
struct Shortfall {
  enum class By { time, volume, model };
  int devices = 1;
  By by = By::time;
  double ratio = 1;
  std::string graph;
};
std::vector<Shortfall> shortfalls_of_auto(std::span<const BenchRow> rows);

std::string bench_table(const BenchReport& report);
std::string bench_to_json(const BenchReport& report);
std::string bench_to_html(const BenchReport& report);

}  // namespace brushfire
#pragma GCC visibility pop
