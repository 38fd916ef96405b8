// A file appears whole or not at all.
#include "base/output_file.hpp"

#include "base/buffer.hpp"
#include "base/checksum.hpp"
#include "input/files.hpp"

#include <brushfire/error.hpp>
#include <brushfire/output.hpp>

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace brushfire {
namespace {

std::size_t files_in(const std::filesystem::path& folder)
{
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

TEST(OutputFile, AppearsOnlyWhenCommitted)
{
  testing::TemporaryFolder const folder;
  auto const path = folder / "out.txt";
  {
    OutputFile file(path);
    file.write("half a file");
  }
  EXPECT_EQ(files_in(folder.path()), 0u);
  OutputFile file(path);
  file.write("small ");
  std::string const large(3 << 20, 'x');  // larger than the buffer: written through, in order
  file.write(large);
  file.write(" end");
  EXPECT_FALSE(std::filesystem::exists(path));
  file.commit();
  EXPECT_EQ(testing::content_of(path), "small " + large + " end");
  EXPECT_EQ(files_in(folder.path()), 1u);
}

TEST(OutputFile, UnfinishedOnesCanBeRemovedByASignalHandler)
{
  testing::TemporaryFolder const folder;
  OutputFile file(folder / "out.txt");
  EXPECT_EQ(files_in(folder.path()), 1u);
  remove_unfinished_outputs();
  EXPECT_EQ(files_in(folder.path()), 0u);
}

TEST(OutputFile, SaysWhatCannotBeWritten)
{
  testing::TemporaryFolder const folder;
  EXPECT_THROW(OutputFile(folder / "missing" / "out.txt"), Error);
  EXPECT_THROW(OutputFile(folder.path()), Error);
  OutputFile full("/dev/full");
  full.write("x");
  EXPECT_THROW(full.commit(), Error);
}

TEST(Buffer, ShrinksAndKeepsItsContents)
{
  Buffer<std::uint32_t> buffer(1 << 20);
  EXPECT_EQ(buffer[12345], 0u);
  for (std::size_t i = 0; i < buffer.size(); ++i) buffer[i] = static_cast<std::uint32_t>(i);
  buffer.shrink(1000);
  ASSERT_EQ(buffer.size(), 1000u);
  EXPECT_EQ(buffer[999], 999u);
  buffer.shrink(0);
  EXPECT_EQ(buffer.size(), 0u);
}

TEST(Checksum, SeesEveryBit)
{
  std::vector<std::byte> bytes(100);
  std::uint64_t const before = checksum(bytes);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      bytes[i] ^= std::byte(1 << bit);
      EXPECT_NE(checksum(bytes), before) << i << ' ' << bit;
      bytes[i] ^= std::byte(1 << bit);
    }
  EXPECT_NE(checksum(std::span(bytes).first(99)), before);
}

}  // namespace
}  // namespace brushfire
