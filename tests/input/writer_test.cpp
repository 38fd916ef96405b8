#include "input/writer.hpp"

#include "files.hpp"
#include "input/file.hpp"
#include "input/stored_edges.hpp"

#include <map>
#include <random>
#include <set>

namespace brushfire {
namespace {

using testing::content_of;
using testing::expect_error;

std::unique_ptr<StoredEdges> source_of(std::vector<Edge> edges, std::optional<LabelRange> declared = std::nullopt)
{
  EdgeFacts facts;
  facts.declared = declared;
  std::vector<StoredPiece> pieces;
  pieces.emplace_back(edges);
  return std::make_unique<StoredEdges>(facts, std::move(pieces));
}

using Arc = std::pair<Label, Label>;

// A simple graph in sets.
class SmallGraph : public GraphListing {
 public:
  SmallGraph(std::vector<Edge> edges, bool directed, std::optional<LabelRange> declared = std::nullopt)
      : labels_(Labels::of_source(*source_of(edges, declared), Team{1})), directed_(directed)
  {
    for (Edge const& edge : edges) {
      if (edge.source == edge.target) continue;
      Vertex const source = labels_.vertex(edge.source);
      Vertex const target = labels_.vertex(edge.target);
      add(source, target);
      if (!directed) add(target, source);
    }
  }

  const Labels& labels() const override { return labels_; }
  bool directed() const override { return directed_; }
  std::uint64_t entries() const override
  {
    std::uint64_t sum = 0;
    for (auto const& [vertex, set] : out_) sum += set.size();
    return sum;
  }
  void neighbours(Vertex vertex, std::vector<Vertex>& out) const override { list(out_, vertex, out); }
  void sources(Vertex vertex, std::vector<Vertex>& out) const override { list(in_, vertex, out); }

  // What a reader should find: (u, v) and, of an undirected graph, (v, u), in labels moved by `shift`.
  std::vector<Arc> arcs(Label shift) const
  {
    std::vector<Arc> result;
    for (auto const& [vertex, set] : out_)
      for (Vertex const other : set) result.emplace_back(labels_.label(vertex) + shift, labels_.label(other) + shift);
    return result;
  }

 private:
  using Sets = std::map<Vertex, std::set<Vertex>>;

  void add(Vertex source, Vertex target)
  {
    out_[source].insert(target);
    in_[target].insert(source);
  }
  static void list(const Sets& sets, Vertex vertex, std::vector<Vertex>& out)
  {
    out.clear();
    if (auto const found = sets.find(vertex); found != sets.end())
      out.assign(found->second.begin(), found->second.end());
  }

  Labels labels_;
  bool directed_;
  Sets out_, in_;
};

class WriterTest : public ::testing::Test {
 protected:
  std::string written(const GraphListing& graph, const std::string& name)
  {
    write_graph_file(graph, folder_ / name, Team{2}, progress_);
    return content_of(folder_ / name);
  }
  void expect_usage_error(const GraphListing& graph, const std::string& name, std::string_view part)
  {
    expect_error(ErrorKind::usage, part, [&] { written(graph, name); });
    EXPECT_TRUE(folder_.is_empty());
  }

  testing::TemporaryFolder folder_;
  testing::Notes progress_;
};

// 0 - 1, 0 - 3, 1 - 3, with 2 isolated, and the same directed.
const SmallGraph triangle({{3, 0}, {0, 1}, {3, 1}, {1, 3}, {1, 1}}, false, LabelRange{0, 4});
const SmallGraph directed_triangle({{3, 0}, {0, 1}, {3, 1}, {1, 3}, {1, 1}}, true, LabelRange{0, 4});
const SmallGraph from_one({{1, 2}, {2, 4}}, false, LabelRange{1, 4});

TEST_F(WriterTest, EdgeLists)
{
  EXPECT_EQ(written(triangle, "x.el"), "0 1\n0 3\n1 3\n");
  EXPECT_EQ(written(triangle, "x.txt"), "0 1\n0 3\n1 3\n");
  EXPECT_EQ(written(triangle, "x.wel"), "0 1 1\n0 3 1\n1 3 1\n");
  EXPECT_EQ(written(triangle, "x.csv"), "0,1\n0,3\n1,3\n");
  EXPECT_EQ(written(triangle, "x.tsv"), "0\t1\n0\t3\n1\t3\n");
  EXPECT_EQ(written(directed_triangle, "x.el"), "0 1\n1 3\n3 0\n3 1\n");
  ASSERT_EQ(progress_.all.size(), 6U);
  EXPECT_NE(progress_.all.back().find("isolated vertices; 1 left out"), std::string::npos) << progress_.all.back();
}

TEST_F(WriterTest, EdgeListsKeepSparseLabels)
{
  SmallGraph const sparse({{largest_label, 5}, {1LL << 40, 5}}, false);
  EXPECT_EQ(written(sparse, "x.el"), "5 1099511627776\n5 9223372036854775807\n");
  EXPECT_TRUE(progress_.all.empty());
}

TEST_F(WriterTest, MatrixMarket)
{
  EXPECT_EQ(written(triangle, "x.mtx"), "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 3\n2 1\n4 1\n4 2\n");
  ASSERT_EQ(progress_.all.size(), 1U);
  EXPECT_NE(progress_.all[0].find("labels start at 0; written from 1"), std::string::npos) << progress_.all[0];
  EXPECT_EQ(written(directed_triangle, "x.mtx"),
            "%%MatrixMarket matrix coordinate pattern general\n4 4 4\n1 2\n2 4\n4 1\n4 2\n");
}

TEST_F(WriterTest, LabelsFromOneStayInOneBasedFormats)
{
  EXPECT_EQ(written(from_one, "x.mtx"), "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 2\n2 1\n4 2\n");
  EXPECT_EQ(written(from_one, "x.gr"), "p sp 4 4\na 1 2 1\na 2 1 1\na 2 4 1\na 4 2 1\n");
  EXPECT_EQ(written(from_one, "x.graph"), "4 2\n2 \n1 4 \n\n2 \n");
  EXPECT_TRUE(progress_.all.empty());
}

TEST_F(WriterTest, Dimacs)
{
  EXPECT_EQ(written(triangle, "x.gr"), "p sp 4 6\na 1 2 1\na 1 4 1\na 2 1 1\na 2 4 1\na 4 1 1\na 4 2 1\n");
  EXPECT_EQ(written(directed_triangle, "x.gr"), "p sp 4 4\na 1 2 1\na 2 4 1\na 4 1 1\na 4 2 1\n");
}

TEST_F(WriterTest, Metis)
{
  EXPECT_EQ(written(triangle, "x.graph"), "4 3\n2 4 \n1 4 \n\n1 2 \n");
  SmallGraph const gaps({{5, 3}, {4, 5}}, false);  // 1 and 2 do not occur
  EXPECT_EQ(written(gaps, "x.graph"), "5 2\n\n\n5 \n5 \n3 4 \n");
}

std::string serialized(char directed, std::vector<std::int64_t> longs, std::vector<std::int32_t> ints)
{
  std::string bytes(1, directed);
  bytes.append(reinterpret_cast<const char*>(longs.data()), 8 * longs.size());
  return bytes.append(reinterpret_cast<const char*>(ints.data()), 4 * ints.size());
}

TEST_F(WriterTest, Serialized)
{
  EXPECT_EQ(written(triangle, "x.sg"), serialized(0, {6, 4, 0, 2, 4, 4, 6}, {1, 3, 0, 3, 0, 1}));
  EXPECT_EQ(written(directed_triangle, "x.sg"), serialized(1, {4, 4, 0, 1, 2, 2, 4}, {1, 3, 0, 1}) +
                                                    serialized(0, {0, 1, 3, 3, 4}, {3, 0, 3, 1}).substr(1));
  EXPECT_TRUE(progress_.all.empty());
  EXPECT_EQ(written(from_one, "x.sg"), serialized(0, {4, 4, 0, 1, 3, 3, 4}, {1, 0, 3, 1}));
  ASSERT_EQ(progress_.all.size(), 1U);
  EXPECT_NE(progress_.all[0].find("labels start at 1; written from 0"), std::string::npos) << progress_.all[0];
  SmallGraph const gaps({{1, 3}, {2, 4}, {4, 6}}, false);  // not consecutive: ids are the labels, 0 and 5 isolated
  EXPECT_EQ(written(gaps, "x.sg"), serialized(0, {6, 7, 0, 0, 1, 2, 3, 5, 5, 6}, {3, 4, 1, 2, 6, 4}));
}

TEST_F(WriterTest, WhatDoesNotFit)
{
  expect_usage_error(directed_triangle, "x.graph", "cannot hold a directed graph");
  expect_usage_error(triangle, "x.doc", ".mtx");
  expect_usage_error(triangle, "x", "unknown format");
  SmallGraph const sparse({{1, 3}, {3, 6}}, false);  // largest label 6 = 2 x 3 labels
  for (std::string const name : {"x.mtx", "x.gr", "x.graph", "x.sg", "x.sg.gz"})
    expect_usage_error(sparse, name, "labels go up to 6 and only 3 occur");
  SmallGraph const just_dense({{1, 3}, {3, 5}}, false);
  EXPECT_NE(written(just_dense, "x.graph"), "");
}

TEST_F(WriterTest, CannotBeWritten)
{
  expect_error(ErrorKind::failure, "nowhere", [&] { written(triangle, "nowhere/x.el"); });
}

// Every format, packed and not, with enough edges for several chunks.
TEST_F(WriterTest, RoundTrips)
{
  std::mt19937_64 random(5);
  for (Label const first : {0, 1})
    for (bool const directed : {false, true}) {
      std::vector<Edge> edges(60'000);
      for (Edge& edge : edges)
        edge = {first + static_cast<Label>(random() % 5'000),
                first + static_cast<Label>(random() % (random() % 5'000 + 1))};
      SmallGraph const graph(edges, directed, LabelRange{first, 5'000});
      for (std::string const extension : {"el", "wel", "txt", "csv", "tsv", "mtx", "gr", "graph", "sg"})
        for (std::string const packed : {"", ".gz", ".zst"}) {
          if ((directed && extension == "graph") || (first == 1 && !packed.empty())) continue;
          std::string const name = "x." + extension + packed;
          SCOPED_TRACE(name);
          written(graph, name);
          auto const source = open_edge_file(folder_ / name, Team{2}, progress_);
          bool const one_based = extension == "mtx" || extension == "gr" || extension == "graph";
          Label shift = 0;
          if (one_based) shift = 1 - first;
          if (extension == "sg") shift = -first;
          std::vector<Arc> found;
          for (Edge const& edge : testing::edges_of(*source)) {
            found.emplace_back(edge.source, edge.target);
            if (!directed) found.emplace_back(edge.target, edge.source);
          }
          std::sort(found.begin(), found.end());
          found.erase(std::unique(found.begin(), found.end()), found.end());
          EXPECT_TRUE(found == graph.arcs(shift));
          bool const both = !directed && (one_based || extension == "sg");
          EXPECT_EQ(source->facts().edges, directed || both ? graph.entries() : graph.entries() / 2);
          if (one_based || extension == "sg") {
            EXPECT_EQ(source->facts().declared->count, 5'000U);
          }
          EXPECT_EQ(source->facts().directed, directed && extension == "sg");
        }
    }
}

TEST_F(WriterTest, Tuples)
{
  auto const source = source_of({{5, 3}, {3, 5}, {3, 5}, {2, 2}, {1LL << 50, 0}});
  auto const raw = [&](const std::string& name) {
    write_tuples(*source, folder_ / name, Team{2}, progress_);
    return content_of(folder_ / name);
  };
  EXPECT_EQ(raw("x.el"), "5 3\n3 5\n3 5\n2 2\n1125899906842624 0\n");
  EXPECT_EQ(raw("x.wel"), "5 3 1\n3 5 1\n3 5 1\n2 2 1\n1125899906842624 0 1\n");
  EXPECT_EQ(raw("x.csv"), "5,3\n3,5\n3,5\n2,2\n1125899906842624,0\n");
  raw("x.txt.gz");
  EXPECT_EQ(testing::edges_of(*open_edge_file(folder_ / "x.txt.gz", Team{2}, progress_)), testing::edges_of(*source));
  for (std::string const name : {"y.mtx", "y.sg", "y.graph", "y.gr", "y.bfg", "y"})
    expect_error(ErrorKind::usage, "raw tuples", [&] { raw(name); });
}

TEST_F(WriterTest, ManyTuplesInOrder)
{
  std::vector<Edge> edges(1'000'000);
  for (Label i = 0; Edge & edge : edges) edge = {i, i * 7 % 1000}, ++i;
  write_tuples(*source_of(edges), folder_ / "x.el.zst", Team{3}, progress_);
  EXPECT_TRUE(testing::edges_of(*open_edge_file(folder_ / "x.el.zst", Team{2}, progress_)) == edges);
}

TEST_F(WriterTest, AnEdgeListWithoutAnEdgeIsNotWritten)
{
  expect_error(ErrorKind::usage, "has none",
               [&] { write_tuples(*source_of({}), folder_ / "x.el.gz", Team{1}, progress_); });
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x.el.gz"));
}

}  // namespace
}  // namespace brushfire
