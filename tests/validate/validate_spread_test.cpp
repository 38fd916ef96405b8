// Devices that judge a tree together: every test of the validator is run with them, and each of their verdicts must be
// that of one host in every field, on every device. And levels take a number of rounds that is the logarithm of the
// depth.
#include "validate/validate_spread.hpp"

#include "battery.hpp"
#include "exchange/device_group.hpp"
#include "validate/judge.hpp"
#include "validate/spread_levels.hpp"

#include <brushfire/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <memory>
#include <random>

namespace brushfire {
namespace {

using testing::expect_equal;
using testing::Judge;
using testing::Parents;
using testing::random_tree;
using testing::Validate;

// The parents of one device's vertices.
Parents dealt(const Parents& parents, int devices, int device)
{
  Parents own;
  for (auto v = static_cast<std::size_t>(device); v < parents.size(); v += static_cast<std::size_t>(devices))
    own.push_back(parents[v]);
  return own;
}

// What one rank has of a file: a run of its tuples, numbered from 0.
std::unique_ptr<EdgeSource> part_of(const EdgeSource& source, std::uint64_t first, std::uint64_t last)
{
  std::vector<Edge> edges(last - first);
  source.read(first, edges);
  return std::make_unique<testing::ListSource>(source.facts(), std::move(edges));
}

// Shares of very different sizes, the first often empty. They are handed out backwards, so that a device with smaller
// tuples is not always the one with the smaller number.
std::pair<std::uint64_t, std::uint64_t> share_of(std::uint64_t edges, int devices, int device)
{
  auto const parts = static_cast<std::uint64_t>(devices);
  auto const part = parts - 1 - static_cast<std::uint64_t>(device);
  return {edges * part * part / (parts * parts), edges * (part + 1) * (part + 1) / (parts * parts)};
}

Verdict judge_spread(int devices, const EdgeSource& source, Label root, const Parents& parents, const TreeRules& rules,
                     int threads)
{
  Labels const labels = Labels::of_source(source, Team{1});
  std::vector<Verdict> verdicts(static_cast<std::size_t>(devices));
  DeviceGroup group(devices, 1);
  group.run([&](int index, Exchange& exchange) {
    auto const [first, last] = share_of(source.facts().edges, devices, index);
    Parents const own = dealt(parents, devices, index);
    auto const part = part_of(source, first, last);
    bool const has_part = index % 2 == 1;
    TupleShare const tuples = has_part ? TupleShare{*part, 0, last - first, first} : TupleShare{source, first, last, 0};
    verdicts[static_cast<std::size_t>(index)] =
        validate_spread_tree(tuples, DealtLabels::of_labels(labels, devices, index), root, {own.data(), own.size()},
                             rules, exchange, Team{threads}, Progress::none());
  });
  Verdict const expected =
      validate_tree(source, labels, root, {parents.data(), parents.size()}, rules, Team{1}, Progress::none());
  for (const Verdict& verdict : verdicts) expect_equal(verdict, expected);
  return verdicts.front();
}

Judge devices(int count)
{
  auto const judge = [count](const EdgeSource& source, Label root, const Parents& parents, const TreeRules& rules,
                             int threads) { return judge_spread(count, source, root, parents, rules, threads); };
  // Every vertex of a long path takes part in every round, and devices share the cores.
  return {std::to_string(count) + " devices", false, judge, 5};
}

INSTANTIATE_TEST_SUITE_P(Spread, Validate, ::testing::Values(devices(1), devices(2), devices(3), devices(7)));

// Every kind of damage at random places of random graphs; judge_spread() compares with the host.
class SpreadTree : public ::testing::TestWithParam<int> {};

TEST_P(SpreadTree, DamagedAtRandomIsJudgedAsOnOneHost)
{
  std::vector<int> verdicts(6);
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    auto const source = testing::random_graph(
        seed, {.vertices = 40 + 7 * seed, .edges = 120 + 20 * seed, .sparse_labels = seed % 2 == 0});
    Labels const labels = Labels::of_source(*source, Team{1});
    std::mt19937_64 random(seed);
    bool const directed = seed % 3 == 0;
    auto const any_vertex = [&] { return static_cast<Vertex>(random() % labels.size()); };
    Label const root = labels.label(any_vertex());
    Parents const tree = random_tree(*source, root, directed, {}, seed);
    for (int kind = 0; kind < 8; ++kind) {
      Parents parents = tree;
      for (std::uint64_t damage = 0; damage < 1 + seed % 3; ++damage) {
        Vertex const v = any_vertex();
        Vertex const w = any_vertex();
        switch (kind) {
          case 0:
            parents[v] = labels.label(w);
            break;
          case 1:
            parents[v] = labels.label(v);
            break;
          case 2:
            parents[v] = no_label;
            break;
          case 3:
            parents[v] = largest_label / 3;
            break;
          case 4:
            parents[v] = -2 - static_cast<Label>(w);
            break;
          case 5:
            std::swap(parents[v], parents[w]);
            break;
          case 6:
            parents[v] = labels.label(w), parents[w] = labels.label(v);
            break;
          case 7:
            parents[*labels.find(root)] = damage == 0 ? no_label : labels.label(v);
            break;
        }
      }
      std::optional<std::int64_t> const max_depth =
          seed % 5 == 0 ? std::optional<std::int64_t>(static_cast<std::int64_t>(seed % 4)) : std::nullopt;
      Verdict const verdict = judge_spread(GetParam(), *source, root, parents, {directed, max_depth}, 1);
      ++verdicts[static_cast<std::size_t>(verdict.broken_rule)];
    }
  }
  for (int rule = 1; rule <= 5; ++rule) EXPECT_GT(verdicts[static_cast<std::size_t>(rule)], 5) << "rule " << rule;
}

// More tuples than one block holds, and an offence in any of them: the first is named whoever meets it, and whenever.
TEST_P(SpreadTree, FirstOffenceAmongManyBlocks)
{
  std::uint64_t const n = 900'000;
  auto const star = [&](std::vector<std::uint64_t> others) {
    std::vector<Edge> edges;
    for (Label v = 1; v < static_cast<Label>(n); ++v) edges.push_back({0, v});
    for (std::uint64_t const at : others) edges[at] = {static_cast<Label>(at), static_cast<Label>(at) + 1};
    return testing::make_source("star", n, std::move(edges));
  };
  Parents parents(n, 0);
  for (std::uint64_t const at : {std::uint64_t{3}, std::uint64_t{400'000}, n - 3}) {
    // The tuple of vertex at+1 is another edge: rule 5. Its vertex left out: rule 4. Below another leaf: rule 3.
    EXPECT_EQ(judge_spread(GetParam(), *star({at, at + 1}), 0, parents, {}, 1).broken_rule, 5);
    Parents damaged = parents;
    damaged[at] = no_label;
    damaged[n - 1] = no_label;
    EXPECT_EQ(judge_spread(GetParam(), *star({}), 0, damaged, {}, 1).broken_rule, 4);
    damaged[at] = 1;
    EXPECT_EQ(judge_spread(GetParam(), *star({}), 0, damaged, {}, 1).broken_rule, 3);
  }
}

// Vertices that found their tree edge in an early block still have their levels in a late one.
TEST_P(SpreadTree, MarkedVerticesKeepTheirLevels)
{
  Label const n = 1000;
  std::vector<Edge> edges;
  for (int repeat = 0; repeat < 800; ++repeat)
    for (Label v = 1; v < n; ++v) edges.push_back({v / 2, v});
  edges.push_back({3, n});  // of level 2
  auto const source = testing::make_source("late", static_cast<std::uint64_t>(n) + 1, edges);
  Parents parents = random_tree(*source, 0, false, {}, 1);
  EXPECT_TRUE(judge_spread(GetParam(), *source, 0, parents, {}, 1).valid());
  parents[static_cast<std::size_t>(n)] = no_label;
  EXPECT_EQ(judge_spread(GetParam(), *source, 0, parents, {}, 1).witness,
            "rule 4: edge (3, 1000) has 3 in the tree but not 1000");
  parents[static_cast<std::size_t>(n)] = n - 1;
  EXPECT_EQ(judge_spread(GetParam(), *source, 0, parents, {}, 1).witness,
            "rule 3: edge (3, 1000) joins levels 2 and 11");
}

// Nobody waits for a device that was given too little: all refuse.
TEST_P(SpreadTree, OneWrongShareIsRefusedByAll)
{
  std::uint64_t const n = 50;
  auto const source = testing::make_source("path", n, testing::path_edges(n));
  Parents const parents(n, 0);
  std::atomic<int> refusals{0};
  DeviceGroup group(GetParam(), 1);
  group.run([&](int index, Exchange& exchange) {
    Parents const own = dealt(parents, GetParam(), index);
    std::uint64_t const given = index == 0 ? own.size() - 1 : own.size();
    try {
      validate_spread_tree({*source, 0, 0, 0}, DealtLabels::of_range({0, n}, GetParam(), index), 0, {own.data(), given},
                           {}, exchange, Team{1}, Progress::none());
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_STREQ(error.what(), "49 parents for the 50 vertices of path");
      ++refusals;
    }
  });
  EXPECT_EQ(refusals, GetParam());
}

// Counts the calls that all devices make together.
class CountedExchange final : public Exchange {
 public:
  explicit CountedExchange(Exchange& exchange) : exchange_(exchange) {}
  int devices() const override { return exchange_.devices(); }
  int device() const override { return exchange_.device(); }
  int rounds() const override { return exchange_.rounds(); }
  void post(Round round, const Outbox& outgoing) override { exchange_.post(round, outgoing); }
  bool collect(Round round, const std::function<void(Piece)>& absorb) override
  {
    ++calls;
    return exchange_.collect(round, absorb);
  }
  void sum(std::span<std::uint64_t> values) override
  {
    ++calls;
    exchange_.sum(values);
  }
  Traffic take_traffic() override { return exchange_.take_traffic(); }

  int calls = 0;

 private:
  Exchange& exchange_;
};

int calls_for_levels(const Parents& parents, int devices, std::int64_t depth)
{
  std::vector<int> calls(static_cast<std::size_t>(devices));
  DeviceGroup group(devices, 1);
  std::atomic<std::int64_t> deepest{0};
  group.run([&](int index, Exchange& exchange) {
    CountedExchange counted(exchange);
    Parents const own = dealt(parents, devices, index);
    auto const labels = DealtLabels::of_range({0, parents.size()}, devices, index);
    TreeLevels const tree = derive_spread_levels(labels, 0, {own.data(), own.size()}, counted, Team{1});
    calls[static_cast<std::size_t>(index)] = counted.calls;
    if (tree.depth == depth) deepest = depth;
  });
  EXPECT_EQ(deepest, depth);
  for (int const made : calls) EXPECT_EQ(made, calls.front());
  return calls.front();
}

TEST_P(SpreadTree, LevelsTakeLogarithmicallyManyRounds)
{
  std::size_t const n = 10'000;
  int const calls_per_round = 3;  // an agreement, questions, answers
  int const most = calls_per_round * (std::bit_width(n) + 2);
  Parents path(n);
  for (std::size_t v = 1; v < n; ++v) path[v] = static_cast<Label>(v) - 1;
  EXPECT_LE(calls_for_levels(path, GetParam(), n - 1), most);

  Parents ring = path;
  ring[1] = static_cast<Label>(n) - 1;
  EXPECT_LE(calls_for_levels(ring, GetParam(), 0), most);

  // What is shallow is quick: the vertices of level d are settled after log2(d)+1 rounds.
  EXPECT_LE(calls_for_levels(Parents(n, 0), GetParam(), 1), 2 * calls_per_round);
}

TEST_P(SpreadTree, LongPathIsJudged)
{
  std::uint64_t const n = 10'000;
  auto const source = testing::make_source("path", n, testing::path_edges(n));
  for (Label root : {0, 5'000, 9'999}) {
    Verdict const verdict = judge_spread(GetParam(), *source, root, random_tree(*source, root, false, {}, 1), {}, 1);
    EXPECT_TRUE(verdict.valid()) << verdict.witness;
    EXPECT_EQ(verdict.nedge, n - 1);
  }
}

// A star asks for its centre only: the device of the centre is not sent a question for every tuple.
TEST_P(SpreadTree, HubsAreNotAskedForEveryTuple)
{
  std::uint64_t const n = 100'000;
  std::vector<Edge> edges;
  for (Label v = 1; v < static_cast<Label>(n); ++v) edges.push_back({v, 0});
  auto const source = testing::make_source("star", n, std::move(edges));
  Parents const parents(n, 0);
  std::vector<std::uint64_t> bytes(static_cast<std::size_t>(GetParam()));
  DeviceGroup group(GetParam(), 1);
  group.run([&](int index, Exchange& exchange) {
    auto const labels = DealtLabels::of_range({0, n}, GetParam(), index);
    Parents const own = dealt(parents, GetParam(), index);
    auto const share = [&](int device) {
      return (n - 1) * static_cast<std::uint64_t>(device) / static_cast<std::uint64_t>(GetParam());
    };
    TupleShare const tuples{*source, share(index), share(index + 1), 0};
    EXPECT_TRUE(
        validate_spread_tree(tuples, labels, 0, {own.data(), own.size()}, {}, exchange, Team{1}, Progress::none())
            .valid());
    bytes[static_cast<std::size_t>(index)] = exchange.take_traffic().piece_bytes;
  });
  std::uint64_t moved = 0;
  for (std::uint64_t const sent : bytes) moved += sent;
  // For a tuple: the number of its leaf, the leaf's level, and the mark of the leaf.
  EXPECT_LE(moved, n * (4 + 4 + 12) + n / 10);
}

INSTANTIATE_TEST_SUITE_P(Devices, SpreadTree, ::testing::Values(1, 2, 3, 7));

// One device is told of the progress, and it hears of all tuples.
TEST(SpreadProgress, FirstDeviceReportsForAll)
{
  struct Counting final : Progress {
    void begin(std::string_view, std::uint64_t total, std::string_view) override { expected += total; }
    void advance(std::uint64_t count) override { done += count; }
    void end() override { ++ended; }
    void note(std::string_view) override {}
    std::uint64_t expected = 0, done = 0;
    int ended = 0;
  } progress;
  std::uint64_t const n = 700'000;
  auto const source = testing::make_source("path", n, testing::path_edges(n));
  Parents const parents = random_tree(*source, 0, false, {}, 1);
  DeviceGroup group(3, 1);
  group.run([&](int index, Exchange& exchange) {
    auto const [first, last] = share_of(n - 1, 3, index);
    Parents const own = dealt(parents, 3, index);
    validate_spread_tree({*source, first, last, 0}, DealtLabels::of_range({0, n}, 3, index), 0,
                         {own.data(), own.size()}, {}, exchange, Team{1}, progress);
  });
  EXPECT_EQ(progress.expected, n - 1);
  EXPECT_EQ(progress.done, n - 1);
  EXPECT_EQ(progress.ended, 1);
}

}  // namespace
}  // namespace brushfire
