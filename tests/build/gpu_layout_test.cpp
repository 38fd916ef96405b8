// What the GPU generates and builds is, bit for bit, what the host does; and what is copied there has been checked.
#include "battery.hpp"
#include "build/builder.hpp"
#include "build/cuda/device_builder.hpp"
#include "build/cuda/device_layout.hpp"
#include "build/cuda/device_rows.hpp"
#include "build/cuda/device_slots.hpp"
#include "gpu.hpp"
#include "input/cuda/device_edges.hpp"
#include "input/kronecker.hpp"

#include <brushfire/error.hpp>
#include <brushfire/graph.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace brushfire {
namespace {

std::vector<std::uint64_t> const thresholds{plain_threshold, 0, 2, 8};
std::vector<std::optional<std::uint64_t>> const sliced_thresholds{std::nullopt, plain_threshold, 2};

// The name of the first array that differs, or nothing.
std::string difference(const Adjacency& found, const Adjacency& expected)
{
  auto const same = [](auto const& a, auto const& b) { return std::ranges::equal(a.span(), b.span()); };
  if (!same(found.starts, expected.starts)) return "starts";
  if (!same(found.splits, expected.splits)) return "splits";
  if (!same(found.bases, expected.bases)) return "bases";
  if (!same(found.targets, expected.targets)) return "targets";
  return {};
}

void expect_same(const Layout& found, const Layout& expected)
{
  EXPECT_EQ(found.vertices, expected.vertices);
  EXPECT_EQ(found.delegates, expected.delegates);
  EXPECT_EQ(found.threshold, expected.threshold);
  EXPECT_EQ(found.directed, expected.directed);
  EXPECT_TRUE(std::ranges::equal(found.delegate_vertices.span(), expected.delegate_vertices.span()));
  EXPECT_TRUE(std::ranges::equal(found.input_degrees.span(), expected.input_degrees.span()));
  EXPECT_EQ(difference(found.out, expected.out), "");
  EXPECT_EQ(difference(found.in, expected.in), "");
}

void expect_counts(const DeviceLayout& found, const Layout& expected)
{
  for (Subgraph const kind : {Subgraph::dd, Subgraph::dn, Subgraph::nd, Subgraph::nn})
    EXPECT_EQ(found.entries[index_of(kind)], expected.entries(kind)) << index_of(kind);
  EXPECT_EQ(found.all_entries(), expected.entries());
}

DeviceBuildOptions device_options(const EdgeSource& source, bool directed, std::uint64_t threshold)
{
  return {.directed = directed, .listed_twice = source.facts().listed_twice && !directed, .threshold = threshold};
}

class GpuLayout : public testing::NeedsGpu<> {};

// One process for the whole battery: starting on a GPU takes longer than building these graphs.
TEST_F(GpuLayout, OfTheBatteryIsThatOfTheHost)
{
  device::Stream const stream;
  for (auto const& graph : testing::battery()) {
    const EdgeSource& source = *graph.source;
    Labels const labels = Labels::of_source(source, Team{1});
    auto const fed = feed_from_host(source, labels, Team{2}, false, stream);
    auto const kept = feed_from_host(source, labels, Team{2}, true, stream);
    for (bool const directed : {false, true}) {
      for (std::uint64_t const threshold : thresholds) {
        SCOPED_TRACE(graph.name + (directed ? ", directed" : "") + ", threshold " + std::to_string(threshold));
        Built const expected = build_layout(source, labels, {directed, threshold}, Team{2}, Progress::none());
        for (auto const& edges : {fed, kept}) {
          DeviceBuilt const built = build_on_device(*edges, labels.size(), device_options(source, directed, threshold),
                                                    stream, Progress::none());
          expect_same(copy_to_host(built.layout, stream), expected.layout);
          expect_counts(built.layout, expected.layout);
          EXPECT_EQ(built.self_loops, expected.self_loops);
        }
        DeviceLayout const copied = copy_to_device(expected.layout, stream);
        expect_counts(copied, expected.layout);
        expect_same(copy_to_host(copied, stream), expected.layout);
      }
    }
  }
}

TEST_F(GpuLayout, OfKroneckerGraphsIsThatOfTheHost)
{
  device::Stream const stream;
  for (int scale = 12; scale <= 16; ++scale) {
    KroneckerEdges const source(scale, 16);
    Labels const labels = Labels::of_source(source, Team{1});
    auto const edges = generate_on_device(source);
    for (bool const directed : {false, true}) {
      for (std::uint64_t const threshold : {plain_threshold, std::uint64_t{16}, std::uint64_t{64}}) {
        SCOPED_TRACE("scale " + std::to_string(scale) + ", threshold " + std::to_string(threshold));
        Built const expected = build_layout(source, labels, {directed, threshold}, Team{2}, Progress::none());
        DeviceBuilt const built = build_on_device(*edges, labels.size(), device_options(source, directed, threshold),
                                                  stream, Progress::none());
        expect_same(copy_to_host(built.layout, stream), expected.layout);
        EXPECT_EQ(built.self_loops, expected.self_loops);
      }
    }
  }
}

// A threshold that is chosen must be one that the host would build the same graph with.
TEST_F(GpuLayout, ChoosesAThresholdThatTheHostAgreesWith)
{
  device::Stream const stream;
  KroneckerEdges const source(14, 16);
  Labels const labels = Labels::of_source(source, Team{1});
  DeviceBuilt const built = build_on_device(*generate_on_device(source), labels.size(), {}, stream, Progress::none());
  EXPECT_GT(built.layout.delegates, 0u);
  Built const expected = build_layout(source, labels, {false, built.layout.threshold}, Team{2}, Progress::none());
  expect_same(copy_to_host(built.layout, stream), expected.layout);
}

// Notes in how many slices the first rows were built: each of them looks at every edge.
class SliceCounter final : public Progress {
 public:
  explicit SliceCounter(std::uint64_t edges) : edges_(edges) {}
  void begin(std::string_view stage, std::uint64_t total, std::string_view) override
  {
    if (stage == "building rows" && !slices_) slices_ = edges_ > 0 ? total / edges_ : 1;
  }
  void advance(std::uint64_t) override {}
  void end() override {}
  void note(std::string_view) override {}

  std::uint64_t slices() const { return slices_.value_or(0); }

 private:
  std::uint64_t edges_;
  std::optional<std::uint64_t> slices_;
};

// As build_on_device() does it, but with a limit to the keys of a slice.
DeviceLayout build_in_slices(const DeviceEdges& edges, Vertex vertices, const DeviceBuildOptions& options,
                             std::uint64_t most_keys, const device::Stream& stream, Progress& progress)
{
  DeviceLayout layout;
  layout.vertices = vertices;
  layout.directed = options.directed;
  DeviceDegrees degrees = count_degrees(edges, vertices, options, stream, progress);
  layout.threshold = options.threshold ? *options.threshold : choose_threshold(degrees, stream);
  DeviceSlots slots = assign_slots(degrees, layout.threshold, stream);
  layout.delegates = slots.delegates;
  RowsHold const out_rows{true, !options.directed && !options.listed_twice};
  layout.out = build_rows(edges, slots, out_rows, degrees.out, most_keys, stream, progress);
  if (options.directed) layout.in = build_rows(edges, slots, {false, true}, degrees.in, most_keys, stream, progress);
  layout.delegate_vertices = std::move(slots.delegate_vertices);
  layout.input_degrees = std::move(degrees.out);
  return layout;
}

void expect_same_in_slices(const EdgeSource& source, bool directed, std::optional<std::uint64_t> threshold,
                           const std::vector<std::uint64_t>& limits, const device::Stream& stream)
{
  Labels const labels = Labels::of_source(source, Team{1});
  auto const edges = feed_from_host(source, labels, Team{2}, true, stream);
  DeviceBuildOptions options = device_options(source, directed, 0);
  options.threshold = threshold;
  std::optional<Built> expected;  // once it is known which threshold was chosen
  for (std::uint64_t const most_keys : limits) {
    SCOPED_TRACE(source.facts().name + (directed ? ", directed, " : ", ") + std::to_string(most_keys) + " keys");
    SliceCounter counter(edges->edges());
    DeviceLayout const built = build_in_slices(*edges, labels.size(), options, most_keys, stream, counter);
    if (!expected) expected = build_layout(source, labels, {directed, built.threshold}, Team{2}, Progress::none());
    expect_same(copy_to_host(built, stream), expected->layout);

    auto const degrees = expected->layout.input_degrees.span();
    std::uint64_t const keys = std::accumulate(degrees.begin(), degrees.end(), std::uint64_t{0});
    std::uint64_t const longest = degrees.empty() ? 0 : *std::max_element(degrees.begin(), degrees.end());
    EXPECT_GE(counter.slices(), 1u);
    EXPECT_GE(counter.slices() * std::max(most_keys, longest), keys);
  }
}

// A slice holds its longest row at least, so flat graphs are cut into the most slices. Directed graphs have two sets
// of rows and get half of the limits: a slice costs the same time whatever it holds.
TEST_F(GpuLayout, BuiltInSlicesIsThatOfTheHost)
{
  device::Stream const stream;
  for (auto const& graph : testing::battery()) {
    for (auto const threshold : sliced_thresholds) {
      expect_same_in_slices(*graph.source, false, threshold, {1, 7, 50, 1000}, stream);
      expect_same_in_slices(*graph.source, true, threshold, {7, 1000}, stream);
    }
  }
}

// Listed twice too, which halves what a tuple adds; and limits beyond the longest row, so slices of many rows.
TEST_F(GpuLayout, OfAKroneckerGraphBuiltInSlicesIsThatOfTheHost)
{
  device::Stream const stream;
  KroneckerEdges const source(10, 16);
  std::vector<Edge> edges(source.facts().edges);
  source.read(0, edges);
  auto const twice = testing::make_source_listed_twice("kron:10 listed twice", std::uint64_t{1} << 10, edges);
  std::vector<std::uint64_t> const limits{1, 7, 50, 1000, 5000, 20000};
  for (auto const threshold : sliced_thresholds) {
    for (bool const directed : {false, true}) expect_same_in_slices(source, directed, threshold, limits, stream);
    expect_same_in_slices(*twice, false, threshold, limits, stream);
  }
}

// An array of the layout with one value changed, as an altered .bfg file may hold it.
template <typename T>
Section<T> altered(const Section<T>& section, std::size_t index, T value)
{
  Buffer<T> copy(section.size());
  std::copy(section.span().begin(), section.span().end(), copy.data());
  copy[index] = value;
  return Section<T>(std::move(copy));
}

TEST_F(GpuLayout, RefusesWhatNoBuilderMade)
{
  device::Stream const stream;
  KroneckerEdges const source(8, 8);
  Labels const labels = Labels::of_source(source, Team{1});
  for (bool const directed : {false, true}) {
    Layout const whole = build_layout(source, labels, {directed, 8}, Team{1}, Progress::none()).layout;
    ASSERT_GT(whole.delegates, 2u);
    std::vector<std::function<void(Layout&)>> const damages{
        [](Layout& l) { l.out.targets = altered(l.out.targets, 0, no_vertex); },
        [](Layout& l) { l.out.targets = altered(l.out.targets, l.entries() - 1, l.vertices); },
        [](Layout& l) { l.out.targets = altered(l.out.targets, l.entries() / 2, Vertex{1} << 31); },
        [](Layout& l) { l.out.starts = altered(l.out.starts, 1, ~std::uint32_t{0}); },
        [](Layout& l) { l.out.starts = altered(l.out.starts, l.out.starts.size() - 1, std::uint32_t{0}); },
        [](Layout& l) { l.out.splits = altered(l.out.splits, 0, ~std::uint32_t{0}); },
        [](Layout& l) { l.out.bases = altered(l.out.bases, 1, ~std::uint64_t{0}); },
        [](Layout& l) { l.delegate_vertices = altered(l.delegate_vertices, 1, l.vertices); },
    };
    for (std::size_t i = 0; i < damages.size(); ++i) {
      SCOPED_TRACE("damage " + std::to_string(i));
      Layout damaged = whole;
      damages[i](damaged);
      if (!directed) damaged.in = damaged.out;
      try {
        copy_to_device(damaged, stream);
        ADD_FAILURE() << "accepted";
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input) << error.what();
      }
    }
  }
}

// All pairs, in the order in which they come.
std::vector<VertexPair> pairs_of(const DeviceEdges& edges, const device::Stream& stream)
{
  std::vector<VertexPair> pairs(edges.edges());
  std::uint64_t next = 0;
  edges.for_each_block(stream, [&](std::uint64_t first, const VertexPair* block, std::uint64_t count) {
    EXPECT_EQ(first, next);
    ASSERT_LE(first + count, pairs.size());
    device::copy_to_host(pairs.data() + first, block, count * sizeof(VertexPair), stream);
    next = first + count;
  });
  stream.wait();
  EXPECT_EQ(next, pairs.size());
  return pairs;
}

// The first tuple that is not that of the source, or nothing.
std::string first_difference(const DeviceEdges& found, const EdgeSource& source, const Labels& labels,
                             const device::Stream& stream)
{
  std::vector<Edge> edges(source.facts().edges);
  source.read(0, edges);
  auto const pairs = pairs_of(found, stream);
  if (pairs.size() != edges.size()) return std::to_string(pairs.size()) + " tuples";
  for (std::size_t i = 0; i < edges.size(); ++i)
    if (pairs[i].source != labels.vertex(edges[i].source) || pairs[i].target != labels.vertex(edges[i].target))
      return "tuple " + std::to_string(i);
  return {};
}

class GpuTuples : public testing::NeedsGpu<> {};

// Redraws (one tuple in 30,000) and blocks that are not full are among them.
TEST_F(GpuTuples, AreThoseOfTheReference)
{
  device::Stream const stream;
  for (int scale = 1; scale <= 20; ++scale) {
    for (std::uint64_t const edge_factor : {std::uint64_t{16}, std::uint64_t{scale < 16 ? 7u : 1u}}) {
      SCOPED_TRACE("scale " + std::to_string(scale) + ", edge factor " + std::to_string(edge_factor));
      KroneckerEdges const source(scale, edge_factor);
      Labels const labels = Labels::of_source(source, Team{1});
      auto const generated = generate_on_device(source);
      EXPECT_EQ(first_difference(*generated, source, labels, stream), "");
      auto const stored = store_on_device(*generated, stream);
      EXPECT_EQ(stored->edges(), source.facts().edges);
      EXPECT_EQ(first_difference(*stored, source, labels, stream), "");
    }
  }
}

TEST_F(GpuTuples, DependOnTheSeeds)
{
  device::Stream const stream;
  KroneckerEdges const source("kron:12:5:99", 12, 5, {.first = 99, .second = 3});
  EXPECT_EQ(first_difference(*generate_on_device(source), source, Labels::of_source(source, Team{1}), stream), "");
}

TEST_F(GpuTuples, OfAnySourceAreFedInOrder)
{
  device::Stream const stream;
  for (auto const& graph : testing::battery()) {
    SCOPED_TRACE(graph.name);
    Labels const labels = Labels::of_source(*graph.source, Team{1});
    for (bool const keep : {false, true}) {
      auto const fed = feed_from_host(*graph.source, labels, Team{2}, keep, stream);
      for (int pass = 0; pass < 2; ++pass) EXPECT_EQ(first_difference(*fed, *graph.source, labels, stream), "");
    }
  }
}

}  // namespace
}  // namespace brushfire
