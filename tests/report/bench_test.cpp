// A bench from its numbers on: what the model makes of them, how rows compare, and the three ways to show them.
#include "report/page_checks.hpp"

#include <brushfire/bench_report.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace brushfire {

namespace {

using Json = nlohmann::ordered_json;

BenchRow row_of(const std::string& graph, const std::string& preset, int devices, double seconds, double modelled)
{
  BenchRow row;
  row.graph = graph;
  row.preset = preset;
  row.device = "cpu";
  row.devices = devices;
  row.direction = "auto";
  row.seconds = seconds;
  row.fastest = seconds / 2;
  row.slowest = 2 * seconds;
  row.teps = 1e9;
  row.modelled_seconds = modelled;
  row.volume_seconds = 100 * modelled * modelled;
  row.bytes_sent = 2048;
  row.messages = 12345;
  row.graph_bytes = 3 << 20;
  return row;
}

BenchRow left_out(const std::string& graph, const std::string& preset, int devices, const std::string& why)
{
  BenchRow row = row_of(graph, preset, devices, 0, 0);
  row.why_not = why;
  return row;
}

// On one device auto is the slower of two on the grid, by the model it would be the faster; on four the other way
// round.
BenchReport sample_bench()
{
  BenchReport report;
  report.host = {.cpu = "Example CPU", .cores = 2, .gpus = {}, .ranks = 1};
  report.roots = 4;
  report.rounds = 5;
  report.validated = true;
  report.graphs.resize(2);
  report.graphs[0].name = "kron:10";
  report.graphs[0].vertices = 1024;
  report.graphs[0].edges_input = 16384;
  report.graphs[1].name = "grid:9x9";
  report.rows = {row_of("kron:10", "auto", 1, 0.001, 0.002),       row_of("kron:10", "delegates", 1, 0.002, 0.002),
                 left_out("kron:10", "ring", 1, "it is away"),     left_out("kron:10", "grid", 1, "it is away"),
                 left_out("kron:10", "ring", 4, "it is away"),     left_out("kron:10", "grid", 4, "it is away"),
                 row_of("grid:9x9", "auto", 1, 0.0033, 0.001),     row_of("grid:9x9", "delegates", 1, 0.003, 0.004),
                 row_of("grid:9x9", "auto", 4, 0.001, 0.006),      row_of("grid:9x9", "delegates", 4, 0.1, 0.005),
                 left_out("grid:9x9", "ring", 1, "it is away"),    left_out("grid:9x9", "grid", 1, "it is away"),
                 left_out("grid:9x9", "ring", 4, "it is away"),    left_out("grid:9x9", "grid", 4, "it is away"),
                 left_out("grid:9x9", "butterfly", 4, "too small")};
  compare(report.rows);
  return report;
}

TEST(BenchModel, PricesTheDeviceThatHasMostInEachLevel)
{
  TimeModel const model{.seconds_per_check = 1, .bytes_per_second = 0.01, .seconds_per_message = 10000};
  LevelRecord level;
  level.edges_checked = 8;
  level.bytes_sent = 4;
  level.messages = 2;
  // One device has all; four have an even share, unless one of them has more.
  EXPECT_DOUBLE_EQ(modelled_seconds(std::vector{level}, 1, model), 8 + 400 + 20000);
  EXPECT_DOUBLE_EQ(modelled_seconds(std::vector{level}, 4, model), 2 + 100 + 5000);
  level.most_checked = 5;
  level.most_bytes = 3;
  level.most_messages = 1;
  EXPECT_DOUBLE_EQ(modelled_seconds(std::vector{level}, 4, model), 5 + 300 + 10000);
  EXPECT_DOUBLE_EQ(modelled_seconds(std::vector{level, level}, 4, model), 2 * (5 + 300 + 10000));
  EXPECT_DOUBLE_EQ(modelled_seconds(std::vector{level}, 4, model.without_messages()), 5 + 300);
  EXPECT_EQ(modelled_seconds({}, 4, model), 0);
}

TEST(BenchModel, AGpuChecksFaster)
{
  EXPECT_LT(model_of(Device::cuda).seconds_per_check, model_of(Device::cpu).seconds_per_check);
  EXPECT_EQ(model_of(Device::cuda).bytes_per_second, model_of(Device::cpu).bytes_per_second);
}

TEST(BenchRatios, AreToTheBestOfTheSameGraphAndAsManyDevices)
{
  auto const rows = sample_bench().rows;
  EXPECT_DOUBLE_EQ(rows[0].ratio, 1);
  EXPECT_DOUBLE_EQ(rows[1].ratio, 2);
  EXPECT_DOUBLE_EQ(rows[1].modelled_ratio, 1);
  EXPECT_DOUBLE_EQ(rows[6].ratio, 1.1);
  EXPECT_DOUBLE_EQ(rows[7].modelled_ratio, 4);
  EXPECT_DOUBLE_EQ(rows[8].modelled_ratio, 1.2);
  EXPECT_DOUBLE_EQ(rows[8].volume_ratio, 1.44);
  EXPECT_EQ(rows[2].ratio, 0);  // it did not run
}

TEST(BenchRatios, TheShortfallOfAutoIsThatOfItsWorstGraph)
{
  auto const shortfalls = shortfalls_of_auto(sample_bench().rows);
  ASSERT_EQ(shortfalls.size(), 3u);
  EXPECT_EQ(shortfalls[0].devices, 1);
  EXPECT_EQ(shortfalls[0].by, Shortfall::By::time);
  EXPECT_DOUBLE_EQ(shortfalls[0].ratio, 1.1);
  EXPECT_EQ(shortfalls[0].graph, "grid:9x9");
  EXPECT_EQ(shortfalls[1].devices, 4);
  EXPECT_EQ(shortfalls[1].by, Shortfall::By::volume);
  EXPECT_DOUBLE_EQ(shortfalls[1].ratio, 1.44);
  EXPECT_EQ(shortfalls[2].devices, 4);
  EXPECT_EQ(shortfalls[2].by, Shortfall::By::model);
  EXPECT_DOUBLE_EQ(shortfalls[2].ratio, 1.2);
}

TEST(BenchTable, HasARowForEachCombinationAndEveryReasonOnce)
{
  auto const text = bench_table(sample_bench());
  for (auto const* part : {"kron:10: 1024 vertices, 16384 edges\n", "  delegates       1 auto             2", "1-4",
                           "2.0 KiB", "12345", "3.0 MiB", "6 ns per entry checked, 25 GB/s, 5 µs per message",
                           "auto on 1 device: at most 1.10 times the best, by measured time",
                           "auto on 4 devices: at most 1.44 times the best, by what is checked and sent (grid:9x9)",
                           "auto on 4 devices: at most 1.20 times the best, by the model with messages (grid:9x9)",
                           "a round before them was valid"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_EQ(testing::count_of(text, "  ring "), 4u);
  EXPECT_EQ(testing::count_of(text, "it is away"), 1u);
  EXPECT_NE(text.find("–         ring, grid on 1, 4 devices: it is away\n"), std::string::npos) << text;
  EXPECT_NE(text.find("–         butterfly on 4 devices: too small\n"), std::string::npos) << text;
}

TEST(BenchJson, HasTheNumbersOfARowOrWhyThereAreNone)
{
  auto const json = Json::parse(bench_to_json(sample_bench()));
  EXPECT_EQ(json["schema"], "brushfire/1");
  EXPECT_EQ(json["command"], "bench");
  EXPECT_EQ(json["host"]["cpu"], "Example CPU");
  EXPECT_EQ(json["model"]["bytes_per_second"], 25e9);
  EXPECT_EQ(json["graphs"][0]["vertices"], 1024);
  ASSERT_EQ(json["rows"].size(), 15u);
  auto const& row = json["rows"][1];
  EXPECT_EQ(row["preset"], "delegates");
  EXPECT_EQ(row["seconds"], 0.002);
  EXPECT_EQ(row["seconds_max"], 0.004);
  EXPECT_EQ(row["ratio"], 2);
  EXPECT_EQ(row["messages"], 12345);
  EXPECT_FALSE(row.contains("why_not"));
  EXPECT_TRUE(json["rows"][2]["seconds"].is_null());
  EXPECT_EQ(json["rows"][2]["why_not"], "it is away");
  EXPECT_EQ(json["auto"][1]["by"], "volume");
  EXPECT_EQ(json["auto"][2]["by"], "model");
}

TEST(BenchHtml, TheHeadlineSaysByWhichMeasure)
{
  constexpr const char* take_turns = "Measured time judges one device only";
  auto report = sample_bench();
  auto const of_several = bench_to_html(report);
  EXPECT_NE(of_several.find("1.44 ×</p>\n<p class=\"quiet\">the best, by what is checked and sent: the program's own "
                            "choice on 4 devices,"),
            std::string::npos);
  EXPECT_NE(of_several.find(take_turns), std::string::npos);
  std::erase_if(report.rows, [](const BenchRow& row) { return row.devices > 1; });
  auto const of_one = bench_to_html(report);
  EXPECT_NE(
      of_one.find("1.10 ×</p>\n<p class=\"quiet\">the best, by measured time: the program's own choice on 1 device,"),
      std::string::npos);
  EXPECT_EQ(of_one.find(take_turns), std::string::npos);
}

TEST(BenchHtml, IsAPageOfItsOwn)
{
  auto report = sample_bench();
  auto const html = bench_to_html(report);
  EXPECT_TRUE(testing::balanced(html));
  testing::needs_nothing_else(html);
  EXPECT_EQ(testing::count_of(html, "<h2>"), 3u);
  EXPECT_EQ(testing::count_of(html, "<td>ring</td>"), 4u);
  EXPECT_EQ(testing::count_of(html, "class=\"plot\""), testing::count_of(html, "<summary>Table</summary>"));
  EXPECT_NE(html.find("width: 50.00%"), std::string::npos);

  std::string const evil = "<script>alert('x')</script>&\"";
  report.host.cpu = report.graphs[0].name = report.command_line = evil;
  for (BenchRow& row : report.rows) {
    if (!row.ran()) row.why_not = evil;
    if (row.graph == "kron:10") row.graph = evil;
    row.preset = row.direction = evil;
  }
  auto const safe = bench_to_html(report);
  EXPECT_EQ(safe.find("<script"), std::string::npos);
  EXPECT_EQ(safe.find("alert('"), std::string::npos);
  EXPECT_TRUE(testing::balanced(safe));
}

}  // namespace

}  // namespace brushfire
