#include "input/compressed.hpp"

#include "files.hpp"

namespace brushfire {
namespace {

using testing::expect_error;

constexpr std::uint64_t plenty = 1ULL << 32;

std::string unpacked(const std::string& packed, std::uint64_t limit = plenty)
{
  auto const bytes = unpack(testing::bytes_of(packed).span(), "x", limit);
  return bytes.size() == 0 ? "" : std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// Compresses a little, so that streams are neither trivial nor stored.
std::string sample(std::size_t size)
{
  std::string text;
  for (std::uint64_t i = 1; text.size() < size; ++i) text += std::to_string(i * 0x9e3779b97f4a7c15) + "\n";
  text.resize(size);
  return text;
}

class CompressedTest : public ::testing::TestWithParam<Compression> {};
INSTANTIATE_TEST_SUITE_P(Formats, CompressedTest, ::testing::Values(Compression::gzip, Compression::zstd),
                         [](auto const& test) { return test.param == Compression::gzip ? "gzip" : "zstd"; });

TEST_P(CompressedTest, RoundTrip)
{
  for (std::size_t const size : {0U, 1U, 1000U, 65536U, 2'000'000U}) {
    std::string const plain = sample(size);
    std::string const packed = pack(plain, GetParam());
    EXPECT_EQ(compression_of(testing::bytes_of(packed).span()), GetParam());
    EXPECT_TRUE(unpacked(packed) == plain) << size;
  }
  EXPECT_LT(pack(sample(100'000), GetParam()).size(), 80'000U);
}

TEST_P(CompressedTest, StreamsOneBehindTheOther)
{
  EXPECT_EQ(unpacked(pack("one\n", GetParam()) + pack("", GetParam()) + pack("two\n", GetParam())), "one\ntwo\n");
}

TEST_P(CompressedTest, EveryTruncation)
{
  std::string const packed = pack(sample(300), GetParam());
  for (std::size_t size = 4; size < packed.size(); ++size)
    expect_error(ErrorKind::input, "truncated", [&] { unpacked(packed.substr(0, size)); });
}

TEST_P(CompressedTest, TruncatedLarge)
{
  std::string const packed = pack(sample(3'000'000), GetParam());
  expect_error(ErrorKind::input, "x: truncated", [&] { unpacked(packed.substr(0, packed.size() / 2)); });
}

TEST_P(CompressedTest, SecondStreamTruncated)
{
  std::string const second = pack(sample(300), GetParam());
  expect_error(ErrorKind::input, "truncated",
               [&] { unpacked(pack("one\n", GetParam()) + second.substr(0, second.size() - 3)); });
}

TEST_P(CompressedTest, Damaged)
{
  std::string packed = pack(sample(3'000), GetParam());
  for (std::size_t at = packed.size() / 2; at < packed.size() / 2 + 40; ++at) packed[at] = '\xff';
  EXPECT_EQ(testing::outcome_of([&] { unpacked(packed); }).kind, ErrorKind::input);
}

TEST_P(CompressedTest, NoiseBehindTheEnd)
{
  expect_error(ErrorKind::input, "damaged", [&] { unpacked(pack("one\n", GetParam()) + "something else"); });
}

TEST_P(CompressedTest, MoreThanTheLimit)
{
  std::string const bomb = pack(std::string(10'000'000, 'a'), GetParam());
  EXPECT_EQ(unpacked(bomb, 10'000'000).size(), 10'000'000U);
  expect_error(ErrorKind::memory, "x: unpacks to more than", [&] { unpacked(bomb, 9'999'999); });
}

TEST(Compressed, OtherBytesAreNot)
{
  EXPECT_EQ(compression_of(testing::bytes_of("").span()), Compression::none);
  EXPECT_EQ(compression_of(testing::bytes_of("\x1f").span()), Compression::none);
  EXPECT_EQ(compression_of(testing::bytes_of("0 1\n").span()), Compression::none);
  EXPECT_EQ(pack("plain", Compression::none), "plain");
}

}  // namespace
}  // namespace brushfire
