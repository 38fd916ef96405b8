// What every engine must get right over every graph of the battery, and the ways to search that it is tried in. One
// Search runs all roots of a graph, so what it forgets to clear between two searches shows.
#pragma once

#include "battery.hpp"
#include "engine/graph_data.hpp"
#include "input/generator.hpp"
#include "traverse/search_checks.hpp"

#include <brushfire/error.hpp>
#include <brushfire/search.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace brushfire::testing {

inline const std::vector<std::optional<std::uint64_t>> thresholds{std::nullopt, plain_threshold, 0, 2, 8};
inline const std::vector<std::optional<Direction>> directions{std::nullopt, Direction::push, Direction::pull};

inline Graph build(SharedSource source, bool directed, std::optional<std::uint64_t> threshold,
                   Device device = Device::cpu, int devices = 1, Preset preset = Preset::automatic)
{
  GraphOptions options{.directed = directed, .threshold = threshold, .threads = 2, .device = device};
  options.devices = devices;
  options.preset = preset;
  return build_graph(std::move(source), options, Progress::none());
}

// With levels, which the checks compare.
inline SearchOptions search_on(Device device, std::optional<Direction> direction = std::nullopt,
                               bool deterministic = false, int threads = 2)
{
  SearchOptions options;
  options.direction = direction;
  options.deterministic = deterministic;
  options.levels = true;
  options.threads = threads;
  options.device = device;
  return options;
}

// Every choice that the adaptive preset has on one device. A queue is made whatever the direction; the rest is about
// pulling.
inline std::vector<SearchOptions> ways_to_adapt(Device device)
{
  using enum FrontierQueue;
  using enum PullBalance;
  std::vector<SearchOptions> ways;
  auto const add = [&](std::optional<Direction> direction) -> SearchOptions& {
    ways.push_back(search_on(device, direction));
    ways.back().preset = Preset::adaptive;
    return ways.back();
  };
  for (auto const queue : std::vector<std::optional<FrontierQueue>>{{}, scan_free, single_scan, double_scan, none}) {
    for (auto const direction : directions) {
      if (direction == Direction::push) {
        if (queue != none) add(direction).queue = queue;
        continue;
      }
      for (auto const balance : {static_shares, thread, warp, donate}) {
        for (bool const async : {false, true}) {
          SearchOptions& way = add(direction);
          way.queue = queue;
          way.balance = balance;
          way.async_pull = async;
        }
      }
    }
  }
  for (bool const wide : {false, true}) {
    for (auto const direction : directions) {
      SearchOptions& way = add(direction);
      way.deterministic = true;
      way.wide_parents = wide;
    }
  }
  add(std::nullopt).wide_parents = true;
  return ways;
}

// Those of them that limits have to do with: where a frontier comes from, and whether a pull looks past it.
inline std::vector<SearchOptions> ways_to_adapt_within_limits(Device device)
{
  std::vector<SearchOptions> ways{search_on(device), search_on(device, Direction::push),
                                  search_on(device, Direction::pull), search_on(device), search_on(device)};
  for (SearchOptions& way : ways) way.preset = Preset::adaptive;
  ways[2].deterministic = true;
  ways[3].queue = FrontierQueue::none;
  ways[3].balance = PullBalance::donate;
  ways[4].queue = FrontierQueue::double_scan;
  ways[4].async_pull = false;
  ways[4].deterministic = true;
  return ways;
}

// Those of a preset that cuts a graph into blocks.
inline constexpr auto block_presets = {Preset::ring, Preset::grid, Preset::butterfly};
inline std::vector<SearchOptions> ways_in_blocks(Preset preset, Device device)
{
  std::vector<SearchOptions> ways{search_on(device), search_on(device, Direction::push, true)};
  if (preset != Preset::ring) {
    ways.push_back(search_on(device, Direction::pull));
    ways.push_back(search_on(device, std::nullopt, true));
  }
  ways.back().wide_parents = true;
  for (SearchOptions& way : ways) way.preset = preset;
  ways.front().fanout = 1;
  ways.back().fanout = 3;
  return ways;
}

// Every direction, width and choice of parents.
inline std::vector<SearchOptions> ways_to_search(Device device, const std::vector<int>& threads)
{
  std::vector<SearchOptions> ways;
  for (auto const direction : directions)
    for (int const count : threads)
      for (bool const deterministic : {false, true})
        for (bool const wide : {false, true}) {
          ways.push_back(search_on(device, direction, deterministic, count));
          ways.back().wide_parents = wide;
        }
  return ways;
}

// Every expected outcome of this graph, computed once.
inline std::vector<Expected> expected_outcomes(const BatteryCase& graph, bool directed,
                                               std::optional<std::int64_t> max_depth = std::nullopt)
{
  std::vector<Expected> all;
  for (Label const root : graph.roots) all.emplace_back(graph.source, root, directed, max_depth);
  return all;
}

inline void expect_outcomes(const Graph& graph, const SearchOptions& way, const std::vector<Expected>& outcomes,
                            const SearchLimits& limits = {})
{
  SCOPED_TRACE(describe({.directed = graph.facts().directed, .threshold = graph.facts().threshold}, way));
  Search search(graph, way);
  TraceShape const shape{.in_parts = graph.data().is_in_parts()};
  for (auto const& outcome : outcomes) {
    SearchResult const result = search.run(outcome.root, limits);
    std::string const wrong = difference(result, outcome, way.deterministic);
    EXPECT_EQ(wrong.empty() ? trace_difference(result, way, limits, shape) : wrong, "")
        << "root " << outcome.root << ", depth " << limits.max_depth.value_or(-1);
  }
}

inline void matches_the_oracle(const BatteryCase& battery_case, Device built_on,
                               const std::vector<std::optional<std::uint64_t>>& built_with,
                               const std::vector<SearchOptions>& ways, int devices = 1)
{
  for (bool const directed : {false, true}) {
    auto const outcomes = expected_outcomes(battery_case, directed);
    for (auto const threshold : built_with) {
      Graph const graph = build(battery_case.source, directed, threshold, built_on, devices, ways.front().preset);
      for (auto const& way : ways) expect_outcomes(graph, way, outcomes);
    }
  }
}

// Where every level costs launches on many devices: from the first root and from the last.
inline BatteryCase from_few_roots(BatteryCase battery_case)
{
  if (battery_case.roots.size() > 2) battery_case.roots = {battery_case.roots.front(), battery_case.roots.back()};
  return battery_case;
}

inline void blocks_match_the_oracle(const BatteryCase& battery_case, Device device,
                                    std::initializer_list<int> device_counts)
{
  for (Preset const preset : block_presets)
    for (int const devices : device_counts) {
      SCOPED_TRACE(std::string(name_of(preset)) + ", devices: " + std::to_string(devices));
      matches_the_oracle(battery_case, device, {std::nullopt}, ways_in_blocks(preset, device), devices);
    }
}

inline void blocks_match_the_oracle_on_random_graphs(Device device, std::uint64_t graphs)
{
  for (std::uint64_t seed = 0; seed < graphs; ++seed) {
    RandomShape shape;
    shape.vertices = 1 + seed * 37 % 500;
    shape.edges = seed * 91 % 1700;
    shape.sparse_labels = seed % 3 == 0;
    shape.skewed = seed % 2 == 0;
    auto const source = random_graph(seed, shape);
    auto const roots = roots_of(*source);
    if (roots.empty()) continue;
    bool const directed = seed % 4 == 1;
    std::vector<Expected> const outcome{Expected(source, roots.back(), directed)};
    for (Preset const preset : block_presets) {
      int const devices = 1 + static_cast<int>(seed % 16);
      SCOPED_TRACE(std::string(name_of(preset)) + ", devices: " + std::to_string(devices) +
                   ", seed: " + std::to_string(seed));
      auto const ways = ways_in_blocks(preset, device);
      expect_outcomes(build(source, directed, std::nullopt, device, devices, preset), ways[seed % ways.size()],
                      outcome);
    }
  }
}

inline void stops_at_the_depth_limit(const BatteryCase& battery_case, const std::vector<SearchOptions>& ways,
                                     const std::vector<std::optional<std::uint64_t>>& built_with = {thresholds[0],
                                                                                                    thresholds[2]},
                                     int devices = 1)
{
  for (bool const directed : {false, true}) {
    for (auto const threshold : built_with) {
      Graph const graph = build(battery_case.source, directed, threshold, Device::cpu, devices, ways.front().preset);
      for (std::int64_t const max_depth : {0, 1, 3, 1000}) {
        auto const outcomes = expected_outcomes(battery_case, directed, max_depth);
        for (auto const& way : ways) expect_outcomes(graph, way, outcomes, {.target = {}, .max_depth = max_depth});
      }
    }
  }
}

// Devices ask each other for levels when they look for parents, also where the user wants none.
inline void finds_parents_without_keeping_levels(const BatteryCase& battery_case, Device device, int devices)
{
  SearchOptions way = search_on(device);
  way.levels = false;
  for (bool const directed : {false, true})
    for (auto const threshold : {std::optional<std::uint64_t>(plain_threshold), std::optional<std::uint64_t>(4)}) {
      Search search(build(battery_case.source, directed, threshold, device, devices), way);
      for (std::optional<std::int64_t> const max_depth : {std::optional<std::int64_t>{}, {2}})
        for (auto const& outcome : expected_outcomes(battery_case, directed, max_depth)) {
          SearchResult const result = search.run(outcome.root, {.target = {}, .max_depth = max_depth});
          EXPECT_EQ(result.reached, outcome.oracle.reached);
          auto const& levels = outcome.oracle.levels;
          for (Vertex v = 0; v < result.parents.size(); ++v) {
            Label const parent = result.parents[v];
            ASSERT_EQ(parent == no_label, levels[v] == unreached) << "vertex " << v << ", root " << outcome.root;
            if (levels[v] <= 0) continue;
            ASSERT_EQ(levels[outcome.labels.vertex(parent)], levels[v] - 1) << "vertex " << v;
          }
        }
    }
}

// The path has the length of the target's level and goes up by the parents; unreached targets have none.
inline void finds_the_path_to_a_target(const BatteryCase& battery_case, const SearchOptions& way,
                                       std::optional<std::uint64_t> threshold = std::nullopt, int devices = 1)
{
  for (bool const directed : {false, true}) {
    SCOPED_TRACE(describe({.directed = directed, .threshold = threshold}, way));
    Search search(build(battery_case.source, directed, threshold, Device::cpu, devices, way.preset), way);
    for (auto const& outcome : expected_outcomes(battery_case, directed)) {
      for (Label const target : battery_case.roots) {
        SCOPED_TRACE("from " + std::to_string(outcome.root) + " to " + std::to_string(target));
        SearchResult const result = search.run(outcome.root, {.target = target, .max_depth = {}});
        auto const path = search.path_to(target);
        EXPECT_EQ(static_cast<std::int32_t>(path.size()) - 1, outcome.oracle.levels[outcome.labels.vertex(target)]);
        EXPECT_LE(result.reached, outcome.oracle.reached);
        TraceShape const shape{.target_reached = !path.empty(), .in_parts = devices > 1};
        EXPECT_EQ(trace_difference(result, way, {.target = target, .max_depth = {}}, shape), "");
        if (path.empty()) continue;
        EXPECT_EQ(path.front(), outcome.root);
        EXPECT_EQ(path.back(), target);
        for (std::size_t i = 1; i < path.size(); ++i)
          EXPECT_EQ(result.parents[outcome.labels.vertex(path[i])], path[i - 1]);
      }
    }
  }
}

inline void refuses_an_unknown_root(const SearchOptions& way)
{
  Search search(build(make_source("two", 2, {{0, 1}}), false, std::nullopt), way);
  for (Label const root : {Label{2}, Label{-1}, largest_label}) {
    try {
      search.run(root);
      FAIL() << root;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
    }
  }
  EXPECT_EQ(search.run(1).reached, 2u);
}

// One graph, searched by many threads at once.
inline void shares_a_graph(Device built_on, const SearchOptions& way)
{
  SharedSource const source = open_generator("kron:10");
  Graph const graph = build(source, false, std::nullopt, built_on, 1, way.preset);
  auto const roots = random_sources(graph, 4, 7);
  ASSERT_EQ(roots.size(), 4u);
  std::vector<std::string> differences(roots.size());
  std::vector<std::thread> callers;
  for (std::size_t i = 0; i < roots.size(); ++i) {
    callers.emplace_back([&, i] {
      Expected const expected(source, roots[i], false);
      Search search(graph, way);
      for (int repeat = 0; repeat < 20 && differences[i].empty(); ++repeat)
        differences[i] = difference(search.run(roots[i]), expected, false);
    });
  }
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(differences, std::vector<std::string>(roots.size()));
}

}  // namespace brushfire::testing
