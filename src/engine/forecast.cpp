// The model behind `brushfire plan`. All counts are of one search over p devices that share n vertices, m list entries
// and d delegates; sections are those of Pan, Pearce and Owens.
#include "base/error.hpp"
#include "build/degrees.hpp"
#include "build/kronecker_degrees.hpp"

#include <brushfire/forecast.hpp>
#include <brushfire/report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace brushfire {

namespace {

// What looking for a delegate costs a device on which it does not live, in a whole search, as a multiple of what a
// vertex costs the device where it lives: the b of section IV.B. From the work of one H200 as 4 and as 8 devices at
// scale 26, 2.34 and 3.21 times that of one when it was measured (make bench-parts), which give 3.0 and 2.9.
constexpr double vertices_per_delegate = 2.94;

// Of the graphs that speeds of devices are known for.
constexpr double known_edge_factor = 16;

// What each device keeps, and the threshold that this is for. Of a sample it needs Sample::normal_entries alone.
class MemoryModel {
 public:
  MemoryModel(const ForecastRequest& request, double sampled_entries)
      : request_(request), sampled_entries_(sampled_entries)
  {
    if (request.devices == 1) return;  // nothing is shared
    DegreeHistogram const degrees = expected_kronecker_degrees(request.scale, request.edge_factor);
    automatic_threshold_ = choose_threshold_of_parts(degrees, request.devices);
    chosen_ = separation_at(request.threshold.value_or(automatic_threshold_), degrees);
    if (!request.threshold && !fits()) choose_what_fits(degrees);
  }

  bool fits() const { return fits(chosen_); }

  // All of a forecast but levels and time.
  Forecast plan() const
  {
    DeviceBytes const bytes = bytes_with(chosen_);
    Forecast plan;
    plan.request = request_;
    plan.threshold = chosen_.threshold;
    plan.automatic_threshold = automatic_threshold_;
    plan.delegates = static_cast<std::uint64_t>(chosen_.delegates);
    plan.entries_nn = entries_nn(chosen_);
    plan.memory = {{"graph: rows and entries", bytes.graph},
                   {"search: parents, bits, queues", bytes.search},
                   {"messages", bytes.messages}};
    return plan;
  }

 private:
  // The one that sends least of all that the memory holds. None is left out for its many delegates, as the engine's
  // would be with d > 4n/p: with any one threshold more devices need less memory each, so whatever fits keeps fitting.
  void choose_what_fits(const DegreeHistogram& degrees)
  {
    double least = std::numeric_limits<double>::infinity();
    for (const Separation& separation : separations_of(degrees)) {
      if (double const sent = bytes_to_send(separation, request_.devices); sent < least && fits(separation)) {
        least = sent;
        chosen_ = separation;
      }
    }
  }

  std::uint64_t entries_nn(const Separation& separation) const
  {
    return static_cast<std::uint64_t>(separation.normal_entries * sampled_entries_);
  }

  // Table I, and what a search adds to it here.
  struct DeviceBytes {
    std::uint64_t graph = 0, search = 0, messages = 0;
  };
  DeviceBytes bytes_with(const Separation& separation) const
  {
    GraphFacts facts;
    facts.vertices = std::uint64_t{1} << request_.scale;
    facts.edges_stored = 2 * request_.edge_factor * facts.vertices;
    auto const p = static_cast<std::uint64_t>(request_.devices);
    auto const delegates = static_cast<std::uint64_t>(separation.delegates);
    std::uint64_t const own = facts.vertices / p + 1;
    std::uint64_t const far = entries_nn(separation) / p * sizeof(Vertex);  // what is sent, and as much that comes
    return {subgraph_bytes_by_paper(facts, delegates, request_.devices, entries_nn(separation)) / p,
            request_.device.row_bytes * (own + delegates), p > 1 ? 2 * far : 0};
  }

  bool fits(const Separation& separation) const
  {
    DeviceBytes const bytes = bytes_with(separation);
    return bytes.graph + bytes.search + bytes.messages <= request_.device.memory_bytes;
  }

  const ForecastRequest& request_;
  double sampled_entries_;
  std::uint64_t automatic_threshold_ = plain_threshold;
  Separation chosen_;
};

double mask_bytes(std::uint64_t delegates) { return static_cast<double>(delegates) / 8; }

class Model {
 public:
  Model(const ForecastRequest& request, const Sample& sample)
      : request_(request),
        sample_(sample),
        p_(request.devices),
        n_(std::exp2(request.scale)),
        in_node_(std::min(request.devices, request.network.devices_per_node))
  {
  }

  Forecast run()
  {
    result_ = MemoryModel(request_, sample_.normal_entries).plan();
    result_.sample = sample_;
    for (const SampleLevel& level : sample_.levels) result_.levels.push_back(forecast_of(level));
    for (const LevelForecast& level : result_.levels) result_.seconds += level.seconds();
    result_.teps = static_cast<double>(request_.edge_factor) * n_ / result_.seconds;
    return std::move(result_);
  }

 private:
  // Section IV.B: m' + d p b, of which a device has its part. What m' takes is known from one device alone.
  double compute_seconds() const
  {
    double const known_n = std::exp2(request_.device.known_scale);
    double const known_seconds = known_edge_factor * known_n / request_.device.known_teps;
    double const of_a_vertex = (known_seconds - levels() * request_.device.level_seconds) / known_n;
    double const looked_for = static_cast<double>(result_.delegates) * (p_ - 1) / p_;  // that live elsewhere
    return of_a_vertex * (n_ / p_ + vertices_per_delegate * looked_for);
  }

  // Section V.A: devices of a node send their masks to one of them, and get the result from it; nodes reduce as a tree.
  double mask_seconds() const
  {
    double const mask = mask_bytes(result_.delegates);
    double const nodes = std::ceil(p_ / in_node_);
    double const inside = 2 * (in_node_ - 1) * mask / request_.network.link_bytes_per_second;
    double const outside = nodes > 1 ? 2 * std::log2(nodes) * mask / request_.network.adapter_bytes_per_second : 0;
    return inside + outside;
  }

  // Section V.B, of what one device sends to all others.
  double seconds_to_send(double bytes) const
  {
    const NetworkModel& network = request_.network;
    double const leaves_node = p_ > in_node_ ? (p_ - in_node_) / (p_ - 1) : 0;
    double const by_link = bytes / network.link_bytes_per_second;
    double const by_adapter = bytes * network.devices_per_adapter / network.adapter_bytes_per_second;
    return (1 - leaves_node) * by_link + leaves_node * (by_adapter + (network.through_host ? 2 * by_link : 0));
  }

  LevelForecast forecast_of(const SampleLevel& level) const
  {
    LevelForecast forecast;
    forecast.compute_seconds = compute_seconds() * level.work + request_.device.level_seconds;
    if (p_ == 1) return forecast;
    double const masks = 2 * (p_ - 1) * mask_bytes(result_.delegates) * level.mask_exchanges;
    double const vertices = 4 * static_cast<double>(result_.entries_nn) * (p_ - 1) / p_ * level.far_entries;
    double const parents = n_ * level.parent_bytes;
    forecast.exchange_seconds = mask_seconds() * level.mask_exchanges + seconds_to_send((vertices + parents) / p_) +
                                level.messages * (p_ - 1) * request_.network.message_seconds;
    forecast.bytes_masks = static_cast<std::uint64_t>(masks);
    forecast.bytes_vertices = static_cast<std::uint64_t>(vertices);
    forecast.bytes_parents = static_cast<std::uint64_t>(parents);
    return forecast;
  }

  double levels() const { return static_cast<double>(sample_.levels.size()); }

  const ForecastRequest& request_;
  const Sample& sample_;
  double p_, n_;
  double in_node_;  // devices of a node
  Forecast result_;
};

}  // namespace

std::uint64_t Forecast::device_bytes() const
{
  return std::accumulate(memory.begin(), memory.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const PlannedBytes& item) { return sum + item.bytes; });
}

Forecast make_forecast(const ForecastRequest& request, const Sample& sample) { return Model(request, sample).run(); }

std::optional<int> devices_needed(const ForecastRequest& request, Progress& progress)
{
  auto const fits_on = [&](int devices, double sampled_entries) {
    ForecastRequest other = request;
    other.devices = devices;
    return MemoryModel(other, sampled_entries).fits();
  };
  // As few have a sample each. What that says of memory it can only add, so most need not be taken.
  for (int devices = 1; devices < most_sample_devices; ++devices)
    if (fits_on(devices, 0) && fits_on(devices, take_sample(devices, progress).normal_entries)) return devices;
  // All others share one, and more devices never need more memory each.
  double const sampled_entries = take_sample(most_sample_devices, progress).normal_entries;
  int enough = most_sample_devices;
  while (!fits_on(enough, sampled_entries)) {
    if (enough == most_forecast_devices) return std::nullopt;
    enough *= 2;
  }
  int least = std::max(enough / 2 + 1, most_sample_devices);  // fewer have been tried, with samples of their own
  while (least < enough) {
    int const middle = (least + enough) / 2;
    if (fits_on(middle, sampled_entries))
      enough = middle;
    else
      least = middle + 1;
  }
  return enough;
}

namespace {

std::string way_out(const Forecast& too_large, Progress& progress)
{
  const ForecastRequest& request = too_large.request;
  if (auto const needed = devices_needed(request, progress)) return fmt::format("{} devices would hold it", *needed);
  return request.threshold && too_large.delegates > 0
             ? fmt::format("its {} delegates fit no number of devices: give a larger --threshold", too_large.delegates)
             : fmt::format("{} devices would not hold it either", most_forecast_devices);
}

}  // namespace

Forecast forecast(const ForecastRequest& request, Progress& progress)
{
  Sample const sample = take_sample(request.devices, progress);
  Forecast result = make_forecast(request, sample);
  if (result.fits()) return result;
  fail(ErrorKind::memory, "scale {} on {} {} needs {} on each, which has {}; {}", request.scale, request.devices,
       request.device.name, human_bytes(result.device_bytes()), human_bytes(request.device.memory_bytes),
       way_out(result, progress));
}

}  // namespace brushfire
