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
    row.volume_ratio = ratio_to_best(row, rows, &BenchRow::volume_seconds);
  }
}

std::vector<Shortfall> shortfalls_of_auto(std::span<const BenchRow> rows)
{
  std::vector<Shortfall> shortfalls;
  auto const add = [&](const Shortfall& here) {
    auto const same = std::find_if(shortfalls.begin(), shortfalls.end(), [&](const Shortfall& other) {
      return other.devices == here.devices && other.by == here.by;
    });
    if (same == shortfalls.end())
      shortfalls.push_back(here);
    else if (here.ratio > same->ratio)
      *same = here;
  };
  for (const BenchRow& row : rows) {
    if (!row.ran() || row.preset != name_of(Preset::automatic) || row.direction != "auto") continue;
    if (row.devices == 1) {
      add({row.devices, Shortfall::By::time, row.ratio, row.graph});
    } else {
      add({row.devices, Shortfall::By::volume, row.volume_ratio, row.graph});
      add({row.devices, Shortfall::By::model, row.modelled_ratio, row.graph});
    }
  }
  return shortfalls;
}

}  // namespace brushfire
