// What every engine must get right that searches in batches, over every graph of the battery, and the ways it is tried
// in. One BatchSearch runs several lists of sources, so what it forgets to clear between two of them shows.
#pragma once

#include "traverse/search_battery.hpp"

#include <brushfire/batch_search.hpp>

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace brushfire::testing {

inline BatchOptions batch_on(Device device, std::optional<Direction> direction = std::nullopt, int threads = 2)
{
  return {.levels = true, .found_bits = true, .direction = direction, .threads = threads, .device = device};
}

// Sources of a graph and what each of them must find.
class BatchOracle {
 public:
  BatchOracle(SharedSource source, bool directed, std::size_t most_distinct)
      : source_(std::move(source)), labels_(Labels::of_source(*source_, Team{1})), directed_(directed)
  {
    std::size_t const step = 1 + labels_.size() / most_distinct;
    for (std::size_t v = 0; v < labels_.size(); v += step) distinct_.push_back(labels_.label(static_cast<Vertex>(v)));
  }

  // More than there are distinct ones: some of them again, not in the same places of a batch.
  std::vector<Label> sources(std::size_t count) const
  {
    std::vector<Label> sources;
    for (std::size_t i = 0; i < count; ++i) sources.push_back(distinct_[i * 7 % distinct_.size()]);
    return sources;
  }

  const OracleResult& operator[](Label source)
  {
    auto const [place, is_new] = results_.try_emplace(source);
    if (is_new) place->second = oracle_search(*source_, labels_, source, directed_);
    return place->second;
  }

 private:
  SharedSource source_;
  Labels labels_;
  bool directed_;
  std::vector<Label> distinct_;
  std::map<Label, OracleResult> results_;
};

// Runs the sources and compares everything a caller can see: results, rows of levels, and each visit.
inline void expect_batches(BatchSearch& search, BatchOracle& oracle, const std::vector<Label>& sources,
                           std::optional<Direction> direction = std::nullopt)
{
  SCOPED_TRACE(std::to_string(sources.size()) + " sources");
  std::vector<std::uint64_t> visited(sources.size());
  auto const visit = [&](const BatchLevel& level) {
    ASSERT_LE(level.first_source + level.found.size(), sources.size());
    if (level.level > 0 && direction) {
      EXPECT_EQ(*direction == Direction::push ? level.pulled : level.pushed, 0u);
    }
    for (std::size_t i = 0; i < level.found.size(); ++i) {
      auto const& levels = oracle[sources[level.first_source + i]].levels;
      ASSERT_EQ(level.found_bits.size(), levels.size());
      for (std::size_t v = 0; v < levels.size(); ++v)
        ASSERT_EQ((level.found_bits[v] >> i & 1) != 0, levels[v] == level.level)
            << "vertex " << v << ", source " << i << ", level " << level.level;
      visited[level.first_source + i] += level.found[i];
    }
  };
  BatchResult const result = search.run(sources, visit);
  ASSERT_EQ(result.sources.size(), sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const OracleResult& expected = oracle[sources[i]];
    EXPECT_EQ(result.sources[i].source, sources[i]);
    EXPECT_EQ(result.sources[i].reached, expected.reached);
    EXPECT_EQ(result.sources[i].depth, expected.depth);
    EXPECT_EQ(visited[i], expected.reached);
    auto const levels = result.levels_of(i);
    ASSERT_EQ(std::vector(levels.begin(), levels.end()), expected.levels) << "source number " << i;
  }
}

inline void batches_match_the_oracle(const BatteryCase& battery_case, Device built_on,
                                     const std::vector<BatchOptions>& ways)
{
  constexpr std::size_t most_distinct = 20;
  for (bool const directed : {false, true}) {
    BatchOracle oracle(battery_case.source, directed, most_distinct);
    for (auto const threshold : {thresholds[0], thresholds[1], thresholds[3]}) {
      Graph const graph = build(battery_case.source, directed, threshold, built_on);
      for (const BatchOptions& way : ways) {
        SCOPED_TRACE(std::string(directed ? "directed" : "undirected") + ", delegates " +
                     std::to_string(graph.facts().delegates) + ", threads " + std::to_string(way.threads) + ", " +
                     (way.direction ? name_of(*way.direction) : "any direction"));
        BatchSearch search(graph, way);
        for (std::size_t const count : {64, 1, 70})
          expect_batches(search, oracle, oracle.sources(count), way.direction);
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

}  // namespace brushfire::testing
