// What a Buffer says when there is no memory for it.
#include "base/buffer.hpp"

#include <brushfire/error.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

namespace brushfire {

namespace {

TEST(Buffer, LargerThanTheAddressSpaceIsRefusedWithAdvice)
{
  try {
    Buffer<std::byte> const buffer(std::size_t{1} << 60);
    FAIL() << "there is no such machine";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::memory);
    EXPECT_NE(std::string(error.what()).find("; free some, or take a smaller graph"), std::string::npos);
  }
}

// Sizes on both sides of those that fill whole huge pages.
TEST(Buffer, KeepsWhatItHoldsWhenItShrinks)
{
  for (std::size_t const bytes : {std::size_t{100}, std::size_t{300'000}, std::size_t{2} << 20, std::size_t{5'000'000}})
    for (std::size_t const smaller : {bytes - 1, bytes / 2, bytes / 20}) {
      Buffer<std::uint8_t> buffer(bytes);
      for (std::size_t i = 0; i < bytes; ++i) {
        ASSERT_EQ(buffer[i], 0);
        buffer[i] = static_cast<std::uint8_t>(i % 251);
      }
      buffer.shrink(smaller);
      ASSERT_EQ(buffer.size(), smaller);
      for (std::size_t i = 0; i < smaller; ++i) ASSERT_EQ(buffer[i], i % 251);
    }
}

}  // namespace

}  // namespace brushfire
