// The program as several ranks, for the tests that start it so.
#pragma once

#include "surface/program.hpp"

#include <gtest/gtest.h>

#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace brushfire::testing {

class MpiProgramTest : public ProgramTest {
 protected:
  using Words = std::vector<std::string>;
  using Clock = std::chrono::steady_clock;

  static constexpr int ranks = 3;

  void SetUp() override
  {
    ProgramTest::SetUp();
    // For Open MPI: in a container one is root, and there may be fewer cores than ranks.
    for (auto const* const variable :
         {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe"})
      setenv(variable, "1", 1);
  }

  static Launch launched(const Words& between = {}, int count = ranks)
  {
    Launch launch;
    launch.launcher = {BRUSHFIRE_MPIEXEC, "-n", std::to_string(count)};
    launch.launcher.insert(launch.launcher.end(), between.begin(), between.end());
    return launch;
  }
  pid_t start_ranks(const Words& arguments) const { return start(arguments, launched()); }
  Outcome run_ranks(const Words& arguments) const { return finish(start_ranks(arguments)); }

  // Those among the lines of stderr that are not the launcher's.
  static Words our_lines(const std::string& err)
  {
    Words ours;
    for (auto const& line : lines_of(err))
      if (line.starts_with("brushfire: ")) ours.push_back(line);
    return ours;
  }

  void expect_ended(const Outcome& outcome, int code, const std::string& part) const
  {
    SCOPED_TRACE(outcome.err);
    EXPECT_EQ(outcome.code, code);
    EXPECT_EQ(outcome.out, "");
    ASSERT_EQ(our_lines(outcome.err).size(), 1u);
    EXPECT_NE(our_lines(outcome.err)[0].find(part), std::string::npos) << part;
  }

  // The process of a rank, or of the shell that it is in, by what the launcher put into its environment; 0 when it is
  // not there.
  static pid_t process_of(pid_t launcher, int rank)
  {
    return child_with(launcher, '\0' + std::string("OMPI_COMM_WORLD_RANK=") + std::to_string(rank) + '\0');
  }
  static pid_t child_with(pid_t process, const std::string& variable)
  {
    for (auto const& entry : std::filesystem::directory_iterator("/proc")) {
      auto const name = entry.path().filename().string();
      if (name.find_first_not_of("0123456789") != name.npos) continue;
      auto const stat = contents(entry.path() / "stat");  // 17 (name) S 16 ...
      auto const parent = stat.find(") ") == stat.npos ? 0 : std::atoi(stat.c_str() + stat.rfind(") ") + 4);
      if (parent == process && contents(entry.path() / "environ").find(variable) != std::string::npos)
        return std::atoi(name.c_str());
    }
    return 0;
  }

  static void signal_rank(pid_t launcher, int rank, int signal)
  {
    pid_t const process = process_of(launcher, rank);
    ASSERT_GT(process, 0);
    kill(process, signal);
  }

  static void wait_until(const std::function<bool()>& there)
  {
    for (int i = 0; i < 3000 && !there(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ASSERT_TRUE(there());
  }
  // A search that would take for ever, once all ranks are in it.
  pid_t start_endless_search() const
  {
    std::filesystem::remove(root_ / "err");  // of the search before
    pid_t const job = start_ranks({"bfs", "kron:12", "--source", "random", "--trials", "100000000", "--threads", "1"});
    wait_until([&] { return contents(root_ / "err").find("sorting lists") != std::string::npos; });
    return job;
  }
  Outcome finish_soon(pid_t job) const
  {
    auto const start = Clock::now();
    siginfo_t ended{};
    while (ended.si_pid == 0 && Clock::now() - start < std::chrono::seconds(10)) {
      waitid(P_PID, static_cast<id_t>(job), &ended, WEXITED | WNOHANG | WNOWAIT);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_EQ(ended.si_pid, job) << "the launcher is still there after 10 s";
    if (ended.si_pid == 0) kill(job, SIGKILL);
    return finish(job);
  }

  // Whether MPI has begun to connect a rank.
  static bool connects(pid_t launcher, int rank) { return connects(process_of(launcher, rank)); }
  static bool connects(pid_t process)
  {
    auto const maps = std::filesystem::path("/proc") / std::to_string(process) / "maps";
    return contents(maps).find("/mca_") != std::string::npos;
  }
  // One that does not come keeps the others inside MPI_Init, where they now wait for it.
  pid_t start_all_but_the_last(const std::string& until) const
  {
    Words const late{"sh", "-c", "[ $OMPI_COMM_WORLD_RANK != 2 ] || " + until + "; exec \"$0\" \"$@\""};
    pid_t const job = start({"bfs", "kron:8", "--source", "0", "-q"}, launched(late));
    wait_until([&] { return connects(job, 0) && connects(job, 1); });
    std::this_thread::sleep_for(std::chrono::seconds(1));
    return job;
  }
  static bool left_in_shared_memory(pid_t job)
  {
    for (auto const& entry : std::filesystem::directory_iterator("/dev/shm")) {
      auto const name = entry.path().filename().string();
      if (name.starts_with("brushfire-") && name.find("-" + std::to_string(job) + "-") != name.npos) return true;
    }
    return false;
  }
  void expect_died_connecting(pid_t job) const
  {
    auto const outcome = finish_soon(job);
    EXPECT_NE(outcome.code, 0);  // 137; Open MPI's launcher may get a SIGPIPE of its own, or has to be stopped
    EXPECT_EQ(our_lines(outcome.err), Words{"brushfire: a rank of this job has died; the job ends"}) << outcome.err;
    wait_until([&] { return !left_in_shared_memory(job); });
  }
};

}  // namespace brushfire::testing
