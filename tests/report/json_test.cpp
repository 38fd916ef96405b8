// The JSON of a report, key by key: schema "brushfire/1" is a promise to scripts.
#include "report/sample_report.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace brushfire {

namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> keys_of(const Json& json)
{
  std::vector<std::string> keys;
  for (auto const& item : json.items()) keys.push_back(item.key());
  return keys;
}

Json parsed(const Report& report) { return Json::parse(to_json(report)); }

TEST(ReportJson, HasTheKeysOfTheSchema)
{
  auto const json = parsed(testing::sample_report());
  using Keys = std::vector<std::string>;
  EXPECT_EQ(json["schema"], "brushfire/1");
  EXPECT_EQ(json["version"], version());
  EXPECT_EQ(json["command"], "graph500");
  EXPECT_EQ(keys_of(json), (Keys{"schema", "version", "command", "host", "graph", "config", "graph500", "searches",
                                 "teps", "memory"}));
  EXPECT_EQ(keys_of(json["host"]), (Keys{"cpu", "cores", "gpus", "ranks"}));
  EXPECT_EQ(keys_of(json["graph"]), (Keys{"name", "vertices", "edges_input", "edges_stored", "bytes",
                                          "generation_seconds", "construction_seconds"}));
  EXPECT_EQ(keys_of(json["teps"]),
            (Keys{"harmonic_mean", "harmonic_stddev", "min", "firstquartile", "median", "thirdquartile", "max"}));
  EXPECT_EQ(keys_of(json["memory"]), (Keys{"host_peak_bytes", "device_bytes"}));
  for (auto const* key : {"device", "ranks", "devices", "preset", "partition", "exchange", "threshold", "fanout"})
    EXPECT_TRUE(json["config"].contains(key)) << key;
  for (auto const* key : {"root", "seconds", "nedge", "teps", "reached", "depth", "valid", "trace"})
    EXPECT_TRUE(json["searches"][0].contains(key)) << key;
  EXPECT_EQ(keys_of(json["searches"][0]["trace"][0]), (Keys{"level", "direction", "frontier", "edges_checked",
                                                            "discovered", "seconds", "bytes_sent", "messages"}));
}

TEST(ReportJson, KeepsTheNumbers)
{
  auto report = testing::sample_report();
  report.searches[0].root = largest_label;
  auto const json = parsed(report);
  EXPECT_EQ(json["searches"][0]["root"], largest_label);
  EXPECT_EQ(json["searches"][0]["nedge"], 16775818);
  EXPECT_EQ(json["searches"][1]["seconds"], 0.25);
  EXPECT_EQ(json["graph"]["edges_stored"], 31000000);
  EXPECT_EQ(json["teps"]["max"], 16775818 / 0.25);
}

TEST(ReportJson, ValidIsNullWhenNobodyLooked)
{
  auto report = testing::sample_report();
  report.searches[0].valid.reset();
  report.searches[1].valid = false;
  report.searches[1].violation = "rule 3: edge 1-2";
  auto const json = parsed(report);
  EXPECT_TRUE(json["searches"][0]["valid"].is_null());
  EXPECT_EQ(json["searches"][1]["valid"], false);
  EXPECT_EQ(json["searches"][1]["violation"], "rule 3: edge 1-2");
  EXPECT_EQ(json["searches"][2]["valid"], true);
}

TEST(ReportJson, OnlySearchesForATargetHaveAPath)
{
  auto report = testing::sample_report();
  report.searches[0].path = {100, 7, 2};
  report.searches[1].path.emplace();
  auto const json = parsed(report);
  EXPECT_EQ(json["searches"][0]["path"], Json::parse("[100, 7, 2]"));
  EXPECT_EQ(json["searches"][1]["path"], Json::array());
  EXPECT_FALSE(json["searches"][2].contains("path"));
}

TEST(ReportJson, DirectionIsAWordWhereAllAgree)
{
  auto report = testing::sample_report();
  auto const separated = parsed(report)["searches"][0]["trace"];
  EXPECT_EQ(separated[0]["direction"], "push");
  EXPECT_EQ(separated[1]["direction"], Json::parse(R"({"dd":"pull","dn":"pull","nd":"pull","nn":"push"})"));

  report.config.threshold.reset();  // a plain graph has nn edges only, whatever the other three say
  EXPECT_EQ(parsed(report)["searches"][0]["trace"][1]["direction"], "push");
}

TEST(ReportJson, OnlySummarisedRecordsSayHowManyLevels)
{
  auto const trace = parsed(testing::sample_report())["searches"][0]["trace"];
  EXPECT_FALSE(trace[0].contains("levels"));
  EXPECT_EQ(trace[1]["levels"], 7);
}

TEST(ReportJson, OnlyTheAdaptivePresetHasQueuesAndBalances)
{
  auto report = testing::sample_report();
  for (auto const* key : {"frontier", "balance", "async_pull"}) EXPECT_FALSE(parsed(report)["config"].contains(key));

  report.config.device = "cuda";
  report.config.preset = "adaptive";
  report.config.balance = "warp";
  report.searches[0].trace[0].queue = FrontierQueue::scan_free;
  report.searches[0].trace[1].balance = PullBalance::donate;
  auto json = parsed(report);
  EXPECT_EQ(json["config"]["frontier"], "auto");
  EXPECT_EQ(json["config"]["balance"], "warp");
  EXPECT_TRUE(json["config"]["async_pull"].is_null());
  auto const& trace = json["searches"][0]["trace"];
  EXPECT_EQ(trace[0]["queue"], "scan-free");
  EXPECT_FALSE(trace[0].contains("balance"));
  EXPECT_FALSE(trace[1].contains("queue"));
  EXPECT_EQ(trace[1]["balance"], "donate");
  for (auto const& level : trace) EXPECT_FALSE(level.contains("async_pull"));

  report.config.async_pull = false;
  EXPECT_EQ(parsed(report)["config"]["async_pull"], false);
  for (bool const async : {false, true}) {
    report.searches[0].trace[1].async_pull = async;
    auto const levels = parsed(report)["searches"][0]["trace"];
    EXPECT_FALSE(levels[0].contains("async_pull"));
    EXPECT_EQ(levels[1]["async_pull"], async);
  }
}

TEST(ReportJson, OnlySearchesOnAGpuHaveACopyToTheHost)
{
  auto report = testing::sample_report();
  report.searches[1].seconds_to_host = 0.125;
  auto const searches = parsed(report)["searches"];
  EXPECT_FALSE(searches[0].contains("seconds_to_host"));
  EXPECT_EQ(searches[1]["seconds_to_host"], 0.125);
}

TEST(ReportJson, RepairsNamesThatAreNotUtf8)
{
  auto report = testing::sample_report();
  report.graph.name = "caf\xe9 \"quoted\"\n.el";
  EXPECT_EQ(parsed(report)["graph"]["name"], "caf\xef\xbf\xbd \"quoted\"\n.el");
}

TEST(ReportJson, InfoHasGraphSummaryAndPlan)
{
  GraphFacts facts;
  facts.name = "star:7";
  facts.vertices = 7;
  facts.entries = {1, 2, 3, 4};
  GraphSummary summary;
  summary.degrees = {{.from = 1, .to = 1, .vertices = 6, .entries = 6}};
  summary.suggested_threshold = 5;
  MemoryPlan plan;
  plan.items = {{"rows", 100}};
  plan.peak_bytes = 100;
  plan.available_bytes = 99;
  auto const json = Json::parse(info_to_json({.cpu = "Example CPU", .gpus = {"Example GPU"}}, facts, summary, plan));
  EXPECT_EQ(json["schema"], "brushfire/1");
  EXPECT_EQ(json["command"], "info");
  EXPECT_EQ(json["host"]["gpus"], Json::parse(R"(["Example GPU"])"));
  EXPECT_EQ(json["graph"]["vertices"], 7);
  EXPECT_TRUE(json["summary"]["threshold"].is_null());
  EXPECT_EQ(json["summary"]["suggested_threshold"], 5);
  EXPECT_EQ(json["summary"]["entries"]["nn"], 4);
  EXPECT_EQ(json["summary"]["degrees"][0]["vertices"], 6);
  EXPECT_EQ(json["plan"]["items"][0]["what"], "rows");
  EXPECT_EQ(json["plan"]["fits"], false);
}

TEST(ReportJson, APlanHasTheKeysOfTheSchema)
{
  MemoryPlan plan;
  plan.graph = "kron:9";
  plan.vertices = 512;
  plan.edges = 8192;
  plan.tuples = "generated twice";
  plan.items = {{"rows", 60}, {"parents", 40}};
  plan.peak_bytes = 100;
  plan.available_bytes = 100;
  auto const json = Json::parse(plan_to_json("bfs", plan));
  using Keys = std::vector<std::string>;
  EXPECT_EQ(keys_of(json), (Keys{"schema", "version", "command", "plan"}));
  EXPECT_EQ(json["command"], "bfs");
  EXPECT_EQ(keys_of(json["plan"]), (Keys{"graph", "vertices", "edges", "tuples", "memory", "ranks", "devices", "per",
                                         "items", "peak_bytes", "available_bytes", "fits"}));
  EXPECT_EQ(json["plan"]["per"], "rank");
  EXPECT_EQ(json["plan"]["graph"], "kron:9");
  EXPECT_EQ(json["plan"]["edges"], 8192);
  EXPECT_EQ(json["plan"]["tuples"], "generated twice");
  EXPECT_EQ(json["plan"]["items"][1], Json::parse(R"({"what": "parents", "bytes": 40})"));
  EXPECT_EQ(json["plan"]["fits"], true);
}

TEST(HostReport, DescribesThisMachine)
{
  auto const host = describe_host();
  EXPECT_FALSE(host.cpu.empty());
  EXPECT_GE(host.cores, 1);
  EXPECT_GT(describe_memory().host_peak_bytes, 0u);
}

}  // namespace

}  // namespace brushfire
