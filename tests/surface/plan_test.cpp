// brushfire plan as scripts meet it: text or JSON on stdout, mistakes that name what is known, and exit code 4 with a
// way out when the machine is too small.
#include "surface/program.hpp"

#include <nlohmann/json.hpp>

namespace brushfire::testing {

namespace {

using Json = nlohmann::json;

class PlanTest : public ProgramTest {};

TEST_F(PlanTest, SaysMemoryTimeByLevelAndSpeed)
{
  auto const outcome = run({"plan", "29", "--devices", "8", "--device-model", "p100", "--network", "edr", "-q"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  for (auto const part : {"8 x NVIDIA P100", "InfiniBand EDR", "delegates", "memory", "exchange ms", "GTEPS"})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << "\n" << outcome.out;
}

TEST_F(PlanTest, TheJsonAddsUp)
{
  auto const outcome = run({"plan", "30", "--devices", "16", "--device-model", "h100", "--network", "ndr",
                            "--threshold", "64", "--json", "-"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  auto const json = Json::parse(outcome.out);
  EXPECT_EQ(json["schema"], "brushfire/1");
  EXPECT_EQ(json["command"], "plan");
  EXPECT_EQ(json["threshold"], 64);
  EXPECT_EQ(json["network"]["name"], "ndr");
  double seconds = 0;
  for (auto const& level : json["levels"]) seconds += level["seconds"].get<double>();
  EXPECT_DOUBLE_EQ(seconds, json["seconds"].get<double>());
  EXPECT_DOUBLE_EQ(json["teps"].get<double>() * seconds, 16.0 * (1u << 30));
  std::uint64_t bytes = 0;
  for (auto const& item : json["memory"]["items"]) bytes += item["bytes"].get<std::uint64_t>();
  EXPECT_EQ(bytes, json["memory"]["device_bytes"]);
}

TEST_F(PlanTest, OneDeviceNeedsNoNetwork)
{
  auto const outcome = run({"plan", "26", "--device-model", "h200", "--json", "-"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(Json::parse(outcome.out)["network"].is_null());
}

TEST_F(PlanTest, RefusesWhatItDoesNotKnow)
{
  expect_refused({"plan", "26", "--device-model", "k20"}, 2, "'k20' is not known; there are p100, v100, h100, h200");
  expect_refused({"plan", "26", "--device-model", "h200", "--devices", "2", "--network", "token-ring"}, 2,
                 "there are edr, dgx-2, ndr");
  expect_refused({"plan", "26", "--device-model", "h200", "--devices", "2"}, 2, "--network is needed");
  expect_refused({"plan", "26"}, 2, "--device-model is needed");
  expect_refused({"plan", "0", "--device-model", "h200"}, 2, "SCALE");
  expect_refused({"plan"}, 2, "SCALE");
  expect_refused({"plan", "26", "--device-model", "h200", "--threshold", "4294967296"}, 2, "--threshold");
}

TEST_F(PlanTest, SaysHowManyDevicesItWouldTake)
{
  expect_refused({"plan", "30", "--devices", "8", "--device-model", "p100", "--network", "edr", "-q"}, 4,
                 "10 devices would hold it");
}

}  // namespace

}  // namespace brushfire::testing
