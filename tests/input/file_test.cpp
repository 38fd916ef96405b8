#include "input/file.hpp"

#include "files.hpp"
#include "input/compressed.hpp"
#include "input/format.hpp"

namespace brushfire {
namespace {

using testing::expect_error;

class EdgeFileTest : public ::testing::Test {
 protected:
  std::unique_ptr<EdgeSource> open(const std::string& name, std::string_view content)
  {
    return open_edge_file(folder_.make(name, content), Team{2}, progress_);
  }
  std::vector<Edge> edges(const std::string& name, std::string_view content)
  {
    return testing::edges_of(*open(name, content));
  }

  testing::TemporaryFolder folder_;
  testing::Notes progress_;
};

const std::vector<Edge> one_edge = {{1, 2}};
const std::string matrix = "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n";

TEST_F(EdgeFileTest, FormatByExtension)
{
  for (std::string const name : {"x.el", "x.txt", "x.unknown", "x"}) EXPECT_EQ(edges(name, "1 2\n"), one_edge) << name;
  EXPECT_EQ(edges("x.wel", "1 2 5\n"), one_edge);
  EXPECT_EQ(edges("x.csv", "from,to\n1,2\n"), one_edge);
  EXPECT_EQ(edges("x.tsv", "from\tto\n1\t2\n"), one_edge);
  EXPECT_EQ(edges("x.mtx", matrix), one_edge);
  EXPECT_EQ(edges("x.gr", "p sp 2 1\na 1 2 1\n"), one_edge);
  EXPECT_EQ(edges("x.graph", "2 1\n2\n1\n"), (std::vector<Edge>{{1, 2}, {2, 1}}));
  EXPECT_EQ(open("x.el", "1 2\n")->facts().name, (folder_ / "x.el").string());
}

TEST_F(EdgeFileTest, ContentBeforeExtension)
{
  EXPECT_EQ(edges("x.txt", matrix), one_edge);
  EXPECT_EQ(edges("x.el", pack("1 2\n", Compression::gzip)), one_edge);
  EXPECT_EQ(edges("x.gz", pack("1 2\n", Compression::zstd)), one_edge);
}

TEST_F(EdgeFileTest, Compressed)
{
  for (Compression const compression : {Compression::gzip, Compression::zstd}) {
    std::string const end = compression == Compression::gzip ? ".gz" : ".zst";
    EXPECT_EQ(edges("x.el" + end, pack("1 2\n", compression)), one_edge);
    EXPECT_EQ(edges("x.csv" + end, pack("a,b\n1,2\n", compression)), one_edge);
    EXPECT_EQ(edges("x.mtx" + end, pack(matrix, compression)), one_edge);
    EXPECT_EQ(edges("x.txt" + end, pack(matrix, compression)), one_edge);
    EXPECT_EQ(edges("x.gr" + end, pack("p sp 2 1\na 1 2 1\n", compression)), one_edge);
    EXPECT_EQ(edges("x.graph" + end, pack("2 1\n2\n1\n", compression)).size(), 2U);
    std::string serialized(1 + 8 + 8 + 8 * 2, '\0');
    serialized[9] = 1;
    EXPECT_EQ(open("x.sg" + end, pack(serialized, compression))->facts().declared->count, 1U);
    expect_error(ErrorKind::input, "is empty", [&] { open("x.el" + end, pack("", compression)); });
    expect_error(ErrorKind::input, "truncated", [&] { open("x.el" + end, pack("1 2\n", compression).substr(0, 10)); });
    expect_error(ErrorKind::input, ":2: expected a vertex id",
                 [&] { open("x.el" + end, pack("1 2\nx\n", compression)); });
  }
}

TEST_F(EdgeFileTest, NotThere)
{
  expect_error(ErrorKind::input, "nothing.el", [&] { open_edge_file(folder_ / "nothing.el", Team{1}, progress_); });
  expect_error(ErrorKind::input, "is a directory", [&] { open_edge_file(folder_.path(), Team{1}, progress_); });
}

TEST_F(EdgeFileTest, Empty)
{
  for (std::string const name : {"x.el", "x.mtx", "x.gr", "x.graph", "x.sg"})
    expect_error(ErrorKind::input, name + ": is empty", [&] { open(name, ""); });
}

TEST_F(EdgeFileTest, BinaryNoise)
{
  std::string noise;
  for (std::uint32_t i = 1, state = 12345; i <= 10'000; ++i)
    noise += static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  for (std::string const name : {"x.el", "x.csv", "x.mtx", "x.gr", "x.graph", "x.sg", "x"})
    expect_error(ErrorKind::input, name + ":", [&] { open(name, noise); });
}

TEST_F(EdgeFileTest, OurOwnFormatIsNoText)
{
  expect_error(ErrorKind::input, "is a packed Brushfire graph", [&] { open("x.el", "BRUSHFIR\1\2\3"); });
  expect_error(ErrorKind::input, "is a packed Brushfire graph",
               [&] { open("x.el.gz", pack("BRUSHFIR\1\2\3", Compression::gzip)); });
}

TEST(FileFormat, OfNames)
{
  EXPECT_EQ(format_of("a/b.c/x.mtx").format, Format::matrix_market);
  EXPECT_EQ(format_of("x.el.gz").format, Format::edge_list);
  EXPECT_EQ(format_of("x.el.gz").compression, Compression::gzip);
  EXPECT_EQ(format_of("x.sg.zst").compression, Compression::zstd);
  EXPECT_EQ(format_of("el").format, Format::unknown);
  EXPECT_EQ(format_of("x.gz").format, Format::unknown);
}

}  // namespace
}  // namespace brushfire
