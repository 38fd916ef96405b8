// The checks themselves, and that each of them can fail.
#include "traverse/search_checks.hpp"

#include "base/parallel.hpp"
#include "validate/validate.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace brushfire::testing {

Expected::Expected(SharedSource edges, Label from, bool along_arrows, std::optional<std::int64_t> deepest)
    : source(std::move(edges)),
      labels(Labels::of_source(*source, Team{1})),
      root(from),
      directed(along_arrows),
      max_depth(deepest),
      oracle(oracle_search(*source, labels, root, directed, max_depth)),
      smallest_parents(labels.size(), no_label)
{
  std::vector<Edge> tuples(source->facts().edges);
  source->read(0, tuples);
  auto const offer = [&](Label parent, Label child) {
    Vertex const c = labels.vertex(child);
    std::int32_t const above = oracle.levels[labels.vertex(parent)];
    if (above == unreached || oracle.levels[c] != above + 1) return;
    Label& smallest = smallest_parents[c];
    if (smallest == no_label || parent < smallest) smallest = parent;
  };
  for (Edge const& edge : tuples) {
    offer(edge.source, edge.target);
    if (!directed) offer(edge.target, edge.source);
  }
  smallest_parents[labels.vertex(root)] = root;
}

std::string difference(const SearchResult& result, const Expected& expected, bool deterministic)
{
  if (result.root != expected.root) return fmt::format("root {}, not {}", result.root, expected.root);
  if (result.levels.size() != expected.labels.size()) return fmt::format("{} levels", result.levels.size());
  for (Vertex v = 0; v < expected.labels.size(); ++v)
    if (result.levels[v] != expected.oracle.levels[v])
      return fmt::format("vertex {} has level {}, not {}", expected.labels.label(v), result.levels[v],
                         expected.oracle.levels[v]);

  TreeRules const rules{expected.directed, expected.max_depth};
  Verdict const verdict =
      validate_tree(*expected.source, expected.labels, expected.root, result.parents, rules, Team{1}, Progress::none());
  if (!verdict.valid()) return verdict.witness;
  if (deterministic)
    for (Vertex v = 0; v < expected.labels.size(); ++v)
      if (result.parents[v] != expected.smallest_parents[v])
        return fmt::format("vertex {} has parent {}, not the smallest {}", expected.labels.label(v), result.parents[v],
                           expected.smallest_parents[v]);

  auto const& oracle = expected.oracle;
  if (result.reached != oracle.reached) return fmt::format("reached {}, not {}", result.reached, oracle.reached);
  if (result.depth != oracle.depth) return fmt::format("depth {}, not {}", result.depth, oracle.depth);
  // A limited tree has tuples with one end in it; what a search counts of those is its own affair.
  if (!expected.max_depth && result.nedge != oracle.nedge)
    return fmt::format("nedge {}, not {}", result.nedge, oracle.nedge);
  std::uint64_t discovered = 1;
  for (auto const& record : result.trace->records()) discovered += record.discovered;
  if (discovered != oracle.reached)
    return fmt::format("the trace discovers {} vertices, not {}", discovered, oracle.reached);
  return {};
}

namespace {

// What an adaptive level may not be, given the one before it.
std::string adaptive_difference(const LevelRecord& record, const LevelRecord* former, const SearchOptions& way,
                                const SearchLimits& limits)
{
  using enum FrontierQueue;
  bool const pulls = record.directions[0] == Direction::pull;
  if (way.direction && record.directions[0] != *way.direction) return "another direction";
  if (!way.direction && way.queue == none && !pulls) return "a push without a queue";
  if (!record.queue) return "no word on its queue";
  if (record.balance.has_value() != pulls) return pulls ? "no balance" : "a push with a balance";
  if (record.async_pull.has_value() != pulls) return pulls ? "no word on async" : "a push that is async or not";
  if (!pulls) {
    bool const after_pull = former != nullptr && former->directions[0] == Direction::pull;
    bool const allowed = way.queue    ? record.queue == way.queue
                         : after_pull ? record.queue == none
                                      : record.queue == scan_free || record.queue == single_scan;
    return allowed ? "" : fmt::format("a push with the queue {}", name_of(*record.queue));
  }
  if (*record.queue != (way.queue == none ? none : double_scan))
    return fmt::format("a pull with the queue {}", name_of(*record.queue));
  if (*record.balance != way.balance.value_or(PullBalance::warp))
    return fmt::format("the balance {}", name_of(*record.balance));
  // A pull that looks ahead must not look past a limit.
  bool const may_look_ahead = !limits.target && (!limits.max_depth || record.level + 2 <= *limits.max_depth);
  if (*record.async_pull != (way.async_pull.value_or(true) && may_look_ahead))
    return *record.async_pull ? "an asynchronous pull" : "a synchronous pull";
  return {};
}

// Likewise of several devices, which make a queue where they push and have bits where they pull. A GPU makes it of
// bits.
std::string parted_adaptive_difference(const LevelRecord& record, const SearchOptions& way)
{
  using enum FrontierQueue;
  if (!record.queue) return "no word on its queue";
  if (record.balance || record.async_pull) return "a choice of one device";
  bool const of_bits = way.device == Device::cuda && (record.queue == single_scan || record.queue == double_scan);
  bool const allowed = of_bits                            ? way.direction != Direction::pull
                       : way.direction == Direction::push ? record.queue == scan_free || way.device == Device::cuda
                       : way.direction == Direction::pull ? record.queue == scan_free || record.queue == none
                                                          : record.queue != double_scan;
  return allowed ? "" : fmt::format("several devices with the queue {}", name_of(*record.queue));
}

}  // namespace

// Every engine counts a level where it finds something, and ends with a level that finds nothing unless told to stop.
std::string trace_difference(const SearchResult& result, const SearchOptions& way, const SearchLimits& limits,
                             const TraceShape& shape)
{
  bool const stopped = shape.target_reached || (limits.max_depth && result.depth >= *limits.max_depth);
  std::int64_t const levels = result.depth + (stopped ? 0 : 1);
  if (result.trace->levels() != levels)
    return fmt::format("the trace has {} levels, not {}", result.trace->levels(), levels);
  auto const records = result.trace->records();
  if (std::cmp_not_equal(records.size(), levels)) return {};  // summarised: what it keeps is tested elsewhere
  for (std::size_t i = 0; i < records.size(); ++i) {
    LevelRecord const& record = records[i];
    LevelRecord const* const former = i > 0 ? &records[i - 1] : nullptr;
    if (std::cmp_not_equal(record.level, i)) return fmt::format("level {} is called {}", i, record.level);
    if (record.frontier != (former != nullptr ? former->discovered : 1))
      return fmt::format("level {} has a frontier of {}", i, record.frontier);
    std::string wrong;
    if (way.preset == Preset::adaptive)
      wrong =
          shape.in_parts ? parted_adaptive_difference(record, way) : adaptive_difference(record, former, way, limits);
    else if (record.queue || record.balance || record.async_pull)
      wrong = "a choice of the adaptive preset";
    if (!wrong.empty()) return fmt::format("level {}: {}", i, wrong);
  }
  return {};
}

std::string describe(const GraphOptions& graph, const SearchOptions& search)
{
  auto const threshold = !graph.threshold                      ? std::string("auto")
                         : *graph.threshold == plain_threshold ? std::string("plain")
                                                               : std::to_string(*graph.threshold);
  auto const direction = !search.direction ? "auto" : *search.direction == Direction::push ? "push" : "pull";
  std::string text = fmt::format("{}threshold {}, direction {}, {}, {} threads{}{}", graph.directed ? "directed, " : "",
                                 threshold, direction, name_of(search.device), search.threads,
                                 search.wide_parents ? ", wide" : "", search.deterministic ? ", deterministic" : "");
  if (search.preset == Preset::adaptive)
    text +=
        fmt::format(", adaptive, queue {}, balance {}, async pull {}", search.queue ? name_of(*search.queue) : "auto",
                    search.balance ? name_of(*search.balance) : "auto",
                    !search.async_pull   ? "auto"
                    : *search.async_pull ? "on"
                                         : "off");
  return text;
}

namespace {

// A triangle with a tail: 0 - 1, 0 - 2, 1 - 2, 1 - 3, 2 - 3.
struct Made {
  std::vector<Label> parents{0, 0, 0, 1};
  std::vector<std::int32_t> levels{0, 1, 1, 2};
  std::uint64_t reached = 4, nedge = 5, discovered = 3;
  std::int64_t depth = 2;

  std::string difference(bool deterministic = false) const
  {
    static Expected const expected(make_source("triangle", 4, {{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}}), 0, false);
    Trace trace;
    LevelRecord record;
    record.discovered = discovered;
    trace.add(record);
    SearchResult result;
    result.root = 0;
    result.nedge = nedge;
    result.reached = reached;
    result.depth = depth;
    result.parents = {parents.data(), parents.size()};
    result.levels = levels;
    result.trace = &trace;
    return testing::difference(result, expected, deterministic);
  }
};

TEST(SearchChecks, AcceptWhatIsRight)
{
  EXPECT_EQ(Made{}.difference(true), "");
  EXPECT_EQ((Made{.parents = {0, 0, 0, 2}}.difference()), "");
}

TEST(SearchChecks, EachCanFail)
{
  EXPECT_EQ((Made{.levels = {0, 1, 1, 1}}.difference()), "vertex 3 has level 1, not 2");
  EXPECT_EQ((Made{.parents = {0, 0, 0, 0}}.difference().substr(0, 7)), "rule 5:");
  EXPECT_EQ((Made{.parents = {0, 0, 0, 2}}.difference(true)), "vertex 3 has parent 2, not the smallest 1");
  EXPECT_EQ((Made{.reached = 3}.difference()), "reached 3, not 4");
  EXPECT_EQ((Made{.nedge = 4}.difference()), "nedge 4, not 5");
  EXPECT_EQ((Made{.discovered = 2}.difference()), "the trace discovers 3 vertices, not 4");
  EXPECT_EQ((Made{.depth = 3}.difference()), "depth 3, not 2");
}

// An adaptive search of depth 3: two pushes, a pull, and the push after it that finds nothing.
struct MadeTrace {
  using Levels = std::vector<LevelRecord>;

  static LevelRecord level(std::int64_t number, Direction direction, FrontierQueue queue, std::uint64_t discovered)
  {
    LevelRecord record;
    record.level = number;
    record.directions.fill(direction);
    record.frontier = 1;
    record.discovered = discovered;
    record.queue = queue;
    if (direction == Direction::push) return record;
    record.balance = PullBalance::warp;
    record.async_pull = true;
    return record;
  }

  Levels levels{
      level(0, Direction::push, FrontierQueue::scan_free, 1), level(1, Direction::push, FrontierQueue::single_scan, 1),
      level(2, Direction::pull, FrontierQueue::double_scan, 1), level(3, Direction::push, FrontierQueue::none, 0)};
  std::int64_t depth = 3;
  SearchOptions way = adaptive();
  SearchLimits limits{};
  TraceShape shape{};

  static SearchOptions adaptive()
  {
    SearchOptions options;
    options.preset = Preset::adaptive;
    return options;
  }

  std::string difference() const
  {
    Trace trace;
    for (auto const& record : levels) trace.add(record);
    SearchResult result;
    result.depth = depth;
    result.trace = &trace;
    return trace_difference(result, way, limits, shape);
  }
};

template <typename Change>
std::string difference_after(Change change)
{
  MadeTrace made;
  change(made);
  return made.difference();
}

TEST(TraceChecks, AcceptWhatIsRight)
{
  EXPECT_EQ(MadeTrace{}.difference(), "");
  EXPECT_EQ(difference_after([](MadeTrace& made) { made.limits.max_depth = 4; }), "");
  EXPECT_EQ(difference_after([](MadeTrace& made) {
              made.levels.pop_back();
              made.levels[2].async_pull = false;
              made.limits.max_depth = 3;
            }),
            "");
  EXPECT_EQ(difference_after([](MadeTrace& made) {
              made.levels.pop_back();
              made.levels[2].async_pull = false;
              made.limits.target = 5;
              made.shape.target_reached = true;
            }),
            "");
}

TEST(TraceChecks, EachCanFail)
{
  EXPECT_EQ(difference_after([](MadeTrace& made) { made.levels.pop_back(); }), "the trace has 3 levels, not 4");
  EXPECT_EQ(difference_after([](MadeTrace& made) { made.limits.max_depth = 3; }), "the trace has 4 levels, not 3");
  EXPECT_EQ(difference_after([](MadeTrace& made) { made.shape.target_reached = true; }),
            "the trace has 4 levels, not 3");
  EXPECT_EQ(difference_after([](MadeTrace& made) { made.levels[2].level = 1; }), "level 2 is called 1");
  EXPECT_EQ(difference_after([](MadeTrace& made) { made.levels[0].frontier = 2; }), "level 0 has a frontier of 2");
  EXPECT_EQ(difference_after([](MadeTrace& made) { made.levels[1].discovered = 2; }), "level 2 has a frontier of 1");
  EXPECT_EQ(difference_after([](MadeTrace& made) { made.way.preset = Preset::automatic; }),
            "level 0: a choice of the adaptive preset");
  EXPECT_EQ(difference_after([](MadeTrace& made) { made.levels[0].queue.reset(); }), "level 0: no word on its queue");
}

TEST(TraceChecks, EachForcedChoiceMustShow)
{
  using enum FrontierQueue;
  EXPECT_EQ(difference_after([](MadeTrace& made) { made.way.direction = Direction::pull; }),
            "level 0: another direction");
  EXPECT_EQ(difference_after([](MadeTrace& made) { made.way.direction = Direction::push; }),
            "level 2: another direction");
  EXPECT_EQ(difference_after([](MadeTrace& made) { made.way.queue = none; }), "level 0: a push without a queue");
  EXPECT_EQ(difference_after([](MadeTrace& made) { made.way.queue = double_scan; }),
            "level 0: a push with the queue scan-free");
  EXPECT_EQ(difference_after([](MadeTrace& made) { made.way.queue = scan_free; }),
            "level 1: a push with the queue single-scan");
  EXPECT_EQ(difference_after([](MadeTrace& made) { made.levels[1].queue = double_scan; }),
            "level 1: a push with the queue double-scan");
  EXPECT_EQ(difference_after([](MadeTrace& made) { made.levels[1].queue = none; }),
            "level 1: a push with the queue none");
  EXPECT_EQ(difference_after([](MadeTrace& made) { made.levels[3].queue = scan_free; }),
            "level 3: a push with the queue scan-free");
  EXPECT_EQ(difference_after([](MadeTrace& made) { made.levels[2].queue = none; }),
            "level 2: a pull with the queue none");
  EXPECT_EQ(difference_after([](MadeTrace& made) { made.levels[2].balance.reset(); }), "level 2: no balance");
  EXPECT_EQ(difference_after([](MadeTrace& made) { made.levels[1].balance = PullBalance::warp; }),
            "level 1: a push with a balance");
  EXPECT_EQ(difference_after([](MadeTrace& made) { made.way.balance = PullBalance::thread; }),
            "level 2: the balance warp");
  EXPECT_EQ(difference_after([](MadeTrace& made) { made.levels[2].async_pull.reset(); }), "level 2: no word on async");
  EXPECT_EQ(difference_after([](MadeTrace& made) { made.levels[1].async_pull = true; }),
            "level 1: a push that is async or not");
  EXPECT_EQ(difference_after([](MadeTrace& made) { made.levels[2].async_pull = false; }),
            "level 2: a synchronous pull");
  EXPECT_EQ(difference_after([](MadeTrace& made) { made.way.async_pull = false; }), "level 2: an asynchronous pull");
  EXPECT_EQ(difference_after([](MadeTrace& made) { made.limits.target = 5; }), "level 2: an asynchronous pull");
}

// Two pushes from queues as they come, a pull that needs none, and a push for which the bits it left are scanned.
MadeTrace of_several_devices()
{
  MadeTrace made;
  made.shape.in_parts = true;
  made.levels[1].queue = FrontierQueue::scan_free;
  made.levels[2].queue = FrontierQueue::none;
  made.levels[2].balance.reset();
  made.levels[2].async_pull.reset();
  made.levels[3].queue = FrontierQueue::single_scan;
  return made;
}

TEST(TraceChecks, SeveralDevicesAdaptOnTheirOwn)
{
  EXPECT_EQ(of_several_devices().difference(), "");
  auto const after = [](auto change) {
    MadeTrace made = of_several_devices();
    change(made);
    return made.difference();
  };
  EXPECT_EQ(after([](MadeTrace& made) { made.levels[0].queue.reset(); }), "level 0: no word on its queue");
  EXPECT_EQ(after([](MadeTrace& made) { made.levels[2].balance = PullBalance::warp; }),
            "level 2: a choice of one device");
  EXPECT_EQ(after([](MadeTrace& made) { made.levels[2].async_pull = false; }), "level 2: a choice of one device");
  EXPECT_EQ(after([](MadeTrace& made) { made.levels[1].queue = FrontierQueue::double_scan; }),
            "level 1: several devices with the queue double-scan");
  EXPECT_EQ(after([](MadeTrace& made) { made.way.direction = Direction::push; }),
            "level 2: several devices with the queue none");
  EXPECT_EQ(after([](MadeTrace& made) { made.way.direction = Direction::pull; }),
            "level 3: several devices with the queue single-scan");
}

}  // namespace

}  // namespace brushfire::testing
