// Who says why a job ends, among processes on one board.
#include "exchange/machine_board.hpp"

#include "full_pipe.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace brushfire {

namespace {

const std::string by_first = "said by the first\n", by_second = "said by the second\n", left = "left\n";

class MachineBoardForkTest : public ::testing::Test {
 protected:
  // Every test has a board of its own, and leaves this process without the name of any.
  void SetUp() override { name_ = "test-" + std::to_string(getpid()) + "-" + std::to_string(++boards_); }
  void TearDown() override { leave_board(); }

  // What both write to stderr, while this process is the second.
  std::string said_with(const std::function<void()>& first, const std::function<void()>& second) const
  {
    ::testing::internal::CaptureStderr();
    join_board(name_);
    int ready[2];
    EXPECT_EQ(pipe(ready), 0);
    pid_t const child = fork();
    if (child == 0) {
      claim_last_word();
      EXPECT_EQ(write(ready[1], "", 1), 1);
      first();
      _exit(0);
    }
    char byte = 0;
    EXPECT_EQ(read(ready[0], &byte, 1), 1);
    second();
    waitpid(child, nullptr, 0);
    close(ready[0]);
    close(ready[1]);
    return ::testing::internal::GetCapturedStderr();
  }

  static void say_after_a_while()
  {
    usleep(200'000);
    EXPECT_GT(write(STDERR_FILENO, by_first.data(), by_first.size()), 0);
    last_word_is_said();
  }

  std::string name_;

 private:
  static inline int boards_ = 0;
};

TEST_F(MachineBoardForkTest, OneLineIsSaid)
{
  EXPECT_EQ(said_with(say_after_a_while, [] { say_last(by_second); }), by_first);
}

// The launcher kills the others when one has left.
TEST_F(MachineBoardForkTest, NobodyLeavesBeforeTheLineIsSaid)
{
  EXPECT_EQ(said_with(say_after_a_while,
                      [] {
                        say_last(by_second);
                        EXPECT_GT(write(STDERR_FILENO, left.data(), left.size()), 0);
                      }),
            by_first + left);
}

TEST_F(MachineBoardForkTest, WhoeverWaitsForOneThatWasKilledLeavesInTheEnd)
{
  EXPECT_EQ(said_with([] { raise(SIGKILL); }, [] { say_last(by_second); }), "");
}

// The handler would wait for a line that only the thread it has stopped can write.
TEST_F(MachineBoardForkTest, ASignalIsHeldBackUntilTheClaimedLineIsSaid)
{
  for (int const number : {SIGTERM, SIGINT}) {
    join_board(name_);
    testing::FullPipe pipe;
    pid_t const child = fork();
    if (child == 0) {
      dup2(pipe.end_for_writing(), STDERR_FILENO);
      signal(number, [](int caught) {
        say_last(by_second);
        _exit(128 + caught);
      });
      say_last(by_first);
      sleep(10);
      _exit(0);
    }
    EXPECT_TRUE(testing::waits_with_signal_blocked(child, number));
    EXPECT_FALSE(claim_last_word());
    kill(child, number);
    EXPECT_TRUE(testing::has_signal(child, "ShdPnd", number));
    EXPECT_EQ(pipe.drain(), by_first);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 128 + number);
  }
}

TEST_F(MachineBoardForkTest, ASpeakerGetsTheLine)
{
  join_board("test-speaker-" + std::to_string(getpid()));
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
  speak_through(ends[1]);
  pid_t const speaker = fork();
  if (speaker == 0) {
    char line[100];
    auto const length = recv(ends[0], line, sizeof line, 0);
    bool const is_mine = std::string(line, static_cast<std::size_t>(length)) == by_first && claim_last_word();
    last_word_is_said();
    _exit(is_mine ? 0 : 1);
  }
  ::testing::internal::CaptureStderr();
  say_last(by_first);
  say_last(by_second);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  int status = 1;
  waitpid(speaker, &status, 0);
  EXPECT_EQ(status, 0);
  speak_through(-1);
  close(ends[0]);
  close(ends[1]);
}

TEST_F(MachineBoardForkTest, WithoutItsSpeakerAProcessSaysTheLineItself)
{
  join_board("test-without-" + std::to_string(getpid()));
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
  close(ends[0]);
  speak_through(ends[1]);
  ::testing::internal::CaptureStderr();
  say_last(by_first);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), by_first);
  speak_through(-1);
  close(ends[1]);
}

}  // namespace

}  // namespace brushfire
