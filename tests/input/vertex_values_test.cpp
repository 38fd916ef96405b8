#include "input/vertex_values.hpp"

#include "files.hpp"

#include <cstring>

namespace brushfire {
namespace {

using testing::content_of;
using testing::expect_error;

Labels labels_of(std::vector<Label> rising)
{
  Buffer<Label> table(rising.size());
  std::copy(rising.begin(), rising.end(), table.data());
  return Labels::of_table(Section<Label>(std::move(table)));
}

template <typename T>
std::string npy(const std::string& type, const std::string& shape, const std::vector<T>& values, char version = 1)
{
  std::string const dictionary = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
  std::string bytes = "\x93NUMPY";
  bytes += version;
  bytes += '\0';
  bytes += static_cast<char>(dictionary.size());
  bytes += '\0';
  if (version > 1) bytes.append(2, '\0');
  bytes += dictionary;
  return bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

class VertexValuesTest : public ::testing::Test {
 protected:
  void write(const std::string& name, const Labels& labels, const std::vector<Label>& values)
  {
    write_vertex_values(
        folder_ / name, labels, [&](Vertex vertex) { return values[vertex]; }, Team{2});
  }
  std::vector<Label> read(const std::string& name, const Labels& labels, std::string_view content)
  {
    return read_vertex_values(folder_.make(name, content), labels);
  }
  void expect_refused(const std::string& name, const Labels& labels, std::string_view content, std::string_view part)
  {
    SCOPED_TRACE(content);
    expect_error(ErrorKind::input, part, [&] { read(name, labels, content); });
  }

  testing::TemporaryFolder folder_;
  Labels const gaps_ = labels_of({1, 2, 4});
};

TEST_F(VertexValuesTest, Text)
{
  write("x.txt", gaps_, {2, -1, 1LL << 60});
  EXPECT_EQ(content_of(folder_ / "x.txt"), "1 2\n2 -1\n4 1152921504606846976\n");
  EXPECT_EQ(read_vertex_values(folder_ / "x.txt", gaps_), (std::vector<Label>{2, -1, 1LL << 60}));
}

TEST_F(VertexValuesTest, TextInAnyOrder)
{
  EXPECT_EQ(read("x.txt", gaps_, "# parents\r\n4\t7\r\n\r\n 1 , 0 \r\n2 -1"), (std::vector<Label>{0, -1, 7}));
}

TEST_F(VertexValuesTest, WrongText)
{
  expect_refused("x.txt", gaps_, "", "x.txt: no value for vertex 1");
  expect_refused("x.txt", gaps_, "1 2\n4 1\n", "no value for vertex 2");
  expect_refused("x.txt", gaps_, "1 2\n2 1\n3 1\n4 1\n", "x.txt:3: vertex 3 is not in the graph");
  expect_refused("x.txt", gaps_, "1 2\n2 1\n1 2\n4 1\n", "x.txt:3: vertex 1 has a value already");
  expect_refused("x.txt", gaps_, "1 2\n2\n4 1\n", "x.txt:2: expected a value, found the end of the line");
  expect_refused("x.txt", gaps_, "1 2\n2 -2\n4 1\n", "a value cannot be negative");
  expect_refused("x.txt", gaps_, "1 2\n2 -17\n4 1\n", "expected the end of the line");
  expect_refused("x.txt", gaps_, "1 2\n2 x\n4 1\n", "expected a value, found 'x'");
  expect_refused("x.txt", gaps_, "1 2\n2 1.5\n4 1\n", "whole number");
  expect_refused("x.txt", gaps_, "1 2 3\n", "x.txt:1: expected the end of the line");
  expect_refused("x.txt", gaps_, "1 99999999999999999999\n", "2^63-1");
}

TEST_F(VertexValuesTest, Array)
{
  write("x.npy", gaps_, {2, -1, 1LL << 60});
  std::string const bytes = content_of(folder_ / "x.npy");
  std::string const header = "\x93NUMPY\1";
  EXPECT_EQ(bytes.substr(0, 7), header);
  ASSERT_EQ(bytes.size(), 128U + 5 * 8);  // the data are aligned to 64 bytes
  EXPECT_NE(bytes.find("{'descr': '<i8', 'fortran_order': False, 'shape': (5,), }"), std::string::npos);
  EXPECT_EQ(bytes[127], '\n');
  Label values[5];
  std::memcpy(values, bytes.data() + 128, sizeof values);
  EXPECT_EQ(std::vector<Label>(values, values + 5), (std::vector<Label>{-1, 2, -1, -1, 1LL << 60}));
  EXPECT_EQ(read_vertex_values(folder_ / "x.npy", gaps_), (std::vector<Label>{2, -1, 1LL << 60}));
}

TEST_F(VertexValuesTest, ArraysOfOtherTypes)
{
  Labels const three = Labels::of_range({0, 3});
  std::vector<Label> const expected = {5, -1, 7};
  EXPECT_EQ(read("x.npy", three, npy<std::int64_t>("<i8", "(3,)", {5, -1, 7})), expected);
  EXPECT_EQ(read("x.npy", three, npy<std::int32_t>("<i4", "(3,)", {5, -1, 7})), expected);
  EXPECT_EQ(read("x.npy", three, npy<std::uint32_t>("<u4", "(3,)", {5, 4294967295, 7})), expected);
  EXPECT_EQ(read("x.npy", three, npy<std::uint32_t>("<u4", "(3,)", {5, 4000000000, 7})),
            (std::vector<Label>{5, 4000000000, 7}));
  for (char const version : {'\2', '\3'})
    EXPECT_EQ(read("x.npy", three, npy<std::int64_t>("<i8", "(3,)", {5, -1, 7}, version)), expected);
}

TEST_F(VertexValuesTest, WrongArrays)
{
  Labels const three = Labels::of_range({0, 3});
  std::string const good = npy<std::int64_t>("<i8", "(3,)", {5, -1, 7});
  for (std::size_t size = 0; size < good.size(); ++size)
    expect_refused("x.npy", three, good.substr(0, size), "x.npy: ");
  expect_refused("x.npy", three, good + "x", "bytes follow");
  expect_refused("x.npy", three, "not an array at all", "is not a .npy file");
  expect_refused("x.npy", three, npy<std::int64_t>("<i8", "(3,)", {5, -1, 7}, 4), "version 4");
  expect_refused("x.npy", three, npy<double>("<f8", "(3,)", {5, -1, 7}), "found '<f8'");
  expect_refused("x.npy", three, npy<std::int64_t>(">i8", "(3,)", {5, -1, 7}), "found '>i8'");
  expect_refused("x.npy", three, npy<std::int64_t>("<i8", "(3, 1)", {5, -1, 7}), "one dimension");
  expect_refused("x.npy", three, npy<std::int64_t>("<i8", "()", {5}), "one dimension");
  expect_refused("x.npy", three, npy<std::int64_t>("<i8", "(2,)", {5, -1}), "has 2 values, but the labels");
  expect_refused("x.npy", three, npy<std::int64_t>("<i8", "(4,)", {5, -1, 7, 8}), "has 4 values");
  expect_refused("x.npy", three, npy<std::int64_t>("<i8", "(100000000000000000,)", {5}), "promises 100000000000000000");
  expect_refused("x.npy", gaps_, npy<std::int64_t>("<i8", "(5,)", {-1, 2, -1, 3, 1}), "gives a value to 3");
}

TEST_F(VertexValuesTest, SparseLabelsNeedText)
{
  Labels const sparse = labels_of({1, 3, 6});
  expect_error(ErrorKind::usage, "write .txt", [&] { write("x.npy", sparse, {1, 1, 1}); });
  EXPECT_TRUE(folder_.is_empty());
  write("x.txt", sparse, {1, 1, 1});
  EXPECT_EQ(content_of(folder_ / "x.txt"), "1 1\n3 1\n6 1\n");
}

TEST_F(VertexValuesTest, OtherExtensions)
{
  expect_error(ErrorKind::usage, ".txt or .npy", [&] { write("x.csv", gaps_, {1, 1, 1}); });
  expect_error(ErrorKind::usage, ".txt or .npy", [&] { read("x", gaps_, "1 1\n"); });
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x.csv"));
}

TEST_F(VertexValuesTest, Many)
{
  Labels const labels = Labels::of_range({1, 300'000});
  std::vector<Label> values(300'000);
  for (Label i = 0; Label & value : values) value = i++ % 1000 - 1;
  for (std::string const name : {"x.txt", "x.npy"}) {
    write(name, labels, values);
    EXPECT_TRUE(read_vertex_values(folder_ / name, labels) == values) << name;
  }
}

}  // namespace
}  // namespace brushfire
