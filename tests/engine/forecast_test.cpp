// What `brushfire plan` predicts, against what was published and measured. Only the speed of one device stands in the
// model; every other point here is a prediction.
#include "battery.hpp"

#include <brushfire/error.hpp>
#include <brushfire/forecast.hpp>
#include <brushfire/search.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <tuple>

namespace brushfire {
namespace {

DeviceModel device(const std::string& name)
{
  auto const models = device_models();
  return *std::find_if(models.begin(), models.end(), [&](const DeviceModel& model) { return model.name == name; });
}

NetworkModel network(const std::string& name)
{
  auto const models = network_models();
  return *std::find_if(models.begin(), models.end(), [&](const NetworkModel& model) { return model.name == name; });
}

ForecastRequest request(int scale, int devices, const std::string& device_model, const std::string& network_model)
{
  ForecastRequest request;
  request.scale = scale;
  request.devices = devices;
  request.device = device(device_model);
  request.network = network(network_model);
  return request;
}

struct Point {
  int scale, devices;
  double gteps;
};

TEST(Forecast, HasThePointsOfPanPearceAndOwens)
{
  for (auto const& [scale, devices, gteps] :
       {Point{24, 1, 22.9}, {25, 2, 32.5}, {26, 4, 39.8}, {29, 8, 53.13}, {33, 124, 259.8}}) {
    double const predicted = forecast(request(scale, devices, "p100", "edr")).teps / 1e9;
    double const allowed = devices == 1 ? 0.001 : 0.25;  // the first is what the model was given
    EXPECT_NEAR(predicted / gteps, 1, allowed) << scale << " on " << devices << ": " << predicted << " GTEPS";
  }
}

// Figure 11: scale 30 with the paper's threshold becomes 29 % faster from 12 to 24 devices and stays there. The drop
// past 48 is not in the model (docs/planning.md).
TEST(Forecast, FlattensAsThePaperDoes)
{
  auto const teps = [](int devices) {
    ForecastRequest strong = request(30, devices, "p100", "edr");
    strong.threshold = 64;
    return forecast(strong).teps;
  };
  double const on_12 = teps(12), on_24 = teps(24), on_48 = teps(48), on_96 = teps(96);
  EXPECT_NEAR(on_24 / on_12, 1.29, 0.13);
  EXPECT_NEAR(on_48 / on_24, 1, 0.12);
  EXPECT_NEAR(on_96 / on_48, 1, 0.05);
}

TEST(Forecast, HasTheScalesThatWereMeasuredOnOneH200)
{
  for (auto const& [scale, devices, gteps] :
       {Point{22, 1, 314}, {24, 1, 532}, {26, 1, 738}, {27, 1, 771}, {28, 1, 796}})
    EXPECT_NEAR(forecast(request(scale, devices, "h200", "ndr")).teps / 1e9 / gteps, 1, 0.1) << scale;
}

// At its own size a sample predicts itself: bytes are those that its searches sent.
TEST(Forecast, SendsWhatTheSampleSent)
{
  constexpr int devices = 4;
  Sample const sample = take_sample(devices);
  Forecast const forecast = make_forecast(request(sample.scale, devices, "p100", "edr"), sample);
  GraphOptions how;
  how.device = Device::cpu;
  how.preset = Preset::delegates;
  how.devices = devices;
  Graph const graph = Graph::open("kron:" + std::to_string(sample.scale), how);
  EXPECT_NEAR(static_cast<double>(forecast.delegates), static_cast<double>(graph.facts().delegates),
              0.01 * static_cast<double>(graph.facts().delegates));
  SearchOptions options;
  options.device = Device::cpu;
  options.preset = Preset::delegates;
  Search search(graph, options);
  double masks = 0, vertices = 0, parents = 0;
  auto const roots = random_sources(graph, static_cast<std::size_t>(sample.roots), 1);
  for (Label const root : roots)
    for (const LevelRecord& level : search.run(root).trace->records()) {
      masks += static_cast<double>(level.bytes_masks) / sample.roots;
      vertices += static_cast<double>(level.bytes_vertices) / sample.roots;
      parents += static_cast<double>(level.bytes_parents) / sample.roots;
    }
  auto const sum = [&](std::uint64_t LevelForecast::*kind) {
    double bytes = 0;
    for (const LevelForecast& level : forecast.levels) bytes += static_cast<double>(level.*kind);
    return bytes;
  };
  EXPECT_NEAR(sum(&LevelForecast::bytes_masks), masks, 0.02 * masks);
  EXPECT_NEAR(sum(&LevelForecast::bytes_vertices), vertices, 0.05 * vertices);
  EXPECT_NEAR(sum(&LevelForecast::bytes_parents), parents, 0.01 * parents + 100);
}

TEST(Forecast, NamesTheLeastNumberOfDevicesThatHoldTheGraph)
{
  for (auto const& [scale, edge_factor, model] :
       {std::tuple{30, 16, "p100"}, {40, 16, "h200"}, {36, 16, "h200"}, {27, 1024, "p100"}}) {
    SCOPED_TRACE(scale);
    ForecastRequest wish = request(scale, 1, model, "edr");
    wish.edge_factor = static_cast<std::uint64_t>(edge_factor);
    auto const needed = devices_needed(wish);
    ASSERT_TRUE(needed.has_value());
    auto const fits = [&](int devices) {
      wish.devices = devices;
      return make_forecast(wish, take_sample(devices)).fits();
    };
    EXPECT_FALSE(fits(*needed / 2));
    EXPECT_FALSE(fits(*needed - 1));
    for (int const more : {0, 1, 10, 100, 1000}) EXPECT_TRUE(fits(*needed + more)) << more;
  }
}

TEST(Forecast, NamesNoNumberWhereNoneHoldsTheGraph)
{
  ForecastRequest wish = request(40, 2, "p100", "edr");
  wish.threshold = 1;  // a third of all vertices on every device
  EXPECT_FALSE(devices_needed(wish).has_value());
}

// Past 3600 devices only thresholds above 4095 leave as few delegates as the engine allows.
TEST(Forecast, KeepsFittingAndGetsNoSlowerWithMoreDevices)
{
  Sample const sample = take_sample(most_sample_devices);
  double before = std::numeric_limits<double>::infinity();
  for (int devices = 3000; devices <= 4200; devices += devices == 3690 ? 9 : 10) {
    Forecast const plan = make_forecast(request(40, devices, "h200", "ndr"), sample);
    EXPECT_TRUE(plan.fits()) << devices;
    EXPECT_EQ(plan.threshold, plan.automatic_threshold) << devices;
    EXPECT_LE(plan.delegates, (std::uint64_t{4} << 40) / static_cast<std::uint64_t>(devices));
    EXPECT_LT(plan.seconds, before * 1.01) << devices;
    before = plan.seconds;
  }
}

// The engine's choice for 2500 needs 155 GiB, a threshold above it 127.
TEST(Forecast, TakesAThresholdThatFitsWhereTheEnginesDoesNot)
{
  Sample const sample = take_sample(most_sample_devices);
  ForecastRequest wish = request(40, 2500, "h200", "ndr");
  Forecast const plan = make_forecast(wish, sample);
  EXPECT_TRUE(plan.fits());
  wish.threshold = plan.automatic_threshold;
  EXPECT_FALSE(make_forecast(wish, sample).fits());
  wish.threshold = plan.threshold;
  Forecast const given = make_forecast(wish, sample);
  EXPECT_EQ(given.device_bytes(), plan.device_bytes());
  EXPECT_EQ(given.seconds, plan.seconds);
  EXPECT_NE(forecast_text(plan).find("search with --threshold"), std::string::npos);
  EXPECT_EQ(forecast_text(given).find("search with --threshold"), std::string::npos);
}

// The paper held these: scale 28 on 4, 29 on 8, 33 on 124 GPUs of 16 GB, and nobody holds scale 28 on one.
TEST(Forecast, HoldsWhatThePaperHeld)
{
  Sample const sample = take_sample(4);
  for (auto const& [scale, devices, held] : {std::array{28, 4, 1}, {29, 8, 1}, {33, 124, 1}, {28, 1, 0}})
    EXPECT_EQ(make_forecast(request(scale, devices, "p100", "edr"), sample).fits(), held == 1) << scale;
}

}  // namespace
}  // namespace brushfire
