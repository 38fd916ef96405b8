#include "base/process_state.hpp"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

namespace brushfire::testing {

namespace {

TEST(ProcessState, KnowsParentStartAndEnd)
{
  auto const mine = look_at_process(getpid());
  ASSERT_TRUE(mine);
  EXPECT_EQ(mine->parent, getppid());
  EXPECT_FALSE(mine->has_ended());

  pid_t const child = fork();
  if (child == 0) _exit(0);
  siginfo_t ended{};
  waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT);
  auto const dead = look_at_process(child);
  ASSERT_TRUE(dead);
  EXPECT_EQ(dead->parent, getpid());
  EXPECT_GE(dead->started, mine->started);
  EXPECT_TRUE(dead->has_ended());
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(look_at_process(child));
}

}  // namespace

}  // namespace brushfire::testing
