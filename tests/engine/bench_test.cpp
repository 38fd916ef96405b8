// The bench as an embedding program runs it: every combination that can run does, over the same roots, and the others
// say why not.
#include <brushfire/bench.hpp>
#include <brushfire/error.hpp>

#include <gtest/gtest.h>

#include <map>

namespace brushfire {

namespace {

BenchOptions small_bench()
{
  BenchOptions options;
  options.graphs = {"kron:9", "grid:12x12"};
  options.presets = {Preset::automatic, Preset::delegates, Preset::adaptive};
  options.devices = {1, 3};
  options.directions = {std::nullopt, Direction::push};
  options.roots = 3;
  options.rounds = 2;
  options.graph.device = Device::cpu;
  return options;
}

ErrorKind kind_of_failure(const BenchOptions& options)
{
  try {
    run_bench(options);
  } catch (const Error& error) {
    return error.kind();
  }
  ADD_FAILURE() << "it ran";
  return ErrorKind::failure;
}

TEST(Bench, MeasuresEveryCombinationThatCanRun)
{
  BenchReport const report = run_bench(small_bench());
  ASSERT_EQ(report.graphs.size(), 2u);
  EXPECT_EQ(report.graphs[0].vertices, 512u);
  EXPECT_EQ(report.graphs[1].edges_input, 264u);
  ASSERT_EQ(report.rows.size(), 2u * 3 * 2 * 2);
  for (const BenchRow& row : report.rows) {
    SCOPED_TRACE(row.graph + " " + row.preset + " " + std::to_string(row.devices) + " " + row.direction);
    EXPECT_EQ(row.why_not, "");
    EXPECT_EQ(row.device, "cpu");
    EXPECT_GT(row.fastest, 0);
    EXPECT_LE(row.fastest, row.seconds);
    EXPECT_LE(row.seconds, row.slowest);
    EXPECT_GT(row.teps, 0);
    EXPECT_GE(row.ratio, 1);
    EXPECT_GE(row.modelled_ratio, 1);
    EXPECT_GT(row.edges_checked, 0u);
    EXPECT_GT(row.graph_bytes, 0u);
    EXPECT_EQ(row.bytes_sent > 0, row.devices > 1);
    EXPECT_EQ(row.messages > 0, row.devices > 1);
    double const alone = static_cast<double>(row.edges_checked) * report.model.seconds_per_check;
    if (row.devices == 1)
      EXPECT_NEAR(row.modelled_seconds, alone, 1e-9 * alone + report.model.seconds_per_check);
    else
      EXPECT_GT(row.modelled_seconds, row.volume_seconds);
    EXPECT_GE(row.volume_seconds, 0.999 * alone / row.devices);
    EXPECT_GE(row.volume_ratio, 1);
  }
}

// Pushing looks at every list of a component once, wherever the lists are: 3 roots of a connected graph, 2 rounds.
TEST(Bench, CountsOneSearch)
{
  for (const BenchRow& row : run_bench(small_bench()).rows)
    if (row.graph == "grid:12x12" && row.ran() && row.direction == "push") {
      EXPECT_EQ(row.edges_checked, 2u * 264) << row.devices;
    }
}

// Rows are comparable because the roots are: what a search sends depends on nothing else here.
TEST(Bench, TheSameSeedMeasuresTheSameSearches)
{
  auto options = small_bench();
  options.directions = {Direction::push};
  options.graph.threads = options.search.threads = 1;
  auto const bytes = [&](std::uint64_t seed) {
    options.seed = seed;
    std::vector<std::uint64_t> sent;
    for (const BenchRow& row : run_bench(options).rows) sent.push_back(row.bytes_sent);
    return sent;
  };
  auto const first = bytes(1);
  EXPECT_EQ(bytes(1), first);
  EXPECT_NE(bytes(7), first);
}

// The work of the model is that of the device that has most of it: a star is all on the device of its centre, unless
// that is a delegate.
TEST(Bench, TheModelWaitsForTheBusiestDevice)
{
  auto options = small_bench();
  options.graphs = {"star:3000"};
  options.presets = {Preset::automatic};
  options.devices = {4};
  options.directions = {Direction::push};
  options.graph.threshold = plain_threshold;
  options.model = TimeModel{.seconds_per_check = 1, .bytes_per_second = 1e30, .seconds_per_message = 0};
  BenchReport const report = run_bench(options);
  EXPECT_GT(report.rows[0].modelled_seconds, 2998);
  EXPECT_EQ(report.model.seconds_per_check, 1);
}

TEST(Bench, WhatDoesNotFitIsARow)
{
  auto options = small_bench();
  options.graphs = {"kron:40", "path:9"};
  options.validate = false;
  BenchReport const report = run_bench(options);
  EXPECT_FALSE(report.validated);
  for (const BenchRow& row : report.rows) EXPECT_EQ(row.ran(), row.graph == "path:9") << row.why_not;
  EXPECT_NE(report.rows[0].why_not.find("kron:40"), std::string::npos) << report.rows[0].why_not;
}

TEST(Bench, ADirectionThatAPresetDoesNotHaveIsNotMeasuredAsAnother)
{
  auto options = small_bench();
  options.presets = {Preset::ring};
  options.directions = {Direction::push, Direction::pull};
  for (const BenchRow& row : run_bench(options).rows) {
    EXPECT_EQ(row.ran(), row.direction == "push") << row.why_not;
    EXPECT_EQ(row.seconds > 0, row.ran());
  }
}

TEST(Bench, NothingToMeasureIsAnError)
{
  auto options = small_bench();
  options.graphs = {"kron:40"};
  EXPECT_EQ(kind_of_failure(options), ErrorKind::memory);
  options.graphs = {"grid:1x1"};
  EXPECT_EQ(kind_of_failure(options), ErrorKind::usage);
  options = small_bench();
  options.presets = {Preset::ring};
  options.directions = {Direction::pull};
  EXPECT_EQ(kind_of_failure(options), ErrorKind::usage);
}

TEST(Bench, NonsenseIsRefusedBeforeAnythingIsBuilt)
{
  auto const refused = [](auto change) {
    auto options = small_bench();
    options.graphs.insert(options.graphs.begin(), "kron:24");  // would take long
    change(options);
    return kind_of_failure(options);
  };
  EXPECT_EQ(refused([](BenchOptions& options) { options.graphs.clear(); }), ErrorKind::usage);
  EXPECT_EQ(refused([](BenchOptions& options) { options.graphs.emplace_back("kron:9"); }), ErrorKind::usage);
  EXPECT_EQ(refused([](BenchOptions& options) { options.graphs.emplace_back("kron:zero"); }), ErrorKind::usage);
  EXPECT_EQ(refused([](BenchOptions& options) { options.graphs.emplace_back("/no/such.el"); }), ErrorKind::input);
  EXPECT_EQ(refused([](BenchOptions& options) { options.presets.clear(); }), ErrorKind::usage);
  EXPECT_EQ(refused([](BenchOptions& options) { options.devices = {1, 0}; }), ErrorKind::usage);
  EXPECT_EQ(refused([](BenchOptions& options) { options.directions.clear(); }), ErrorKind::usage);
  EXPECT_EQ(refused([](BenchOptions& options) { options.roots = 0; }), ErrorKind::usage);
  EXPECT_EQ(refused([](BenchOptions& options) { options.rounds = 0; }), ErrorKind::usage);
}

TEST(Bench, TheStandardSetIsNotOfOneKind)
{
  for (auto const& bench : {standard_bench(), quick_bench()}) {
    std::map<std::string, int> kinds;
    for (auto const& graph : bench.graphs) ++kinds[graph.substr(0, graph.find(':'))];
    for (std::string const kind : {"kron", "uniform", "powerlaw", "tail", "grid"}) EXPECT_EQ(kinds[kind], 1) << kind;
    EXPECT_EQ(bench.presets.size(), all_presets.size());
    EXPECT_EQ(bench.devices, (std::vector{1, 4, 16}));
  }
}

}  // namespace

}  // namespace brushfire
