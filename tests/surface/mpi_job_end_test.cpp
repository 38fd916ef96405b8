// However a job of several ranks ends, it ends on all of them, soon, with one line of ours and the code that the same
// mistake has on one rank.
#include "base/process_state.hpp"
#include "exchange/machine_board.hpp"
#include "surface/mpi_program.hpp"

namespace brushfire::testing {

namespace {

class MpiJobEndTest : public MpiProgramTest {};

// Jobs of two ranks that the ranks of another start: each has a launcher of its own, and says a line of its own.
class MpiJobsInAJobTest : public MpiProgramTest {
 protected:
  // What a shell is to do as a rank of the first, and of the second; $0 is the program.
  pid_t start_jobs(const std::string& first, const std::string& second) const
  {
    // Open MPI's mpirun refuses where it sees that it is in a job. It may know the rank that it is itself.
    std::string const start_one =
        "job=$OMPI_COMM_WORLD_RANK; [ $job = 0 ] || shift; "
        "unset $(env | grep -oE '^(OMPI|PMIX)_[^=]+' | grep -vE 'ALLOW_RUN|rmaps|WORLD_RANK'); "
        "JOB=$job '" BRUSHFIRE_MPIEXEC "' -n 2 sh -c \"$1\" \"$0\" > $job.out 2> $job.err; echo $? > $job.code";
    return start({first, second}, launched({"sh", "-c", start_one}, 2));
  }

  static pid_t launcher_of(pid_t outer, int job)
  {
    return child_with(process_of(outer, job), '\0' + ("JOB=" + std::to_string(job)) + '\0');
  }
  Outcome outcome_of(int job) const
  {
    auto const said = [&](const char* where) { return contents(file(std::to_string(job) + where)); };
    auto const code = said(".code");
    return {code.empty() ? -1 : std::stoi(code), said(".out"), said(".err")};
  }
};

TEST_F(MpiJobEndTest, ARankWithoutMemoryEndsTheJob)
{
  Words const starved{"sh", "-c", "[ $OMPI_COMM_WORLD_RANK != 1 ] || ulimit -v 500000; exec \"$0\" \"$@\""};
  auto const outcome =
      finish_soon(start({"bfs", "kron:22", "--source", "0", "--threads", "1", "-q"}, launched(starved)));
  expect_ended(outcome, 4, "rank 1: kron:22");
}

TEST_F(MpiJobEndTest, AKilledRankEndsTheJob)
{
  for (int const rank : {0, ranks - 1}) {
    pid_t const job = start_endless_search();
    signal_rank(job, rank, SIGKILL);
    auto const outcome = finish_soon(job);
    EXPECT_EQ(outcome.code, 128 + SIGKILL);
    EXPECT_EQ(our_lines(outcome.err), Words{"brushfire: a rank of this job has died; the job ends"}) << outcome.err;
  }
}

// Each rank has another parent then.
TEST_F(MpiJobEndTest, ARankKilledInAShellEndsTheJob)
{
  Words const shell{"sh", "-c", "\"$0\" \"$@\"; exit $?"};
  auto const in_shell = [](pid_t job, int rank) { return child_with(process_of(job, rank), "OMPI_COMM_WORLD_RANK"); };
  for (int const signal : {SIGKILL, SIGINT}) {
    pid_t const job = start({"bfs", "kron:12", "--source", "random", "--trials", "100000000", "-q"}, launched(shell));
    for (int rank = 0; rank < ranks; ++rank) wait_until([&] { return connects(in_shell(job, rank)); });
    pid_t const killed = in_shell(job, 1);
    ASSERT_GT(killed, 0);
    kill(killed, signal);
    auto const outcome = finish_soon(job);
    EXPECT_NE(outcome.code, 0);
    EXPECT_EQ(our_lines(outcome.err).size(), 1u) << outcome.err;
    wait_until([&] { return !left_in_shared_memory(job); });
  }
}

// The launcher then leaves the last one no time to say anything, and if there is none, nobody is left.
TEST_F(MpiJobEndTest, RanksKilledAtOneInstantEndTheJob)
{
  for (int const survivors : {1, 0}) {
    pid_t const job = start_endless_search();
    std::vector<pid_t> killed;
    for (int rank = survivors; rank < ranks; ++rank) killed.push_back(process_of(job, rank));
    for (pid_t const rank : killed) kill(rank, SIGKILL);
    auto const outcome = finish_soon(job);
    EXPECT_EQ(outcome.code, 128 + SIGKILL);
    EXPECT_EQ(our_lines(outcome.err), Words{"brushfire: a rank of this job has died; the job ends"}) << outcome.err;
  }
}

// Nobody reads any more what the ranks say.
TEST_F(MpiJobEndTest, AKilledLauncherEndsTheJob)
{
  pid_t const job = start_endless_search();
  std::vector<pid_t> started;
  for (int rank = 0; rank < ranks; ++rank) started.push_back(process_of(job, rank));
  kill(job, SIGKILL);
  EXPECT_EQ(finish_soon(job).code, 128 + SIGKILL);
  wait_until([&] { return !our_lines(contents(root_ / "err")).empty(); });
  for (pid_t const rank : started)
    wait_until([&] { return !std::filesystem::exists("/proc/" + std::to_string(rank)); });
  EXPECT_EQ(our_lines(contents(root_ / "err")), Words{"brushfire: a rank of this job has died; the job ends"});
}

TEST_F(MpiJobEndTest, RanksThatStartWhenTheLauncherIsGoneLeaveNothing)
{
  Words const late{"sh", "-c", "until [ -e gone ]; do sleep 0.02; done; exec \"$0\" \"$@\""};
  pid_t const job = start({"bfs", "kron:8", "--source", "0", "-q"}, launched(late));
  std::vector<pid_t> started;
  for (int rank = 0; rank < ranks; ++rank) {
    wait_until([&] { return process_of(job, rank) > 0; });
    started.push_back(process_of(job, rank));
  }
  kill(job, SIGKILL);
  finish_soon(job);
  pid_t const parent = look_at_process(started[0])->parent;
  write("gone", "");
  for (pid_t const rank : started)
    wait_until([&] {
      auto const found = look_at_process(rank);
      return !found || found->has_ended();
    });
  if (parent != 1) GTEST_SKIP() << "orphans go to process " << parent;
  auto const board = "brushfire-" + std::to_string(getuid()) + "-" + board_of_launcher({1, started[0]});
  EXPECT_FALSE(std::filesystem::exists("/dev/shm/" + board));
}

TEST_F(MpiJobEndTest, ARankKilledBeforeItStartsEndsTheJob)
{
  for (int const rank : {0, ranks - 1}) {
    Words const killed{"sh", "-c",
                       "[ $OMPI_COMM_WORLD_RANK != " + std::to_string(rank) + " ] || kill -9 $$; exec \"$0\" \"$@\""};
    auto const outcome = finish_soon(start({"bfs", "kron:8", "--source", "0", "-q"}, launched(killed)));
    expect_ended(outcome, 128 + SIGKILL, "the launcher stopped the job");
  }
}

// Open MPI leaves the others a second, which it tells them by a SIGCONT, and then a millisecond, which on a busy
// machine is not enough to say anything.
TEST_F(MpiJobEndTest, ARankThatDidNotComeIsNoticedWhenTheOthersAreContinued)
{
  // Past the launcher, which hands nothing on while it waits.
  pid_t const job = start_all_but_the_last(
      "until [ -e died ]; do sleep 0.02; done; [ $OMPI_COMM_WORLD_RANK != 2 ] || kill -9 $$; exec 2>> said");
  pid_t const rank = process_of(job, 0);
  write("died", "");
  wait_until([&] { return !our_lines(contents(file("said"))).empty(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_EQ(process_of(job, 0), rank) << "it was said when the launcher ended the rank";
  EXPECT_EQ(finish_soon(job).code, 128 + SIGKILL);
  auto const lines = our_lines(contents(file("said")));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("the launcher stopped the job"), std::string::npos) << lines[0];
}

// In the milliseconds in which its libraries start. One of them sends the signal.
TEST_F(MpiJobEndTest, ARankInterruptedAtItsStartSaysSo)
{
  auto const outcome = finish_soon(start({"bfs", "kron:8", "--source", "0", "-q"},
                                         launched({"env", "LD_PRELOAD=" BRUSHFIRE_INTERRUPTS_AT_START}, 1)));
  expect_ended(outcome, 128 + SIGINT, "interrupted");
}

TEST_F(MpiJobEndTest, ARankKilledWhileTheyConnectEndsTheJob)
{
  for (int const rank : {0, 1}) {
    pid_t const job = start_all_but_the_last("sleep 20");
    signal_rank(job, rank, SIGKILL);
    expect_died_connecting(job);
  }
}

// Open MPI leaves the others a second.
TEST_F(MpiJobEndTest, ARankThatStartsWhenOneHasDiedDoesNotSayItAgain)
{
  pid_t const job = start_all_but_the_last("until [ -e died ]; do sleep 0.02; done");
  signal_rank(job, 1, SIGKILL);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  write("died", "");
  expect_died_connecting(job);
}

TEST_F(MpiJobEndTest, ARankThatStartsWhenOneIsInterruptedDoesNotSayItAgain)
{
  for (int const signal : {SIGINT, SIGTERM}) {
    std::filesystem::remove(file("ended"));
    pid_t const job = start_all_but_the_last("until [ -e ended ]; do sleep 0.02; done");
    signal_rank(job, 1, signal);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    write("ended", "");
    auto const outcome = finish_soon(job);
    EXPECT_EQ(our_lines(outcome.err).size(), 1u) << outcome.err;
    wait_until([&] { return !left_in_shared_memory(job); });
  }
}

// The launcher is held while the ranks ask it to connect them, so that its answer finds one of them gone. Open MPI 4.1
// with PMIx 4.2 then does not end by itself.
TEST_F(MpiJobEndTest, ARankKilledBeforeTheLauncherAnswersEndsTheJob)
{
  Words const late{"sh", "-c", "sleep 1; exec \"$0\" \"$@\""};
  for (int const rank : {0, 1}) {
    pid_t const job = start({"bfs", "kron:8", "--source", "0", "-q"}, launched(late));
    for (int other = 0; other < ranks; ++other) wait_until([&] { return process_of(job, other) > 0; });
    kill(job, SIGSTOP);
    for (int other = 0; other < ranks; ++other) wait_until([&] { return connects(job, other); });
    std::this_thread::sleep_for(std::chrono::seconds(1));
    signal_rank(job, rank, SIGKILL);
    kill(job, SIGCONT);
    expect_died_connecting(job);
  }
}

// Open MPI would wait for itself. The second rank has enough to start, and not much more.
TEST_F(MpiJobEndTest, ARankWithTooLittleMemoryForMpiEndsTheJob)
{
  auto const limited_to = [](long kib) {
    return Words{"/bin/sh", "-c",
                 "[ ${OMPI_COMM_WORLD_RANK-1} != 1 ] || ulimit -v " + std::to_string(kib) + "; exec \"$0\" \"$@\""};
  };
  auto const starts_with = [&](long kib) {
    Launch launch;
    launch.launcher = limited_to(kib);
    return finish(start({"--version"}, launch)).code == 0;
  };
  long kib = 50'000;
  while (!starts_with(kib)) ASSERT_LT(kib += 50'000, 4'000'000);
  auto const outcome = finish_soon(start({"bfs", "kron:8", "--source", "0", "-q"}, launched(limited_to(kib + 50'000))));
  EXPECT_EQ(outcome.code, 4);
  EXPECT_EQ(our_lines(outcome.err),
            Words{"brushfire: rank 1: MPI needs 256.0 MiB of address space at least; raise the limit (ulimit -v)"});
}

TEST_F(MpiJobEndTest, AKilledRankLeavesNoHalfWrittenFile)
{
  pid_t const job = start_ranks({"generate", "kron:22", "-o", "f.el", "--raw", "--threads", "1", "-q"});
  wait_until([&] { return !files().empty(); });
  signal_rank(job, 1, SIGKILL);
  auto const outcome = finish_soon(job);
  EXPECT_EQ(outcome.code, 128 + SIGKILL);
  EXPECT_EQ(our_lines(outcome.err).size(), 1u) << outcome.err;
  EXPECT_EQ(files(), Words{});
}

TEST_F(MpiJobEndTest, AnInterruptIsNoDeath)
{
  pid_t job = start_endless_search();
  signal_rank(job, 1, SIGINT);
  auto outcome = finish_soon(job);
  EXPECT_EQ(outcome.code, 128 + SIGINT);
  EXPECT_EQ(our_lines(outcome.err), Words{"brushfire: interrupted"}) << outcome.err;
  job = start_endless_search();
  kill(job, SIGINT);  // Open MPI's launcher then has a code of its own
  outcome = finish_soon(job);
  EXPECT_NE(outcome.code, 0);
  EXPECT_EQ(our_lines(outcome.err), Words{"brushfire: interrupted"}) << outcome.err;
}

TEST_F(MpiJobsInAJobTest, EachSaysWhatItFailsFor)
{
  write("malformed.el", "a b\n");
  auto const outer =
      finish_soon(start_jobs("exec \"$0\" info malformed.el -q", "exec \"$0\" bfs path:3 --source 7 -q"));
  EXPECT_EQ(outer.code, 0);
  EXPECT_EQ(our_lines(outer.err), Words{});
  expect_ended(outcome_of(0), 5, "malformed.el:1");
  expect_ended(outcome_of(1), 2, "source 7");
}

TEST_F(MpiJobsInAJobTest, EachSaysWhyItEndsBeforeItsRanksConnect)
{
  std::string const one_dies = "[ $OMPI_COMM_WORLD_RANK != 1 ] || kill -9 $$; exec \"$0\" bfs kron:8 --source 0 -q";
  EXPECT_EQ(finish_soon(start_jobs(one_dies, one_dies)).code, 0);
  for (int const job : {0, 1}) expect_ended(outcome_of(job), 128 + SIGKILL, "the launcher stopped the job");
}

// A rank of the second comes late: those of the first that are gone are none that it misses.
TEST_F(MpiJobsInAJobTest, OneThatLosesARankLeavesTheOtherAlone)
{
  pid_t const outer = start_jobs(
      "exec \"$0\" bfs kron:12 --source random --trials 100000000 --threads 1",
      "[ $OMPI_COMM_WORLD_RANK != 1 ] || until [ -e ended ]; do sleep 0.02; done; exec \"$0\" bfs kron:10 --source 0 "
      "--validate -q");
  wait_until([&] { return outcome_of(0).err.find("sorting lists") != std::string::npos; });
  wait_until([&] { return connects(launcher_of(outer, 1), 0); });
  pid_t const launchers[] = {launcher_of(outer, 0), launcher_of(outer, 1)};
  signal_rank(launchers[0], 1, SIGKILL);
  wait_until([&] { return outcome_of(0).code >= 0; });
  write("ended", "");
  EXPECT_EQ(finish_soon(outer).code, 0);
  auto const first = outcome_of(0), second = outcome_of(1);
  EXPECT_EQ(first.code, 128 + SIGKILL);
  EXPECT_EQ(our_lines(first.err), Words{"brushfire: a rank of this job has died; the job ends"}) << first.err;
  EXPECT_EQ(second.code, 0);
  EXPECT_NE(second.out.find(" valid\n"), std::string::npos) << second.out;
  EXPECT_EQ(second.err, "");
  for (pid_t const launcher : launchers) wait_until([&] { return !left_in_shared_memory(launcher); });
}

}  // namespace

}  // namespace brushfire::testing
