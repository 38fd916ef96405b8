// Inputs that are missing or broken, outputs that cannot be written, and programs that are stopped: each has
// its exit code, one line, and leaves nothing behind.
#include "full_pipe.hpp"
#include "surface/program.hpp"

#include <sys/mount.h>

#include <thread>

namespace brushfire::testing {

namespace {

using Files = std::vector<std::string>;

class FilesTest : public ProgramTest {};

TEST_F(FilesTest, WhatCannotBeReadIsAnInputError)
{
  expect_refused({"bfs", "missing.el", "--source", "0", "-q"}, 5, "missing.el");
  expect_refused({"info", ".", "-q"}, 5, ".");
  write("empty.el", "");
  expect_refused({"bfs", "empty.el", "--source", "0", "-q"}, 5, "empty.el");
  write("letters.el", "0 1\n1 two\n");
  expect_refused({"bfs", "letters.el", "--source", "0", "-q"}, 5, "letters.el:2");
  write("short.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 9\n2 1\n");
  expect_refused({"info", "short.mtx", "-q"}, 5, "short.mtx");
  write("bad.bfg", "this is no graph of ours, whatever its name says\n");
  expect_refused({"info", "bad.bfg", "-q"}, 5, "bad.bfg: does not begin as a .bfg file does");
  write("parents.txt", "0 zero\n");
  expect_refused({"validate", "path:3", "--source", "0", "--parents", "parents.txt", "-q"}, 5, "parents.txt");
}

TEST_F(FilesTest, AnAlteredBfgIsFoundByAllThatVerify)
{
  EXPECT_EQ(run({"generate", "kron:8", "-o", "k.bfg", "-q"}).code, 0);
  EXPECT_EQ(run({"bfs", "k.bfg", "--source", "max-degree", "--parents", "p.txt", "-q"}).code, 0);
  std::string bytes = contents(file("k.bfg"));
  bytes.back() = static_cast<char>(bytes.back() ^ 1);  // the last entry of the last list
  write("k.bfg", bytes);
  expect_refused({"info", "k.bfg", "-q"}, 5, "k.bfg");
  expect_refused({"convert", "k.bfg", "-o", "k.el", "-q"}, 5, "k.bfg");
  expect_refused({"bfs", "k.bfg", "--source", "max-degree", "--devices", "3", "-q"}, 5, "k.bfg");
  expect_refused({"validate", "k.bfg", "--source", "1", "--parents", "p.txt", "-q"}, 5, "k.bfg");
  expect_refused({"bfs", "k.bfg", "--source", "max-degree", "--validate", "-q"}, 5, "k.bfg");
  EXPECT_EQ(run({"bfs", "k.bfg", "--source", "max-degree", "-q"}).code, 0);  // unverified, and inside its bounds
}

TEST_F(FilesTest, MalformedGeneratorsAreUsageErrors)
{
  for (std::string const graph : {"kron:", "kron:x", "grid:3", "path:-1", "tree:2"})
    expect_refused({"info", graph, "-q"}, 2, graph);
}

TEST_F(FilesTest, OutputsThatCannotBeWrittenAreFailures)
{
  auto const refused = [&](std::vector<std::string> words, const std::string& part) {
    words.insert(words.begin(), {"bfs", "path:9", "--source", "0", "-q"});
    expect_refused(words, 1, part);
  };
  std::filesystem::create_directory(file("folder"));
  refused({"--json", "nowhere/r.json"}, "nowhere/r.json");
  refused({"--html", "nowhere/r.html"}, "nowhere/r.html");
  refused({"--levels", "nowhere/l.txt"}, "nowhere/l.txt");
  refused({"--parents", "nowhere/p.npy"}, "nowhere/p.npy");
  refused({"--json", "folder"}, "folder");
  for (bool const dry : {false, true}) {
    auto const refused_too = [&](std::vector<std::string> words, int code, const std::string& part) {
      if (dry) words.push_back("--dry-run");
      expect_refused(words, code, part);
    };
    refused_too({"generate", "path:9", "-o", "nowhere/p.el", "-q"}, 1, "nowhere/p.el");
    refused_too({"generate", "path:9", "-o", "p.unknown", "-q"}, 2, "p.unknown");
    refused_too({"convert", "path:9", "-o", "nowhere/p.bfg", "-q"}, 1, "nowhere/p.bfg");
    refused_too({"convert", "path:9", "-o", "p.unknown", "-q"}, 2, "p.unknown");
    refused_too({"graph500", "5", "--resume", "nowhere/log", "-q"}, 1, "nowhere/log");
  }
  EXPECT_EQ(files(), Files{"folder"});
}

// Whatever the input is called there: by another spelling of its name, or through a link.
TEST_F(FilesTest, AnInputIsNoOutput)
{
  std::string const edges = "1 2\n2 3\n";
  write("f.txt", edges);
  std::filesystem::create_symlink("f.txt", file("soft.txt"));
  std::filesystem::create_hard_link(file("f.txt"), file("hard.txt"));
  for (std::string const name : {"f.txt", "./f.txt", "../here/f.txt", "soft.txt", "hard.txt"}) {
    for (std::string const option : {"--json", "--html", "--levels", "--parents"})
      expect_refused({"bfs", "f.txt", "--source", "1", option, name, "-q"}, 2, name + ": would overwrite the input");
    expect_refused({"bfs", "f.txt", "--source", "1", "--dry-run", "--json", name}, 2,
                   "would overwrite the input f.txt");
    expect_refused({"convert", "f.txt", "-o", name, "-q"}, 2, "would overwrite the input f.txt");
    expect_refused({"info", "f.txt", "--json", name, "-q"}, 2, "would overwrite the input f.txt");
    expect_refused({"bench", "path:9", "f.txt", "--html", name, "-q"}, 2, "would overwrite the input f.txt");
  }
  EXPECT_EQ(contents(file("f.txt")), edges);
  EXPECT_EQ(run({"bfs", "f.txt", "--source", "1", "--json", "-", "--levels", "g.txt", "-q"}).code, 0);
  expect_refused({"bfs", "path:3", "--source", "1", "--json", "r", "--html", "./r", "-q"}, 2, "two outputs");
}

TEST_F(FilesTest, LinksStayAndStreamsAreWrittenAsTheyStand)
{
  std::filesystem::create_directory(file("data"));
  write("data/r.txt", "old");
  std::filesystem::create_symlink("data/r.txt", file("r.txt"));
  EXPECT_EQ(run({"bfs", "path:2", "--source", "0", "--levels", "r.txt", "-q"}).code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(file("r.txt")));
  EXPECT_EQ(contents(file("data/r.txt")), "0 0\n1 1\n");
  std::filesystem::create_symlink("r2.txt", file("data/next.txt"));  // leads to nothing yet, as it stands in data
  std::filesystem::create_symlink("data/next.txt", file("first.txt"));
  EXPECT_EQ(run({"bfs", "path:2", "--source", "0", "--levels", "first.txt", "-q"}).code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(file("first.txt")) && std::filesystem::is_symlink(file("data/next.txt")));
  EXPECT_EQ(contents(file("data/r2.txt")), "0 0\n1 1\n");
  std::filesystem::create_symlink("nowhere/r.txt", file("astray.txt"));
  expect_refused({"bfs", "path:2", "--source", "0", "--levels", "astray.txt", "-q"}, 1, "astray.txt");
  std::filesystem::create_symlink("round.txt", file("round.txt"));
  expect_refused({"bfs", "path:2", "--source", "0", "--levels", "round.txt", "-q"}, 1, "round.txt");

  std::filesystem::create_symlink("/proc/self/fd/1", file("out.txt"));
  auto const outcome = run({"bfs", "path:2", "--source", "0", "--levels", "out.txt", "-q"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(std::filesystem::is_symlink(file("out.txt")));
  EXPECT_NE(outcome.out.find("0 0\n1 1\n"), std::string::npos);
}

TEST_F(FilesTest, WhatNoReaderTakesBackIsNotWritten)
{
  expect_refused({"generate", "path:1", "-o", "p.el", "-q"}, 2, "p.el");
  expect_refused({"generate", "path:1", "-o", "p.csv", "--raw", "-q"}, 2, "p.csv");
  EXPECT_EQ(run({"generate", "path:1", "-o", "p.mtx", "-q"}).code, 0);
  EXPECT_EQ(run({"info", "p.mtx", "-q"}).code, 0);
}

TEST_F(FilesTest, NamesThatCannotBeAskedAboutAreInputErrors)
{
  std::string const name(300, 'x');
  expect_refused({"info", name, "-q"}, 5, "xxx");
  std::filesystem::create_symlink("loop", file("loop"));
  expect_refused({"info", "loop", "-q"}, 5, "loop");
  expect_refused({"info", "nosuch:3", "-q"}, 5, "no generator is called nosuch");
  expect_refused({"bfs", "path:3", "--source", "0", "--json", "", "-q"}, 2, "empty");
}

TEST_F(FilesTest, OnlyAnOrdinaryFileCanBeResumed)
{
  expect_refused({"graph500", "5", "--resume", "/dev/zero", "-q"}, 1, "/dev/zero");
  write("notes.txt", "buy milk\n");
  expect_refused({"graph500", "5", "--resume", "notes.txt", "-q"}, 5, "notes.txt");
  EXPECT_EQ(contents(file("notes.txt")), "buy milk\n");
}

TEST_F(FilesTest, AFullDeviceIsAFailure)
{
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full here";
  auto const outcome = run({"bfs", "path:9", "--source", "0", "-q", "--json", "/dev/full"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
  for (auto const& arguments : {Files{"devices"}, {"graph500", "5", "-q"}, {"bfs", "path:9", "--source", "0", "-q"}}) {
    auto const silent = finish(start(arguments, {.out = "/dev/full"}));
    EXPECT_EQ(silent.code, 1) << arguments[0];
    EXPECT_EQ(lines_of(silent.err).size(), 1u) << silent.err;
  }
}

TEST_F(FilesTest, AFullDiskLeavesNothingBehind)
{
  std::filesystem::create_directory(file("small"));
  if (mount("tmpfs", file("small").c_str(), "tmpfs", 0, "size=1m") != 0) GTEST_SKIP() << "may not mount a small disk";
  for (std::string const name : {"small/k.el", "small/k.bfg", "small/k.sg", "small/k.mtx"}) {
    auto const outcome = run({"generate", "kron:16", "-o", name, "-q"});
    EXPECT_EQ(outcome.code, 1) << name;
    EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
    EXPECT_NE(outcome.err.find(name), std::string::npos) << outcome.err;
    EXPECT_TRUE(std::filesystem::is_empty(file("small"))) << name;
  }
  umount(file("small").c_str());
}

TEST_F(FilesTest, AFileThatGrowsTooLargeLeavesNothingBehind)
{
  using Words = std::vector<std::string>;
  auto const refused = [&](Words words, const std::string& name, std::uint64_t most) {
    words.insert(words.end(), {name, "-q"});
    auto const outcome = finish(start(words, {.largest_file = most}));
    EXPECT_EQ(outcome.code, 1) << name;
    ASSERT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("brushfire: " + name)) << outcome.err;
    EXPECT_NE(outcome.err.find("File too large"), std::string::npos) << outcome.err;
    EXPECT_TRUE(files().empty()) << name;
  };
  for (std::string const name : {"k.el", "k.bfg", "k.sg", "k.mtx"})
    refused({"generate", "kron:14", "-o"}, name, 100'000);
  refused({"generate", "kron:14", "--raw", "-o"}, "raw.el", 100'000);
  for (std::string const name : {"p.txt", "p.npy"})
    refused({"bfs", "path:30000", "--source", "0", "--json", "-", "--parents"}, name, 100'000);
  refused({"bfs", "path:30000", "--source", "0", "--json"}, "r.json", 1000);
}

TEST_F(FilesTest, LabelsTooSparseForAnArrayAreRefusedBeforeAnythingIsWritten)
{
  write("sparse.el", "1000000000000 7\n7 20\n");
  for (auto const& [levels, parents] : {std::pair("a.txt", "b.npy"), std::pair("a.npy", "b.txt")}) {
    auto const outcome = run({"bfs", "sparse.el", "--source", "7", "--levels", levels, "--parents", parents, "-q"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");  // no search was run
    EXPECT_NE(outcome.err.find(".npy"), std::string::npos) << outcome.err;
    EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
    EXPECT_EQ(files(), Files{"sparse.el"});
  }
}

TEST_F(FilesTest, GraphsSurviveARoundTrip)
{
  ASSERT_EQ(run({"bfs", "kron:8", "--source", "max-degree", "--levels", "expected.txt", "--json", "-"}).code, 0);
  auto const expected = lines_of(contents(file("expected.txt")));
  for (std::string const name : {"k.bfg", "k.sg"}) {
    auto const made = run({"generate", "kron:8", "-o", name, "-q"});
    ASSERT_EQ(made.code, 0) << made.err;
    EXPECT_EQ(made.out, "");
    ASSERT_EQ(run({"bfs", name, "--source", "max-degree", "--levels", "l.txt", "--validate", "-q"}).code, 0) << name;
    EXPECT_EQ(lines_of(contents(file("l.txt"))), expected) << name;
  }
  EXPECT_EQ(files(), (Files{"expected.txt", "k.bfg", "k.sg", "l.txt"}));
}

TEST_F(FilesTest, RawTuplesComeAsGenerated)
{
  ASSERT_EQ(run({"generate", "kron:10", "-o", "raw.el", "--raw", "-q"}).code, 0);
  auto const lines = lines_of(contents(file("raw.el")));
  ASSERT_EQ(lines.size(), 16384u);
  EXPECT_EQ(lines[0], "299 797");
  EXPECT_EQ(lines[3], "428 328");
}

TEST_F(FilesTest, ConvertingToZeroBasedSaysSo)
{
  write("one.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n");
  auto const outcome = run({"convert", "one.mtx", "-o", "zero.sg", "--no-progress"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
  EXPECT_EQ(outcome.out, "");
}

class InterruptTest : public ProgramTest, public ::testing::WithParamInterface<int> {
 protected:
  void stop(pid_t child)
  {
    kill(child, GetParam());
    auto const outcome = finish(child);
    EXPECT_EQ(outcome.code, 128 + GetParam());
    EXPECT_TRUE(outcome.err.ends_with("brushfire: interrupted\n")) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(files().empty());
  }
};

TEST_P(InterruptTest, InTheMiddleOfAFileLeavesNothingBehind)
{
  pid_t const child = start({"generate", "kron:22", "-o", "f.el", "--raw"});
  for (int i = 0; i < 3000 && files().empty(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  auto const unfinished = files();
  stop(child);
  ASSERT_EQ(unfinished.size(), 1u);
  EXPECT_NE(unfinished[0], "f.el");
}

TEST_P(InterruptTest, BeforeTheFileLeavesNothingBehind)
{
  pid_t const child = start({"generate", "kron:22", "-o", "f.el"});
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  stop(child);
}

TEST_P(InterruptTest, InTheBenchmark)
{
  pid_t const child = start({"graph500", "21"});
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  stop(child);
}

TEST_P(InterruptTest, WhileAnErrorIsSaidAddsNoLine)
{
  FullPipe pipe;
  pid_t const child = start({"info", "missing.el", "-q"}, {.terminal = pipe.end_for_writing()});
  EXPECT_TRUE(waits_with_signal_blocked(child, GetParam()));
  kill(child, GetParam());
  auto const said = lines_of(pipe.drain());
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("missing.el"), std::string::npos) << said[0];
  EXPECT_EQ(finish(child).code, 128 + GetParam());
}

INSTANTIATE_TEST_SUITE_P(Signals, InterruptTest, ::testing::Values(SIGINT, SIGTERM));

}  // namespace

}  // namespace brushfire::testing
