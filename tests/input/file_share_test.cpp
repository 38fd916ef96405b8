// Shares of graph files: one behind the other they are the file, whatever is wrong is refused in the same words
// whichever share meets it, and what only all shares together can tell is told by their tallies.
#include "input/file_share.hpp"

#include "exchange/device_group.hpp"
#include "exchange/sum_over_devices.hpp"
#include "files.hpp"
#include "input/compressed.hpp"
#include "input/file.hpp"

#include <set>

namespace brushfire {
namespace {

using testing::expect_error;
using testing::outcome_of;

constexpr int share_counts[] = {1, 2, 3, 7, 40};  // the last is more than the small files have lines

template <typename T>
void append(std::string& bytes, std::initializer_list<T> values)
{
  for (T const value : values) bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// A serialized graph of three vertices.
std::string serialized(bool directed, std::initializer_list<std::int64_t> offsets,
                       std::initializer_list<std::int32_t> neighbours, std::initializer_list<std::int64_t> inverse = {},
                       std::initializer_list<std::int32_t> inverse_neighbours = {})
{
  std::string bytes(1, directed ? '\1' : '\0');
  append<std::int64_t>(bytes, {static_cast<std::int64_t>(neighbours.size()), 3});
  append(bytes, offsets);
  append(bytes, neighbours);
  append(bytes, inverse);
  append(bytes, inverse_neighbours);
  return bytes;
}

// A star with isolated vertices around it, larger than any chunk, whose fields lie across the ends of chunks.
std::string large_serialized()
{
  constexpr std::int32_t leaves = 150'000;
  std::string bytes(1, '\0');
  append<std::int64_t>(bytes, {2 * leaves, 2 * leaves + 1});
  append<std::int64_t>(bytes, {0, leaves});  // vertex 0 is the centre; of the others, every second one is a leaf
  for (std::int64_t vertex = 1; vertex <= 2 * leaves; ++vertex) append(bytes, {leaves + vertex / 2});
  for (std::int32_t leaf = 1; leaf <= leaves; ++leaf) append(bytes, {2 * leaf});
  for (std::int32_t leaf = 1; leaf <= leaves; ++leaf) append(bytes, {0});
  return bytes;
}

struct File {
  std::string name;
  std::string content;
};

std::vector<File> good_files()
{
  std::string const banner = "%%MatrixMarket matrix coordinate pattern ";
  std::vector<File> files = {
      {"one.el", "1 2"},
      {"plain.el", "# first\n1 2\n3 4\n\n5 6\r\n7 70000000000\n8 9"},
      {"weights.wel", "1 2 0.5\n2 3 1e9\n3 1 -4\n"},
      {"text.txt", "\xef\xbb\xbf% a\n10 20\n// b\n20 30\n30 10 and some words\n"},
      {"names.csv", "# made by hand\n\nfrom,to\n1,2\n2,3\n3,4\n4,5\n"},
      {"names.tsv", "\"from\"\tto\n1\t2\n2\t3"},
      {"general.mtx", banner + "general\n% comment\n4 4 5\n1 2\n2 3\n% between\n3 4\n4 4\n1 1\n"},
      {"half.mtx", banner + "symmetric\n4 4 3\n2 1\n3 1\n4 4\n"},
      {"empty.mtx", banner + "general\n4 4 0\n"},
      {"arcs.gr", "c comment\np sp 4 4\na 1 2 7\na 2 3 7\nc between\na 3 4 7\na 4 1 7\n"},
      {"lists.graph", "% comment\n5 4\n2 3\n1\n% between\n1 4\n3 4\n\n"},  // a self-loop that stands once
      {"loops.graph", "2 2\n2\n1 2 2\n"},
      {"isolated.graph", "4 1\n\n4\n\n2"},
      {"both.sg", serialized(false, {0, 2, 4, 4}, {0, 1, 0, 1})},
      {"ways.sg", serialized(true, {0, 2, 3, 3}, {1, 2, 2}, {0, 0, 1, 3}, {0, 0, 1})},
      {"empty.sg", serialized(false, {0, 0, 0, 0}, {})},
  };
  std::string large = "% large\n";
  for (int i = 0; i < 120'000; ++i) large += std::to_string(7 * i) + " " + std::to_string(i * 12345LL) + "\n";
  files.push_back({"large.el", large});
  files.push_back({"large.sg", large_serialized()});
  auto const plain = files;
  for (File const& file : plain) {
    files.push_back({file.name + ".gz", pack(file.content, Compression::gzip)});
    files.push_back({file.name + ".zst", pack(file.content, Compression::zstd)});
  }
  return files;
}

class FileShares : public ::testing::Test {
 protected:
  std::unique_ptr<FileShare> open(const std::filesystem::path& path, Share share)
  {
    return open_edge_file_share(path, share, Team{2}, progress_);
  }

  std::vector<std::unique_ptr<FileShare>> open_all(const std::filesystem::path& path, int count)
  {
    std::vector<std::unique_ptr<FileShare>> shares;
    for (int index = 0; index < count; ++index) shares.push_back(open(path, {index, count}));
    return shares;
  }

  static Tally tally_of(const std::vector<std::unique_ptr<FileShare>>& shares)
  {
    Tally all;
    for (auto const& share : shares) {
      all.entries += share->tally().entries;
      all.self_loops += share->tally().self_loops;
      all.imbalance += share->tally().imbalance;
    }
    return all;
  }

  // Every share that refuses the file, alone or once it knows the tallies of all, does it with these words.
  void expect_refused(const File& file, int count, const std::string& line)
  {
    SCOPED_TRACE(file.name + " in " + std::to_string(count));
    auto const path = folder_.make(file.name, file.content);
    std::vector<std::unique_ptr<FileShare>> shares;
    std::set<std::string> lines;
    for (int index = 0; index < count; ++index) {
      auto const outcome = outcome_of([&] { shares.push_back(open(path, {index, count})); });
      if (!outcome.line.empty()) lines.insert(outcome.line);
    }
    if (lines.empty())
      for (int const index : {0, count / 2, count - 1}) {
        auto const outcome = outcome_of([&] { shares[static_cast<std::size_t>(index)]->settle(tally_of(shares)); });
        EXPECT_EQ(outcome.kind, ErrorKind::input);
        lines.insert(outcome.line);
      }
    EXPECT_EQ(lines, std::set<std::string>{line});
  }

  void expect_same_refusal(const File& file, std::string_view part)
  {
    auto const path = folder_.make(file.name, file.content);
    auto const whole = outcome_of([&] { open_edge_file(path, Team{2}, progress_); });
    ASSERT_NE(whole.line.find(part), std::string::npos) << whole.line;
    for (int const count : share_counts) expect_refused(file, count, whole.line);
  }

  testing::TemporaryFolder folder_;
  testing::Notes progress_;
};

TEST_F(FileShares, AreTheFileOneBehindTheOther)
{
  for (File const& file : good_files()) {
    auto const path = folder_.make(file.name, file.content);
    auto const whole = open_edge_file(path, Team{2}, progress_);
    for (int const count : share_counts) {
      if (count > 7 && file.name.starts_with("large")) continue;  // unpacking it so often takes long
      SCOPED_TRACE(file.name + " in " + std::to_string(count));
      auto const shares = open_all(path, count);
      std::vector<Edge> together;
      for (auto const& share : shares) {
        share->settle(tally_of(shares));
        EXPECT_EQ(share->first_tuple().value_or(together.size()), together.size());
        auto const edges = testing::edges_of(*share);
        together.insert(together.end(), edges.begin(), edges.end());
        EdgeFacts const& facts = share->facts();
        EXPECT_EQ(facts.name, whole->facts().name);
        ASSERT_EQ(facts.declared.has_value(), whole->facts().declared.has_value());
        if (facts.declared) {
          EXPECT_EQ(facts.declared->first, whole->facts().declared->first);
          EXPECT_EQ(facts.declared->count, whole->facts().declared->count);
        }
        EXPECT_EQ(facts.listed_twice, whole->facts().listed_twice);
        EXPECT_EQ(facts.directed, whole->facts().directed);
        EXPECT_EQ(facts.loops_listed_once, whole->facts().loops_listed_once);
      }
      EXPECT_TRUE(together == testing::edges_of(*whole));
    }
  }
}

TEST_F(FileShares, AreFairAndHoldOnlyTheirOwn)
{
  for (File const& file : good_files()) {
    if (!file.name.starts_with("large.el") && !file.name.starts_with("large.sg.")) continue;
    SCOPED_TRACE(file.name);
    auto const path = folder_.make(file.name, file.content);
    std::uint64_t const whole = 8 * open_edge_file(path, Team{2}, progress_)->facts().edges;
    for (int index = 0; index < 7; ++index)
      EXPECT_NEAR(static_cast<double>(open(path, {index, 7})->facts().bytes_held), static_cast<double>(whole) / 7,
                  0.03 * static_cast<double>(whole));
  }
}

TEST_F(FileShares, RefuseAMistakeInTheSameWords)
{
  std::string const banner = "%%MatrixMarket matrix coordinate pattern ";
  std::vector<File> const lines = {
      {"x.el", "1 2\n"}, {"x.csv", "1,2\n"}, {"x.mtx", "1 2\n"}, {"x.gr", "a 1 2 1\n"}, {"x.graph", "1 2\n"}};
  std::vector<std::string> const headers = {"", "from,to\n", banner + "general\n2 2 20\n", "p sp 2 20\n", "20 20\n"};
  for (std::size_t format = 0; format < lines.size(); ++format)
    for (int wrong : {0, 1, 5, 9, 10, 13, 18, 19}) {
      std::string content = headers[format];
      for (int line = 0; line < 20; ++line) content += line == wrong ? "1 nonsense\n" : lines[format].content;
      auto const place = std::to_string(std::count(headers[format].begin(), headers[format].end(), '\n') + wrong + 1);
      std::string const name = lines[format].name;
      expect_same_refusal({name, content}, name + ":" + place + ": expected ");
      if (wrong % 9 == 0) {
        expect_same_refusal({name + ".gz", pack(content, Compression::gzip)}, ".gz:" + place + ": expected ");
        expect_same_refusal({name + ".zst", pack(content, Compression::zstd)}, ".zst:" + place + ": expected ");
      }
    }
}

TEST_F(FileShares, CountTheLinesOfLargeFiles)
{
  std::string content;
  for (int i = 0; i < 400'000; ++i) content += i == 399'000 ? "x\n" : "1 2 with a few words behind it\n";
  for (auto const& [name, compression] : {std::pair{"x.el", Compression::none}, {"x.el.gz", Compression::gzip}})
    expect_same_refusal({name, pack(content, compression)}, ":399001: expected");
}

TEST_F(FileShares, RefuseBrokenPromises)
{
  std::string const banner = "%%MatrixMarket matrix coordinate pattern ";
  std::vector<std::pair<File, std::string>> const files = {
      {{"none.el", "# no\n# edge\n\n"}, "has no edge"},
      {{"none.csv", "from,to\n"}, "has no edge"},
      {{"more.mtx", banner + "general\n%\n3 3 4\n1 2\n2 3\n1 3\n"}, ":3: promises 4 entries, but 3 follow"},
      {{"less.mtx", banner + "symmetric\n3 3 2\n1 2\n2 3\n1 3\n"}, ":2: promises 2 entries, but 3 follow"},
      {{"more.gr", "c\np sp 3 3\na 1 2 1\na 2 3 1\n"}, ":2: promises 3 edges, but 2 follow"},
      {{"more.graph", "3 3\n2\n1 3\n2\n"}, ":1: promises 3 edges, that is 6 list entries, but 4 follow"},
      {{"lists.graph", "9 2\n2\n1 3\n2\n"}, ":1: promises 9 vertices, but only 3 lists follow"},
      {{"extra.graph", "2 1\n2\n1\n1\n"}, ":4: more lists than the 2 vertices promised"},
      {{"one-sided.graph", "4 3\n2\n1 3\n2 4\n2\n"}, "an undirected graph lists both"},
      {{"one-sided.sg", serialized(false, {0, 1, 3, 4}, {1, 0, 2, 0})}, "an undirected graph lists both"},
      {{"inverse.sg", serialized(true, {0, 2, 3, 3}, {1, 2, 2}, {0, 0, 1, 3}, {0, 0, 0})}, "is not the inverse"},
      {{"outside.sg", serialized(false, {0, 1, 2, 3}, {1, 0, 3})}, "entry 2 is vertex 3"},
      {{"offsets.sg", serialized(false, {0, 3, 2, 4}, {1, 0, 2, 1})}, "the list of vertex 1 ends before it starts"},
      {{"cover.sg", serialized(false, {0, 1, 2, 3}, {1, 0, 2, 1})}, "do not cover"},
  };
  for (auto const& [file, part] : files) {
    expect_same_refusal(file, part);
    for (auto const& [end, compression] : {std::pair{".gz", Compression::gzip}, {".zst", Compression::zstd}})
      expect_same_refusal({file.name + end, pack(file.content, compression)}, part);
  }
}

TEST_F(FileShares, RefuseWhatIsNoFileOfTheirs)
{
  expect_same_refusal({"x.el", ""}, "is empty");
  expect_same_refusal({"x.el.gz", pack("", Compression::gzip)}, "is empty");
  expect_same_refusal({"x.el.gz", pack("BRUSHFIR", Compression::gzip)}, "is a packed Brushfire graph");
  expect_same_refusal({"x.mtx", "%%MatrixMarket matrix array real general\n1 1\n1\n"}, ":1: is a dense matrix");
  std::string const packed = pack(std::string(5'000'000, '\n'), Compression::zstd);
  expect_same_refusal({"x.el.zst", packed.substr(0, packed.size() - 5)}, "truncated");
}

// Nobody keeps more than the start of a packed file to find its header in.
TEST_F(FileShares, RefuseAPackedHeaderWithoutEnd)
{
  std::string content = "%%MatrixMarket matrix coordinate pattern general\n";
  while (content.size() < (17 << 20)) content += "%" + std::string(1000, '-') + "\n";
  auto const path = folder_.make("x.mtx.gz", pack(content + "2 2 1\n1 2\n", Compression::gzip));
  EXPECT_EQ(open_edge_file(path, Team{2}, progress_)->facts().edges, 1U);
  expect_error(ErrorKind::input, "its header takes more than 16", [&] { open(path, {0, 2}); });
}

TEST_F(FileShares, SettleThroughAnExchange)
{
  auto const path = folder_.make("x.graph", "5 4\n2 3\n1\n1 4\n3 4\n\n");
  auto const bad = folder_.make("bad.mtx", "%%MatrixMarket matrix coordinate pattern general\n9 9 3\n1 2\n2 3\n");
  DeviceGroup group(3, 1);
  group.run([&](int index, Exchange& exchange) {
    auto const share = open_edge_file_share(path, {index, 3}, Team{1}, Progress::none());
    share->settle(sum_over_devices(exchange, share->tally()));
    EXPECT_TRUE(share->facts().loops_listed_once);
  });
  expect_error(ErrorKind::input, ":2: promises 3 entries, but 2 follow", [&] {
    group.run([&](int index, Exchange& exchange) {
      auto const share = open_edge_file_share(bad, {index, 3}, Team{1}, Progress::none());
      share->settle(sum_over_devices(exchange, share->tally()));
    });
  });
}

TEST(ShareOf, CoversEverythingOnceAndFairly)
{
  for (std::uint64_t const items : {0ULL, 1ULL, 6ULL, 7ULL, 100ULL, 1ULL << 63})
    for (int const count : share_counts) {
      std::uint64_t next = 0;
      for (Share share{0, count}; share.index < count; ++share.index) {
        auto const [first, last] = share.of(items);
        EXPECT_EQ(first, next);
        EXPECT_LE(last - first, items / static_cast<std::uint64_t>(count) + 1);
        next = last;
      }
      EXPECT_EQ(next, items);
    }
}

}  // namespace
}  // namespace brushfire
