// The program as several ranks: it speaks and writes once, and answers as one process does.
#include "surface/mpi_program.hpp"

#include <nlohmann/json.hpp>

namespace brushfire::testing {

namespace {

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

// As plain srun starts them where the MPI is Open MPI.
TEST_F(MpiProgramTest, RanksThatCannotConnectAreRefused)
{
  Launch alone;
  for (auto const& [rank, lines] : {std::pair("0", 1u), std::pair("1", 0u)}) {
    alone.launcher = {"/usr/bin/env", "SLURM_STEP_NUM_TASKS=2", std::string("SLURM_PROCID=") + rank};
    auto const outcome = finish(start({"bfs", "path:9", "--source", "0", "-q"}, alone));
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(our_lines(outcome.err).size(), lines) << outcome.err;
  }
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

}  // namespace

}  // namespace brushfire::testing
