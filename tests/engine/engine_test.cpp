// The engine as an embedding program uses it: shared graphs, reused searches, plans, the benchmark.
#include "engine/graph_data.hpp"
#include "input/files.hpp"
#include "report/search_log.hpp"

#include "battery.hpp"

#include <brushfire/graph500.hpp>

#include <gtest/gtest.h>

#include <set>
#include <thread>

namespace brushfire {
namespace {

TEST(Engine, CountsEdgesAsTheCompiledReferenceDoes)
{
  Graph500Options options;
  options.scale = 20;
  options.roots = 2;
  options.compact = true;
  Report const report = run_graph500(options);
  ASSERT_EQ(report.searches.size(), 2u);
  for (auto const& search : report.searches) {
    EXPECT_EQ(search.nedge, 16775818u);
    EXPECT_EQ(search.valid, true) << search.violation;
  }
  EXPECT_FALSE(report.graph500->conforming);
}

TEST(Engine, RunsFewerSearchesWhenThereAreFewerRoots)
{
  Graph500Options options;
  options.scale = 1;
  options.edgefactor = 4;
  Report const report = run_graph500(options);
  EXPECT_GE(report.searches.size(), 1u);
  EXPECT_LE(report.searches.size(), 2u);
  std::set<Label> roots;
  for (auto const& search : report.searches) EXPECT_TRUE(roots.insert(search.root).second);
}

TEST(Engine, ScalesWithoutSenseAreUsageAndScalesWithoutMemoryAreMemory)
{
  auto const kind_of = [](int scale) {
    Graph500Options options;
    options.scale = scale;
    try {
      run_graph500(options);
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::failure;
  };
  EXPECT_EQ(kind_of(0), ErrorKind::usage);
  EXPECT_EQ(kind_of(-5), ErrorKind::usage);
  EXPECT_EQ(kind_of(40), ErrorKind::memory);
  EXPECT_EQ(kind_of(60), ErrorKind::memory);
  EXPECT_EQ(kind_of(1000), ErrorKind::memory);
}

TEST(Engine, APlanIsAnUpperBoundOfWhatIsBuilt)
{
  for (std::string const spec : {"kron:12", "grid:100x100", "star:5000"}) {
    MemoryPlan const plan = plan_memory(spec, {});
    Graph const graph = Graph::open(spec);
    EXPECT_GE(plan.peak_bytes, graph.facts().bytes) << spec;
    std::uint64_t items = 0;
    for (auto const& item : plan.items) items += item.bytes;
    EXPECT_GE(items, plan.peak_bytes) << spec;
  }
}

TEST(Engine, OneGraphIsSearchedFromManyThreads)
{
  Graph const graph = Graph::open("kron:12", {false, {}, 2});
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&graph, i] {
      SearchOptions options;
      options.threads = 2;
      Search search(graph, options);
      for (Label const root : random_sources(graph, 5, static_cast<std::uint64_t>(i))) {
        search.run(root);
        Verdict const verdict = search.validate();
        EXPECT_TRUE(verdict.valid()) << verdict.witness;
      }
    });
  for (auto& thread : threads) thread.join();
}

TEST(Engine, ASearchForgetsThePreviousOne)
{
  // Two components and an isolated vertex, searched in turn with one Search: nothing of one may show in the other.
  Graph const graph = build_graph(testing::make_source("two", 7, {{0, 1}, {1, 2}, {3, 4}, {4, 5}}), {});
  Search search(graph);
  for (int round = 0; round < 3; ++round)
    for (auto const& [root, reached] : std::vector<std::pair<Label, std::uint64_t>>{{0, 3}, {6, 1}, {3, 3}, {6, 1}}) {
      SearchResult const result = search.run(root);
      EXPECT_EQ(result.reached, reached);
      std::uint64_t in_tree = 0;
      for (Vertex v = 0; v < 7; ++v) in_tree += result.parents[v] != no_label;
      EXPECT_EQ(in_tree, reached);
      EXPECT_TRUE(search.validate().valid());
    }
}

TEST(Engine, PathsFollowTheTree)
{
  Search search(Graph::open("path:10"));
  search.run(2);
  EXPECT_EQ(search.path_to(5), (std::vector<Label>{2, 3, 4, 5}));
  EXPECT_EQ(search.path_to(2), (std::vector<Label>{2}));
  Search two(build_graph(testing::make_source("two", 3, {{0, 1}}), {}));
  two.run(0);
  EXPECT_TRUE(two.path_to(2).empty());
  EXPECT_THROW(two.path_to(3), Error);
  EXPECT_THROW(two.run(17), Error);
}

TEST(Engine, NothingIsSaidOfASearchThatHasNotRun)
{
  for (int const devices : {1, 3}) {
    Search const search(Graph::open("path:10", {.devices = devices}));
    EXPECT_THROW(search.path_to(5), Error);
    EXPECT_THROW(search.validate(), Error);
  }
}

TEST(Engine, RandomSourcesAreDistinctConnectedAndRepeatable)
{
  Graph const graph = build_graph(testing::make_source("few", 1000, {{3, 4}, {998, 999}}), {});
  auto const sources = random_sources(graph, 10, 1);
  EXPECT_EQ(std::set<Label>(sources.begin(), sources.end()), (std::set<Label>{3, 4, 998, 999}));
  EXPECT_EQ(random_sources(graph, 2, 1), random_sources(graph, 2, 1));
  EXPECT_EQ(random_sources(graph, std::size_t{1} << 40, 1).size(), 4u);  // at once, however many are asked for
  EXPECT_TRUE(random_sources(build_graph(testing::make_source("none", 5, {}), {}), 3, 1).empty());
}

// More vertices on a device than are brought to the first at a time.
TEST(Engine, ResultsOfManyDevicesComeTogether)
{
  std::vector<Edge> edges;
  for (Label leaf = 1; leaf < 300'000; ++leaf) edges.push_back({0, leaf});
  GraphOptions options;
  options.devices = 3;
  SearchOptions way;
  way.levels = true;
  way.device = Device::cpu;
  Search search(build_graph(testing::make_source("star", 300'001, edges), options), way);
  SearchResult const result = search.run(0);
  ASSERT_EQ(result.parents.size(), 300'001u);
  for (std::size_t v = 1; v < 300'000; ++v) {
    ASSERT_EQ(result.parents[v], 0) << v;
    ASSERT_EQ(result.levels[v], 1) << v;
  }
  EXPECT_EQ(result.parents[300'000], no_label);
}

// Drawing finds none of the few that have an edge, so all are gone through, from wherever the seed says.
TEST(Engine, RandomSourcesAreTheSameOnAnyNumberOfDevices)
{
  auto const source = testing::make_source("lonely", 200'000, {{5, 199'999}, {70'000, 5}, {140'000, 70'001}});
  auto const expected = random_sources(build_graph(source, {}), 4, 3);
  EXPECT_EQ(expected.size(), 4u);
  for (int const devices : {2, 3}) {
    GraphOptions options;
    options.devices = devices;
    Graph const graph = build_graph(source, options);
    EXPECT_EQ(random_sources(graph, 4, 3), expected);
    EXPECT_EQ(random_sources(graph, 9, 3).size(), 5u);
  }
}

TEST(Engine, SummariesCountComponentsAndDegrees)
{
  GraphSummary const summary =
      build_graph(testing::make_source("three", 8, {{0, 1}, {1, 2}, {1, 3}, {5, 6}, {6, 5}}), {false, 2, 2}).summary();
  EXPECT_EQ(summary.components, 4u);
  EXPECT_EQ(summary.largest_component, 4u);
  EXPECT_EQ(summary.isolated, 2u);
  EXPECT_EQ(summary.largest_degree, 3u);
  EXPECT_EQ(summary.largest_degree_vertex, 1);
  GraphSummary const directed = build_graph(testing::make_source("arcs", 4, {{0, 1}, {2, 1}}), {true, {}, 1}).summary();
  EXPECT_EQ(directed.components, 2u);
  EXPECT_EQ(directed.isolated, 1u);
}

TEST(Engine, PlansOfSizesBeyondAllMemoryComeOutHuge)
{
  MemoryPlan const plan = plan_memory("kron:1:2305843009213693952", {});
  EXPECT_FALSE(plan.fits());
  EXPECT_GT(plan.peak_bytes, std::uint64_t{1} << 62);
  EXPECT_THROW(Graph::open("kron:1:2305843009213693952"), Error);
  EXPECT_THROW(Graph::open("tree:1x1000000000000"), Error);
}

TEST(Engine, ALabelRunThatEndsAtTheLargestLabelSurvivesStoring)
{
  testing::TemporaryFolder const folder;
  auto const list = folder.make("edge.el", "9223372036854775806 9223372036854775807\n").string();
  write_graph(list, folder / "edge.bfg", false, {});
  Graph const graph = Graph::open((folder / "edge.bfg").string());
  EXPECT_EQ(graph.label(1), largest_label);
  Search search(graph);
  EXPECT_EQ(search.run(largest_label).reached, 2u);
}

TEST(Engine, SelfLoopsCountOnceHoweverTheyAreListed)
{
  testing::TemporaryFolder const folder;
  auto const facts = [&](const char* name, const char* text) {
    return Graph::open(folder.make(name, text).string()).facts();
  };
  GraphFacts const once = facts("once.graph", "3 4\n1 2\n1 3\n2 3\n");  // loops at 1 and 3, edges 1-2 and 2-3
  EXPECT_EQ(once.edges_input, 4u);
  EXPECT_EQ(once.self_loops, 2u);
  GraphFacts const matrix = facts("loop.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n");
  EXPECT_EQ(matrix.edges_input, 2u);
  EXPECT_EQ(matrix.self_loops, 1u);
}

TEST(Engine, StoredGraphsCountTheDuplicatesTheyLost)
{
  testing::TemporaryFolder const folder;
  write_graph("kron:8", folder / "k.bfg", false, {});
  Search search(Graph::open("kron:8"));
  SearchResult const result = search.run(1);
  write_result(Graph::open("kron:8"), result, VertexValue::parents, folder / "p.txt");
  Verdict const verdict = validate_file((folder / "k.bfg").string(), 1, folder / "p.txt", {});
  EXPECT_TRUE(verdict.valid()) << verdict.witness;
  EXPECT_EQ(verdict.nedge, result.nedge);
}

TEST(Engine, ResultsThatAreNotThereAreRefused)
{
  testing::TemporaryFolder const folder;
  Graph const graph = Graph::open("path:9");
  auto const refused = [](const char* part, auto&& body) { testing::expect_error(ErrorKind::usage, part, body); };
  Search search(graph);
  SearchResult const result = search.run(0);
  refused("levels were not kept", [&] { write_result(graph, result, VertexValue::levels, folder / "l.txt"); });
  refused("9 vertices is not one of a graph with 256",
          [&] { write_result(Graph::open("kron:8"), result, VertexValue::parents, folder / "p.txt"); });
  refused("nothing has been searched", [&] { write_result(graph, {}, VertexValue::parents, folder / "p.txt"); });
  refused("nothing has been searched", [&] { describe_search({}); });
  EXPECT_TRUE(folder.is_empty());
  refused("source 9 is not in", [&] { search.run(9); });
  EXPECT_EQ(search.path_to(2).size(), 3u);  // of the last result, which a refused run leaves alone
}

TEST(Engine, OptionsThatMakeNoSenseAreRefused)
{
  auto const refused = [](const char* part, auto&& body) { testing::expect_error(ErrorKind::usage, part, body); };
  refused("threads: -7", [] { Graph::open("path:9", {.threads = -7}); });
  refused("devices: 0", [] { Graph::open("path:9", {.devices = 0}); });
  Graph const graph = Graph::open("path:9");
  refused("threads: -7", [&] { Search(graph, {.threads = -7, .device = Device::cpu}); });
  refused("fan-out: 0", [&] { Search(graph, {.fanout = 0}); });
  testing::TemporaryFolder const folder;
  write_graph("path:9", folder / "p.bfg", false, {});
  refused("threads: -7", [&] { Graph::open((folder / "p.bfg").string(), {.threads = -7}); });
  refused("devices: -5", [&] { (void)graph.summary(-5); });
  refused("devices: -1", [&] { (void)plan_of(graph, -1); });
}

TEST(Engine, GivesDegrees)
{
  for (std::uint64_t const threshold : {std::uint64_t{0}, std::uint64_t{1}, plain_threshold}) {
    Graph const graph =
        build_graph(testing::make_source("star", 5, {{0, 1}, {0, 2}, {0, 3}, {3, 0}}), {false, threshold, 1});
    EXPECT_EQ(graph.degree(0), 3u);
    EXPECT_EQ(graph.degree(3), 1u);
    EXPECT_EQ(graph.degree(4), 0u);
  }
}

TEST(SearchLog, LeavesAFileThatIsNoLogAsItWas)
{
  testing::TemporaryFolder const folder;
  for (auto const* const text : {"my notes\nline two", "my notes\n", "no line end", "{\"a\": 1}\n{\"b"}) {
    auto const path = folder.make("notes.txt", text);
    EXPECT_THROW(SearchLog(path, {}), Error) << text;
    EXPECT_EQ(testing::content_of(path), text);
  }
}

TEST(SearchLog, BelongsToOneRunAtATime)
{
  testing::TemporaryFolder const folder;
  auto const path = folder / "searches.log";
  SearchLogStart start;
  start.roots = {7};
  SearchLog first(path, {}), second(path, {});
  first.begin(start);
  EXPECT_THROW(second.begin(start), Error);
  EXPECT_THROW(SearchLog(path, {}), Error);
}

TEST(SearchLog, KeepsWhatAGpuReports)
{
  testing::TemporaryFolder const folder;
  auto const path = folder / "searches.log";
  SearchLogStart start;
  start.roots = {7, 8};
  start.config.device = "cuda";
  start.config.preset = "adaptive";
  start.config.queue = "none";
  start.config.balance = "thread";
  start.config.async_pull = false;
  SearchReport search;
  search.root = 7;
  search.seconds_to_host = 0.25;
  search.trace.resize(2);
  search.trace[0].queue = FrontierQueue::none;
  search.trace[1].balance = PullBalance::donate;
  {
    SearchLog log(path, {});
    log.begin(start);
    log.append(search);
  }
  {
    SearchLog const log(path, {});
    EXPECT_EQ(log.start().config.device, "cuda");
    EXPECT_EQ(log.start().config.preset, "adaptive");
    EXPECT_EQ(log.start().config.queue, "none");
    EXPECT_EQ(log.start().config.balance, "thread");
    EXPECT_EQ(log.start().config.async_pull, false);
    EXPECT_EQ(log.start().config.threshold, std::nullopt);
    ASSERT_EQ(log.finished().size(), 1u);
    EXPECT_EQ(log.finished()[0].seconds_to_host, 0.25);
    EXPECT_EQ(log.finished()[0].trace[0].queue, FrontierQueue::none);
    EXPECT_EQ(log.finished()[0].trace[0].balance, std::nullopt);
    EXPECT_EQ(log.finished()[0].trace[1].balance, PullBalance::donate);
  }
  std::string text = testing::content_of(path);
  text.replace(text.find("\"queue\":3"), 9, "\"queue\":4");
  EXPECT_THROW(SearchLog(folder.make("altered.log", text), {}), Error);
}

TEST(SearchLog, ContinuesWhereItStoppedAndRefusesOtherSettings)
{
  testing::TemporaryFolder const folder;
  Graph500Options options;
  options.scale = 8;
  options.roots = 5;
  options.resume = folder / "searches.log";
  Report const first = run_graph500(options);
  auto const lines = [&] {
    std::ifstream file(*options.resume);
    std::vector<std::string> result;
    for (std::string line; std::getline(file, line);) result.push_back(line);
    return result;
  };
  auto const complete = lines();
  ASSERT_EQ(complete.size(), 6u);
  EXPECT_EQ(graph500_block(run_graph500(options)), graph500_block(first));

  // Cut in the middle of the fourth search: three are kept, two are run again.
  {
    std::ofstream cut(*options.resume);
    for (int i = 0; i < 4; ++i) cut << complete[static_cast<std::size_t>(i)] << '\n';
    cut << complete[4].substr(0, 30);
  }
  Report const resumed = run_graph500(options);
  ASSERT_EQ(resumed.searches.size(), 5u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(resumed.searches[i].seconds, first.searches[i].seconds);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(resumed.searches[i].root, first.searches[i].root);
  EXPECT_EQ(lines().size(), 6u);

  {
    std::ofstream swapped(*options.resume);
    for (std::size_t const i : {0, 2, 1, 3}) swapped << complete[i] << '\n';
  }
  EXPECT_THROW(run_graph500(options), Error);

  options.resume = folder.make("again.log", complete[0] + "\n");
  options.roots = 6;
  EXPECT_THROW(run_graph500(options), Error);
  options.resume = folder.make("other.txt", "something else\n");
  EXPECT_THROW(run_graph500(options), Error);
}

}  // namespace
}  // namespace brushfire
