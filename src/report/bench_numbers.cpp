// What follows from the numbers of a bench: the time that the model gives a search, and how rows compare. Only rows of
// the same graph and as many devices are compared: those are the choices that somebody with that machine has.
#include <brushfire/bench_report.hpp>

#include <algorithm>
#include <limits>

namespace brushfire {

TimeModel model_of(Device device)
{
  TimeModel model;
  if (device == Device::cuda) model.seconds_per_check = TimeModel::seconds_per_check_on_gpu;
  return model;
}

double modelled_seconds(std::span<const LevelRecord> levels, int devices, const TimeModel& model)
{
  // The device that has most has an even share at least, which is all of it where there is one.
  auto const largest_share = [&](std::uint64_t most, std::uint64_t all) {
    return std::max(static_cast<double>(most), static_cast<double>(all) / devices);
  };
  double seconds = 0;
  for (const LevelRecord& level : levels)
    seconds += largest_share(level.most_checked, level.edges_checked) * model.seconds_per_check +
               largest_share(level.most_bytes, level.bytes_sent) / model.bytes_per_second +
               largest_share(level.most_messages, level.messages + level.messages_parents) * model.seconds_per_message;
  return seconds;
}

namespace {

bool compete(const BenchRow& a, const BenchRow& b)
{
  return a.graph == b.graph && a.device == b.device && a.devices == b.devices;
}

double ratio_to_best(const BenchRow& row, std::span<const BenchRow> rows, double BenchRow::*seconds)
{
  double best = std::numeric_limits<double>::infinity();
  for (const BenchRow& other : rows)
    if (other.ran() && compete(row, other)) best = std::min(best, other.*seconds);
  return best > 0 ? row.*seconds / best : 1;
}

}  // namespace

void compare(std::span<BenchRow> rows)
{
  for (BenchRow& row : rows) {
    if (!row.ran()) continue;
    row.ratio = ratio_to_best(row, rows, &BenchRow::seconds);
    row.modelled_ratio = ratio_to_best(row, rows, &BenchRow::modelled_seconds);
  }
}

std::vector<Shortfall> shortfalls_of_auto(std::span<const BenchRow> rows)
{
  std::vector<Shortfall> shortfalls;
  for (const BenchRow& row : rows) {
    if (!row.ran() || row.preset != name_of(Preset::automatic) || row.direction != "auto") continue;
    bool const modelled = row.devices > 1;
    Shortfall const here{row.devices, modelled, modelled ? row.modelled_ratio : row.ratio, row.graph};
    auto const same = std::find_if(shortfalls.begin(), shortfalls.end(),
                                   [&](const Shortfall& other) { return other.devices == row.devices; });
    if (same == shortfalls.end())
      shortfalls.push_back(here);
    else if (here.ratio > same->ratio)
      *same = here;
  }
  return shortfalls;
}

}  // namespace brushfire
