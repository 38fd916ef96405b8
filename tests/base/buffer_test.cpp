// What a Buffer says when there is no memory for it.
#include "base/buffer.hpp"

#include <brushfire/error.hpp>

#include <gtest/gtest.h>

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

}  // namespace

}  // namespace brushfire
