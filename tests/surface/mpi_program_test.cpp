// The program as several ranks: it speaks and writes once, and however it ends, it ends on all ranks, soon, with one
// line of ours and the code that the same mistake has on one rank.
#include "surface/program.hpp"

#include <nlohmann/json.hpp>

#include <thread>

namespace brushfire::testing {

namespace {

using Words = std::vector<std::string>;
using Clock = std::chrono::steady_clock;

class MpiProgramTest : public ProgramTest {
 protected:
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

  // The process of a rank, by what the launcher put into its environment; 0 when it is not there.
  static pid_t process_of(pid_t launcher, int rank)
  {
    std::string const variable = '\0' + std::string("OMPI_COMM_WORLD_RANK=") + std::to_string(rank) + '\0';
    for (auto const& entry : std::filesystem::directory_iterator("/proc")) {
      auto const name = entry.path().filename().string();
      if (name.find_first_not_of("0123456789") != name.npos) continue;
      auto const stat = contents(entry.path() / "stat");  // 17 (name) S 16 ...
      auto const parent = stat.find(") ") == stat.npos ? 0 : std::atoi(stat.c_str() + stat.rfind(") ") + 4);
      if (parent == launcher && contents(entry.path() / "environ").find(variable) != std::string::npos)
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
  static bool connects(pid_t launcher, int rank)
  {
    auto const process = std::to_string(process_of(launcher, rank));
    return contents(std::filesystem::path("/proc") / process / "maps").find("/mca_") != std::string::npos;
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

TEST_F(MpiProgramTest, SpeaksOnce)
{
  auto const version = run_ranks({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_EQ(lines_of(version.out).size(), 1u) << version.out;
  EXPECT_EQ(version.err, "");
  auto const searched = run_ranks({"bfs", "kron:8", "--source", "max-degree", "--validate"});
  EXPECT_EQ(searched.code, 0) << searched.err;
  EXPECT_EQ(lines_of(searched.out).size(), 1u) << searched.out;
  EXPECT_NE(searched.err.find("counting degrees: 4096 edges"), std::string::npos) << searched.err;  // of all ranks
  auto const stages = lines_of(searched.err);
  EXPECT_FALSE(stages.empty());
  EXPECT_EQ(std::count_if(stages.begin(), stages.end(), [](auto& line) { return line.starts_with("validating"); }), 1);
}

TEST_F(MpiProgramTest, BenchMeasuresAllRanksTogether)
{
  auto const outcome = run_ranks({"bench", "kron:9", "kron:40", "--presets", "auto,delegates", "--devices", "1,2",
                                  "--roots", "2", "--rounds", "2", "--json", "b.json", "-q"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  auto const lines = lines_of(outcome.out);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "kron:9: 512 vertices, 8192 edges"), 1) << outcome.out;
  std::string const json = contents(file("b.json"));
  for (std::string const part : {"\"devices\": 3", "\"devices\": 6", "does not fit the memory of all ranks"})
    EXPECT_NE(json.find(part), json.npos) << part;
}

TEST_F(MpiProgramTest, APaperAboutOneDeviceRunsInOneProcess)
{
  expect_ended(run_ranks({"bench", "--paper", "adaptive", "-q"}), 2,
               "--paper adaptive: its experiments are about one device");
}

TEST_F(MpiProgramTest, WritesEveryFileOnceAndWhole)
{
  EXPECT_EQ(run_ranks({"generate", "path:5", "-o", "p.el", "-q"}).code, 0);
  EXPECT_EQ(lines_of(contents(file("p.el"))).size(), 4u);
  auto const searched =
      run_ranks({"bfs", "p.el", "--source", "0", "--levels", "l.txt", "--parents", "p.txt", "--json", "r.json", "-q"});
  EXPECT_EQ(searched.code, 0) << searched.err;
  EXPECT_EQ(contents(file("l.txt")), "0 0\n1 1\n2 2\n3 3\n4 4\n");
  EXPECT_EQ(files(), (Words{"l.txt", "p.el", "p.txt", "r.json"}));
  auto const judged = run_ranks({"validate", "p.el", "--source", "0", "--parents", "p.txt", "-q"});
  EXPECT_EQ(judged.out, "valid  root 0  reached 5  depth 4  nedge 4\n") << judged.err;
}

// Labels that leave gaps, a hub, and a file for each rank to read its part of.
TEST_F(MpiProgramTest, AnswersAsOneProcessDoes)
{
  std::string edges;
  for (int i = 1; i < 400; ++i)
    edges += std::to_string(7 * (i % 20) * (i % 20)) + " " + std::to_string(7 * i) + "\n" + std::to_string(7 * i) +
             " " + std::to_string(7 * (i + 3)) + "\n";
  write("g.el", edges);
  auto const search = [&](const Launch& launch, const std::string& name) {
    Words const words{"bfs",        "g.el",     "--source",     "max-degree", "--deterministic",
                      "--validate", "--levels", name + "l.txt", "--parents",  name + "p.txt",
                      "-q"};
    auto const outcome = finish(start(words, launch));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out.substr(0, outcome.out.find(" s "));
  };
  auto const without_time = [](const std::string& line) { return line.substr(0, line.find("nedge") + 10); };
  std::string const alone = without_time(search({}, "one-"));
  for (int const count : {2, 3, 4}) {
    EXPECT_EQ(without_time(search(launched({}, count), "many-")), alone);
    EXPECT_EQ(contents(file("many-l.txt")), contents(file("one-l.txt")));
    EXPECT_EQ(contents(file("many-p.txt")), contents(file("one-p.txt")));
  }
}

TEST_F(MpiProgramTest, SaysWhatNumbersAreOf)
{
  auto const planned = run_ranks({"graph500", "10", "--devices", "2", "--dry-run"});
  EXPECT_NE(planned.out.find("on 3 ranks of 2 devices: 1024 vertices, 16384 edges"), std::string::npos) << planned.out;
  EXPECT_NE(planned.out.find(" bytes per rank\n"), std::string::npos) << planned.out;
  auto const json = [](const std::string& text) { return nlohmann::json::parse(text); };
  auto const plan = json(run_ranks({"bfs", "kron:10", "--source", "0", "--dry-run", "--json", "-"}).out)["plan"];
  EXPECT_EQ(plan["per"], "rank");
  EXPECT_EQ(plan["ranks"], ranks);
  EXPECT_EQ(plan["devices"], 1);
  EXPECT_EQ(plan["edges"], 16384);

  Words const benchmark{"graph500", "8", "--roots", "1", "--json", "-"};
  auto const together = run_ranks(benchmark);
  EXPECT_NE(together.err.find("generating on each rank: "), std::string::npos) << together.err;
  EXPECT_EQ(json(together.out)["host"]["cores"], json(run(benchmark).out)["host"]["cores"]);
  write("g.el", "0 1\n1 2\n2 3\n3 4\n");
  auto const read = run_ranks({"bfs", "g.el", "--source", "0"});
  EXPECT_NE(read.err.find("reading g.el on each rank: "), std::string::npos) << read.err;
}

// While generating, building, searching and validating: the largest of all ranks is reported.
TEST_F(MpiProgramTest, ARankNeedsLessWhereThereAreMore)
{
  std::vector<double> peaks;
  for (int const count : {1, 2, 4}) {
    auto const outcome =
        finish(start({"graph500", "19", "--roots", "1", "--json", "r.json", "-q"}, launched({}, count)));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    std::string const json = contents(file("r.json"));
    auto const key = json.find("\"host_peak_bytes\": ");
    ASSERT_NE(key, json.npos);
    peaks.push_back(std::stod(json.substr(key + 19)));
  }
  EXPECT_LT(peaks[1], 0.95 * peaks[0]);
  EXPECT_LT(peaks[2], 0.85 * peaks[1]);
}

TEST_F(MpiProgramTest, ResumesABenchmark)
{
  Words const benchmark{"graph500", "8", "--roots", "4", "--threads", "1", "--resume", "log", "-q"};
  auto const first = run_ranks(benchmark);
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.out.find("SCALE:"), first.out.rfind("SCALE:"));
  auto const lines = lines_of(contents(file("log")));
  ASSERT_EQ(lines.size(), 5u);
  write("log", lines[0] + "\n" + lines[1] + "\n" + lines[2] + "\n");
  EXPECT_EQ(run_ranks(benchmark).code, 0);
  EXPECT_EQ(lines_of(contents(file("log"))).size(), 5u);
}

TEST_F(MpiProgramTest, ErrorsHaveOneLineAndTheirCode)
{
  expect_ended(run_ranks({"bfs", "path:9", "--source", "0", "--colour", "red"}), 2, "--colour");
  expect_ended(run_ranks({"bfs", "path:9", "--source", "77", "-q"}), 2, "--source 77");
  expect_ended(run_ranks({"graph500", "60", "-q"}), 4, "kron:60");
  expect_ended(run_ranks({"info", "missing.el", "-q"}), 5, "missing.el");
  expect_ended(run_ranks({"bfs", "path:9", "--source", "0", "-q", "--parents", "no/such/folder.txt"}), 1, "no/such");
}

// Each would understand its own; together they would wait for each other, or answer for two graphs at once.
TEST_F(MpiProgramTest, RanksWithDifferentArgumentsAreRefused)
{
  for (const Words& others :
       {Words{"bfs", "kron:8", "--source", "2", "-q"}, Words{"graph500", "8", "-q"}, Words{"--help"}}) {
    Words between{BRUSHFIRE_PROGRAM};
    between.insert(between.end(), others.begin(), others.end());
    between.insert(between.end(), {":", "-n", "2"});
    pid_t const started = start({"bfs", "kron:8", "--source", "1", "-q"}, launched(between, 1));
    expect_ended(finish(started), 2, "different arguments");
  }
}

// As an old copy on one machine would be: the last rank works in a folder of its own.
TEST_F(MpiProgramTest, RanksThatSeeDifferentFilesAreRefused)
{
  Words const elsewhere{"sh", "-c", "[ $OMPI_COMM_WORLD_RANK != 2 ] || cd old; exec \"$0\" \"$@\""};
  auto const search = [&] { return finish(start({"bfs", "g.el", "--source", "0", "-q"}, launched(elsewhere))); };
  std::filesystem::create_directory(file("old"));
  write("g.el", "0 1\n1 2\n2 3\n");
  expect_ended(search(), 5,
               "g.el: no readable file on rank 2 and 12 bytes on rank 0; all ranks must see the same file");
  write("old/g.el", "0 1\n1 2\n");
  expect_ended(search(), 5, "g.el: 8 bytes on rank 2 and 12 bytes on rank 0; all ranks must see the same file");
  write("old/g.el", "0 1\n1 3\n2 3\n");
  expect_ended(search(), 5, "g.el: rank 2 has other content than rank 0; all ranks must see the same file");
  std::string large;
  while (large.size() < 3 << 20) large += "1 2\n";
  write("g.el", large + "0 1\n");
  write("old/g.el", large + "0 2\n");
  expect_ended(search(), 5, "g.el: rank 2 has other content than rank 0");
  write("old/g.el", contents(file("g.el")));
  EXPECT_EQ(search().code, 0);
}

TEST_F(MpiProgramTest, ARankWithoutMemoryEndsTheJob)
{
  Words const starved{"sh", "-c", "[ $OMPI_COMM_WORLD_RANK != 1 ] || ulimit -v 500000; exec \"$0\" \"$@\""};
  auto const outcome =
      finish_soon(start({"bfs", "kron:22", "--source", "0", "--threads", "1", "-q"}, launched(starved)));
  expect_ended(outcome, 4, "rank 1: kron:22");
}

TEST_F(MpiProgramTest, AKilledRankEndsTheJob)
{
  for (int const rank : {0, ranks - 1}) {
    pid_t const job = start_endless_search();
    signal_rank(job, rank, SIGKILL);
    auto const outcome = finish_soon(job);
    EXPECT_EQ(outcome.code, 128 + SIGKILL);
    EXPECT_EQ(our_lines(outcome.err), Words{"brushfire: a rank of this job has died; the job ends"}) << outcome.err;
  }
}

TEST_F(MpiProgramTest, ARankKilledBeforeItStartsEndsTheJob)
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
TEST_F(MpiProgramTest, ARankThatDidNotComeIsNoticedWhenTheOthersAreContinued)
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
TEST_F(MpiProgramTest, ARankInterruptedAtItsStartSaysSo)
{
  auto const outcome = finish_soon(start({"bfs", "kron:8", "--source", "0", "-q"},
                                         launched({"env", "LD_PRELOAD=" BRUSHFIRE_INTERRUPTS_AT_START}, 1)));
  expect_ended(outcome, 128 + SIGINT, "interrupted");
}

TEST_F(MpiProgramTest, ARankKilledWhileTheyConnectEndsTheJob)
{
  for (int const rank : {0, 1}) {
    pid_t const job = start_all_but_the_last("sleep 20");
    signal_rank(job, rank, SIGKILL);
    expect_died_connecting(job);
  }
}

// Open MPI leaves the others a second.
TEST_F(MpiProgramTest, ARankThatStartsWhenOneHasDiedDoesNotSayItAgain)
{
  pid_t const job = start_all_but_the_last("until [ -e died ]; do sleep 0.02; done");
  signal_rank(job, 1, SIGKILL);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  write("died", "");
  expect_died_connecting(job);
}

TEST_F(MpiProgramTest, ARankThatStartsWhenOneIsInterruptedDoesNotSayItAgain)
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
TEST_F(MpiProgramTest, ARankKilledBeforeTheLauncherAnswersEndsTheJob)
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
TEST_F(MpiProgramTest, ARankWithTooLittleMemoryForMpiEndsTheJob)
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

TEST_F(MpiProgramTest, AKilledRankLeavesNoHalfWrittenFile)
{
  pid_t const job = start_ranks({"generate", "kron:22", "-o", "f.el", "--raw", "--threads", "1", "-q"});
  wait_until([&] { return !files().empty(); });
  signal_rank(job, 1, SIGKILL);
  auto const outcome = finish_soon(job);
  EXPECT_EQ(outcome.code, 128 + SIGKILL);
  EXPECT_EQ(our_lines(outcome.err).size(), 1u) << outcome.err;
  EXPECT_EQ(files(), Words{});
}

TEST_F(MpiProgramTest, AnInterruptIsNoDeath)
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

}  // namespace

}  // namespace brushfire::testing
