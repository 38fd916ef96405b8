// Parts that GPUs build together are, array by array, those that the host builds and copies there: whatever the graph,
// the number of devices, the threshold, and the number of slices the rows are built in.
#include "battery.hpp"
#include "build/cuda/device_part.hpp"
#include "build/cuda/device_part_builder.hpp"
#include "build/part_builder.hpp"
#include "build/tuple_steps.hpp"
#include "device/buffer.hpp"
#include "device/stream.hpp"
#include "exchange/device_group.hpp"
#include "gpu.hpp"
#include "input/cuda/tuples_on_device.hpp"
#include "input/kronecker.hpp"
#include "input/tuple_share.hpp"

#include <brushfire/graph.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace brushfire {
namespace {

using Threshold = std::optional<std::uint64_t>;

std::vector<Threshold> const thresholds{std::nullopt, 0, 2, plain_threshold};
std::vector<int> const device_counts{2, 3, 5, 8};

template <typename T>
std::vector<T> all_of(const device::Buffer<T>& buffer, const device::Stream& stream)
{
  return device::to_vector(buffer, buffer.size(), stream);
}

// The name of the first array that differs, or nothing.
std::string difference(const Adjacency& found, const Adjacency& expected)
{
  auto const same = [](auto const& a, auto const& b) { return std::ranges::equal(a.span(), b.span()); };
  if (!same(found.starts, expected.starts)) return "starts";
  if (!same(found.splits, expected.splits)) return "splits";
  if (!same(found.bases, expected.bases)) return "bases";
  return same(found.targets, expected.targets) ? "" : "targets";
}

std::string difference(const FarRows& found, const FarRows& expected)
{
  auto const same = [](auto const& a, auto const& b) { return std::ranges::equal(a.span(), b.span()); };
  if (!same(found.starts, expected.starts)) return "starts";
  if (!same(found.bases, expected.bases)) return "bases";
  return same(found.targets, expected.targets) ? "" : "targets";
}

std::string difference(const Delegates& found, const Delegates& expected)
{
  if (found.size() != expected.size()) return "size";
  for (Vertex rank = 0; rank < found.size(); ++rank) {
    if (found[rank].index != expected[rank].index) return "index of " + std::to_string(rank);
    if (found[rank].degree != expected[rank].degree) return "degree of " + std::to_string(rank);
    if (found[rank].home != expected[rank].home) return "home of " + std::to_string(rank);
    if (found[rank].label != expected[rank].label) return "label of " + std::to_string(rank);
  }
  return {};
}

std::string difference(const Part& found, const Part& expected)
{
  auto const same = [](auto const& a, auto const& b) { return std::ranges::equal(a.span(), b.span()); };
  const Layout &a = found.layout, &b = expected.layout;
  if (a.vertices != b.vertices || a.delegates != b.delegates) return "size";
  if (a.threshold != b.threshold) return "threshold";
  if (a.directed != b.directed || found.devices != expected.devices || found.device != expected.device) return "facts";
  if (!same(a.delegate_vertices, b.delegate_vertices)) return "delegate vertices";
  if (!same(a.input_degrees, b.input_degrees)) return "input degrees";
  if (auto const wrong = difference(found.delegates, expected.delegates); !wrong.empty()) return "delegates: " + wrong;
  if (auto const wrong = difference(a.out, b.out); !wrong.empty()) return "out rows: " + wrong;
  if (auto const wrong = difference(a.in, b.in); !wrong.empty()) return "in rows: " + wrong;
  if (auto const wrong = difference(found.out, expected.out); !wrong.empty()) return "far rows: " + wrong;
  if (auto const wrong = difference(found.in, expected.in); !wrong.empty()) return "far in rows: " + wrong;
  return {};
}

// What searches read of a part on the device beside its rows.
std::string difference(const DevicePart& found, const DevicePart& expected, const device::Stream& stream)
{
  auto const same = [&](auto const& a, auto const& b) { return all_of(a, stream) == all_of(b, stream); };
  if (found.layout.entries != expected.layout.entries) return "entries";
  if (!same(found.layout.delegate_vertices, expected.layout.delegate_vertices)) return "delegate vertices";
  if (!same(found.layout.out.splits, expected.layout.out.splits)) return "splits";
  if (!same(found.layout.in.splits, expected.layout.in.splits)) return "in splits";
  if (found.out.entries_before != expected.out.entries_before) return "entries before";
  if (found.out.numbers_before != expected.out.numbers_before) return "numbers before";
  if (found.in.entries_before != expected.in.entries_before) return "in entries before";
  if (found.in.numbers_before != expected.in.numbers_before) return "in numbers before";
  if (!same(found.labels, expected.labels)) return "labels";
  if (!same(found.homes, expected.homes)) return "homes";
  if (found.homes_before != expected.homes_before) return "homes before";
  if (found.devices != expected.devices || found.device != expected.device) return "devices";
  return {};
}

std::string difference(const BuiltPart& found, const BuiltPart& expected)
{
  if (found.totals.tuples != expected.totals.tuples) return "tuples";
  if (found.totals.self_loops != expected.totals.self_loops) return "self-loops";
  if (found.totals.entries != expected.totals.entries) return "entries";
  if (found.totals.bytes != expected.totals.bytes) return "bytes";
  return found.totals.subgraph_bytes == expected.totals.subgraph_bytes ? "" : "bytes of subgraphs";
}

struct Way {
  int devices = 2;
  BuildOptions build;
  std::uint64_t most_keys = as_many_keys_as_fit;
  bool store = false;
};

// What is wrong on any device, or nothing.
std::string built_differently(const EdgeSource& source, const Way& way)
{
  Labels const labels = Labels::of_source(source, Team{1});
  std::vector<std::string> wrong(static_cast<std::size_t>(way.devices));
  DeviceGroup group(way.devices, 1);
  group.run([&](int index, Exchange& exchange) {
    device::Stream const stream;
    TupleShare const share = share_of(source, index, way.devices);
    DealtLabels const dealt = DealtLabels::of_labels(labels, way.devices, index);
    OwnDegrees counted =
        count_own_degrees(share, dealt, {way.build.directed, counts_at_both_ends(share, way.build.directed)}, exchange,
                          Team{1}, Progress::none());
    BuiltPart const host = build_part(share, dealt, way.build, std::move(counted), exchange, Team{1}, Progress::none());
    auto tuples = tuples_on_device(share, dealt, Team{1});
    if (way.store) tuples = store_tuples(*tuples, stream);
    DeviceBuiltPart there = build_part_on_device(*tuples, source.facts(), dealt, way.build,
                                                 {way.devices, way.most_keys}, exchange, stream, Progress::none());
    DevicePart const copied = copy_to_device(host.part, dealt.view(), dealt.size(), stream);
    name_vertices(there.part, there.built.part, dealt.view(), dealt.size(), stream);
    copy_rows_to_host(there.part, there.built.part, stream);
    std::string& said = wrong[static_cast<std::size_t>(index)];
    said = difference(there.built.part, host.part);
    if (said.empty()) said = difference(there.part, copied, stream);
    if (said.empty()) said = difference(there.built, host);
  });
  for (std::size_t index = 0; index < wrong.size(); ++index)
    if (!wrong[index].empty()) return "device " + std::to_string(index) + ": " + wrong[index];
  return {};
}

void expect_same(const EdgeSource& source, const Way& way)
{
  EXPECT_EQ(built_differently(source, way), "")
      << source.facts().name << " on " << way.devices << (way.build.directed ? ", directed" : "") << ", threshold "
      << (way.build.threshold ? std::to_string(*way.build.threshold) : "auto") << ", " << way.most_keys << " keys";
}

class GpuPartBuilder : public testing::NeedsGpu<> {};

TEST_F(GpuPartBuilder, BuildsTheBatteryAsTheHostDoes)
{
  for (auto const& graph : testing::battery())
    for (int const devices : device_counts)
      for (bool const directed : {false, true})
        for (auto const threshold : thresholds) expect_same(*graph.source, {devices, {directed, threshold}});
}

// Devices need different numbers of slices, and go on together until the last of them is done.
TEST_F(GpuPartBuilder, BuildsInSlicesWhatTheHostDoes)
{
  for (auto const& graph : testing::battery())
    for (auto const threshold : thresholds) {
      for (std::uint64_t const most_keys : {7, 100}) expect_same(*graph.source, {3, {false, threshold}, most_keys});
      expect_same(*graph.source, {2, {true, threshold}, 30});
    }
}

TEST_F(GpuPartBuilder, BuildsKroneckerGraphsAsTheHostDoes)
{
  KroneckerEdges const source(11, 16);
  for (int const devices : device_counts)
    for (auto const threshold : std::vector<Threshold>{std::nullopt, 16, plain_threshold}) {
      expect_same(source, {devices, {false, threshold}});
      expect_same(source, {devices, {true, threshold}, 5000, true});
    }
}

// More tuples than a step has, and more than one block of every kernel.
TEST_F(GpuPartBuilder, TakesAsManyStepsAsItNeeds)
{
  KroneckerEdges const source(19, 16);
  expect_same(source, {2, {}});
  expect_same(source, {3, {false, plain_threshold}, std::uint64_t{1} << 21});
}

TEST_F(GpuPartBuilder, TakesListsThatNameEveryEdgeTwice)
{
  KroneckerEdges const once(8, 8);
  std::vector<Edge> edges(once.facts().edges);
  once.read(0, edges);
  auto const twice = testing::make_source_listed_twice("kron:8 listed twice", std::uint64_t{1} << 8, edges);
  for (auto const threshold : thresholds) expect_same(*twice, {3, {false, threshold}});
}

// The first of some tuples that is not that of the source, or nothing.
std::string first_difference(TuplesOnDevice& found, const TupleShare& share, const DealtLabels& labels,
                             std::uint64_t first, std::uint64_t count)
{
  device::Stream const stream;
  device::Buffer<IndexPair> pairs(count);
  found.read(first, count, pairs.data(), stream);
  auto const read = all_of(pairs, stream);
  std::vector<Edge> edges(count);
  share.source.read(share.first + first, edges);
  for (std::size_t i = 0; i < count; ++i)
    if (read[i].source != labels.index_of(edges[i].source) || read[i].target != labels.index_of(edges[i].target))
      return "tuple " + std::to_string(i);
  return {};
}

class GpuTuplesOfShare : public testing::NeedsGpu<> {};

// Scale 33 needs more than 32 bits, and is read in part only.
TEST_F(GpuTuplesOfShare, AreThoseOfTheSource)
{
  for (int const scale : {10, 31, 32, 33, 40}) {
    SCOPED_TRACE("scale " + std::to_string(scale));
    auto const whole = std::make_shared<KroneckerEdges>(scale, 16);
    TuplesOfRank const of_rank(whole, 1, 3);
    DealtLabels const labels = DealtLabels::of_range(*whole->facts().declared, 1024, 5);
    for (const EdgeSource* const source :
         {static_cast<const EdgeSource*>(whole.get()), static_cast<const EdgeSource*>(&of_rank)}) {
      TupleShare const share = share_of(*source, 1, 2);
      EXPECT_TRUE(generates_on_device(share, labels));
      auto const tuples = tuples_on_device(share, labels, Team{1});
      EXPECT_EQ(tuples->size(), share.size());
      EXPECT_EQ(first_difference(*tuples, share, labels, 17, 2000), "");
    }
  }
}

TEST_F(GpuTuplesOfShare, ComeFromTheHostInBlocks)
{
  std::uint64_t const many = (std::uint64_t{1} << 19) + 5;
  auto const source = testing::make_source("path", testing::path_edges(many));
  Labels const labels = Labels::of_source(*source, Team{1});
  DealtLabels const dealt = DealtLabels::of_labels(labels, 3, 1);
  TupleShare const share = share_of(*source, 0, 1);
  EXPECT_FALSE(generates_on_device(share, dealt));
  auto const tuples = tuples_on_device(share, dealt, Team{2});
  EXPECT_EQ(first_difference(*tuples, share, dealt, 3, many - 10), "");
}

TEST_F(GpuTuplesOfShare, AreStoredInFull)
{
  auto const ends = [](std::uint64_t i) { return static_cast<Label>((i * 0x9E3779B97F4A7C15u) >> 16); };
  std::vector<Edge> edges;
  for (std::uint64_t i = 0; i < 1000; ++i) edges.push_back({ends(2 * i), ends(2 * i + 1)});
  EdgeFacts facts;
  facts.name = "wide";
  facts.edges = edges.size();
  testing::ListSource const source(facts, edges);
  DealtLabels const labels = DealtLabels::of_range({0, std::uint64_t{1} << 48}, 1 << 17, 0);
  TupleShare const share = share_of(source, 0, 1);
  device::Stream const stream;
  auto const stored = store_tuples(*tuples_on_device(share, labels, Team{1}), stream);
  EXPECT_EQ(first_difference(*stored, share, labels, 0, edges.size()), "");
}

}  // namespace
}  // namespace brushfire
