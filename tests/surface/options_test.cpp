// The command line: what is understood, what is refused, and that a refusal is one line and the right code.
#include "surface/program.hpp"

#include <brushfire/machine.hpp>

#include <optional>

namespace brushfire::testing {

namespace {

class OptionsTest : public ProgramTest {};

TEST_F(OptionsTest, EveryCommandExplainsItself)
{
  for (std::string const command : {"graph500", "bfs", "bench", "generate", "convert", "info", "validate", "components",
                                    "diameter", "closeness", "plan", "devices"}) {
    auto const outcome = run({command, "--help"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.err, "");
    EXPECT_NE(outcome.out.find("Example: brushfire " + command), std::string::npos) << command;
    for (auto const& line : lines_of(outcome.out)) EXPECT_LE(line.size(), 120u) << line;
  }
  auto const program = run({"--help"});
  EXPECT_EQ(program.code, 0);
  EXPECT_NE(program.out.find("graph500"), std::string::npos);
  EXPECT_EQ(run({"bfs", "-h"}).code, 0);
}

TEST_F(OptionsTest, SaysItsVersion)
{
  auto const outcome = run({"--version"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(outcome.out.starts_with("brushfire "));
  EXPECT_EQ(lines_of(outcome.out).size(), 1u);
}

TEST_F(OptionsTest, UnknownCommandsAreUsageErrors)
{
  expect_refused({}, 2, "a command is required");
  for (std::string const command : {"bsf", "--quiet", ""})
    expect_refused({command}, 2, "unknown command '" + command + "'");
}

TEST_F(OptionsTest, MistakesPointToTheHelp)
{
  expect_refused({"bfs"}, 2, "GRAPH is required; see 'brushfire bfs --help'");
  expect_refused({"bfs", "path:3"}, 2, "--source is required");
  expect_refused({"bfs", "path:3", "--source"}, 2, "--source");
  expect_refused({"bfs", "path:3", "--source", "0", "--colour"}, 2, "unknown option '--colour'");
  expect_refused({"bfs", "path:3", "--src", "0"}, 2, "unknown option '--src'; see 'brushfire bfs --help'");
  expect_refused({"bfs", "path:3", "--source", "x", "--colour=2"}, 2, "unknown option '--colour=2'");
  expect_refused({"bfs", "path:3", "path:4", "--source", "0"}, 2, "path:4");
  expect_refused({"bfs", "path:3", "--source", "0", "--source", "1"}, 2, "--source");
  expect_refused({"bfs", "path:3", "--source", "0", "-x"}, 2, "-x");
  expect_refused({"generate", "path:3"}, 2, "--output is required");
  expect_refused({"validate", "path:3", "--source", "0"}, 2, "--parents is required");
  expect_refused({"graph500"}, 2, "SCALE is required");
  expect_refused({"devices", "now"}, 2, "now");
}

TEST_F(OptionsTest, NumbersAreStrict)
{
  for (std::string const source : {"-1", "", "1,", ",1", "1,,2", "0x1", "1.0", "+1", " 1", "1 ", "1e3", "maximum",
                                   "9223372036854775808", "99999999999999999999999"})
    expect_refused({"bfs", "path:3", "--source", source}, 2, "--source");
  for (std::string const threads : {"0", "-2", "two", "1000000"})
    expect_refused({"bfs", "path:3", "--source", "0", "--threads", threads}, 2, "--threads");
  expect_refused({"bfs", "path:3", "--source", "0", "--trials", "0"}, 2, "--trials");
  expect_refused({"bfs", "path:3", "--source", "0", "--max-depth", "-1"}, 2, "--max-depth");
  expect_refused({"bfs", "path:3", "--source", "0", "--target", "x"}, 2, "--target");
  expect_refused({"bfs", "path:3", "--source", "0", "--seed", "x"}, 2, "--seed");
  expect_refused({"bfs", "path:3", "--source", "0", "--threshold", "many"}, 2, "--threshold");
  for (std::string const scale : {"0", "-1", "ten", "1.5", ""}) expect_refused({"graph500", scale}, 2, "SCALE");
  expect_refused({"graph500", "5", "0"}, 2, "EDGEFACTOR");
  expect_refused({"graph500", "5", "--roots", "0"}, 2, "--roots");
}

TEST_F(OptionsTest, ListsAreBinnedOnGpus)
{
  using Words = std::vector<std::string>;
  for (const Words& words : {Words{}, {"--preset", "adaptive"}, {"--preset", "butterfly", "--device", "cpu"}}) {
    Words arguments{"bfs", "path:3", "--source", "0", "--balance", "lrb"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    expect_refused(arguments, 2, "--balance lrb is how GPUs push that have blocks of a graph");
  }
}

TEST_F(OptionsTest, WhatSeveralDevicesDoNeedsSeveral)
{
  using Words = std::vector<std::string>;
  for (auto const& words : {Words{"--local-all2all"}, {"--uniquify"}, {"--reduce", "blocking"}}) {
    Words arguments{"bfs", "path:3", "--source", "0", "-q"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    expect_refused(arguments, 2, words[0] + " is about what devices send each other");
    arguments.insert(arguments.end(), {"--devices", "2"});
    EXPECT_EQ(run(arguments).code, 0) << words[0];
  }
  for (std::string const devices : {"0", "-1", "two", "100000"})
    expect_refused({"bfs", "path:3", "--source", "0", "--devices", devices}, 2, "--devices");
  expect_refused({"graph500", "5", "--preset", "delegates", "--partition", "1d"}, 2, "--partition 1d");
}

// Every device has a thread, and here the stacks of two take all the memory that is allowed.
// Stacks count before any thread is started.
TEST_F(OptionsTest, StacksThatALimitRefusesAreAMatterOfMemory)
{
  Launch launch;
  launch.launcher = {"/bin/sh", "-c", "ulimit -s 1000000 && ulimit -v 1500000 && exec \"$@\"", "sh"};
  auto const outcome =
      finish(start({"bfs", "path:9", "--source", "0", "--devices", "4", "--threads", "1", "-q"}, launch));
  EXPECT_EQ(outcome.code, 4) << outcome.err;
  ASSERT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
  EXPECT_NE(outcome.err.find("ulimit -v"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("fewer --devices"), std::string::npos) << outcome.err;
}

// A partition and an exchange that are published together are the preset of that name; what does not go together is
// refused with the reason.
TEST_F(OptionsTest, PartitionAndExchangeNameAPreset)
{
  using Words = std::vector<std::string>;
  auto const with = [](Words words) {
    Words arguments{"bfs", "kron:6", "--source", "0", "--devices", "4", "--device", "cpu", "-q", "--json", "-"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    return arguments;
  };
  for (auto const& [words, config] : {std::pair<Words, std::string>{{"--exchange", "ring"}, "\"preset\": \"ring\""},
                                      {{"--preset", "ring", "--partition", "1d"}, "\"exchange\": \"ring\""},
                                      {{"--exchange", "butterfly", "--fanout", "1"}, "\"fanout\": 1"},
                                      {{"--preset", "butterfly"}, "\"partition\": \"1d\""},
                                      {{"--partition", "2d"}, "\"exchange\": \"grid\""},
                                      {{"--preset", "grid", "--grid", "4x1"}, "\"rows\": 4"},
                                      {{"--exchange", "direct"}, "\"preset\": \"auto\""}}) {
    auto const outcome = run(with(words));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find(config), std::string::npos) << config << outcome.out;
  }
  for (auto const& [words, part] :
       {std::pair<Words, std::string>{{"--preset", "ring", "--exchange", "grid"}, "--exchange grid"},
        {{"--preset", "delegates", "--exchange", "butterfly"}, "--exchange butterfly"},
        {{"--exchange", "ring", "--partition", "2d"}, "--partition 2d"},
        {{"--exchange", "grid", "--partition", "1d"}, "--partition 1d"},
        {{"--preset", "butterfly", "--partition", "delegates"}, "has no delegates"},
        {{"--preset", "grid", "--threshold", "4"}, "--threshold"},
        {{"--preset", "ring", "--direction", "pull"}, "--direction pull"},
        {{"--preset", "grid", "--uniquify"}, "--uniquify"},
        {{"--preset", "ring", "--local-all2all"}, "--local-all2all"},
        {{"--preset", "ring", "--reduce", "blocking"}, "--reduce"},
        {{"--fanout", "4"}, "--fanout"},
        {{"--preset", "ring", "--fanout", "4"}, "--fanout"},
        {{"--preset", "butterfly", "--fanout", "0"}, "--fanout"},
        {{"--grid", "2x2"}, "--grid"},
        {{"--preset", "grid", "--grid", "3x2"}, "3x2"},
        {{"--preset", "grid", "--grid", "4"}, "--grid"},
        {{"--preset", "grid", "--grid", "0x4"}, "--grid"},
        {{"--preset", "star"}, "--preset"},
        {{"--exchange", "post"}, "--exchange"}})
    expect_refused(with(words), 2, part);
  expect_refused({"convert", "path:3", "-o", "p.el", "--partition", "2d"}, 2, "--partition 2d is for a search");
  for (std::string const command : {"bfs", "graph500"})
    EXPECT_NE(run({command, "--help"}).out.find("delegates|1d|2d"), std::string::npos) << command;
  for (std::string const command : {"info", "generate", "convert"})
    EXPECT_EQ(run({command, "--help"}).out.find("2d"), std::string::npos) << command;
}

// Where it had a choice: several devices, and nothing said that settles it.
TEST_F(OptionsTest, AutoSaysWhatItChoseAndWhy)
{
  using Words = std::vector<std::string>;
  auto const remarks = [&](Words words) {
    words.insert(words.end(), {"--no-progress", "--device", "cpu"});
    auto const outcome = run(words);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    std::size_t count = 0;
    for (auto const& line : lines_of(outcome.err)) count += line.starts_with("preset auto: ") ? 1 : 0;
    return count;
  };
  Words const bfs{"bfs", "uniform:8", "--source", "0"}, benchmark{"graph500", "6", "--roots", "2"};
  for (Words words : {bfs, benchmark}) {
    EXPECT_EQ(remarks(words), 0u);
    words.insert(words.end(), {"--devices", "2"});
    EXPECT_EQ(remarks(words), 1u);
    for (Words const& more : {Words{"-q"}, {"--preset", "delegates"}, {"--partition", "1d"}, {"--uniquify"}}) {
      Words settled = words;
      settled.insert(settled.end(), more.begin(), more.end());
      EXPECT_EQ(remarks(settled), 0u) << more[0];
    }
    words.push_back("--verbose");
    EXPECT_EQ(remarks(words), 1u);
  }
}

// The four subgraphs beside what the paper counts for them.
TEST_F(OptionsTest, VerboseSaysWhatSubgraphsTake)
{
  auto const err = [&](const std::string& preset) {
    return run({"bfs", "kron:8", "--source", "0", "--devices", "4", "--preset", preset, "--device", "cpu", "-v"}).err;
  };
  EXPECT_NE(err("delegates").find("KiB; by Table I of Pan, Pearce and Owens (8n + 8dp + 4m + 4|Enn|): "),
            std::string::npos);
  EXPECT_EQ(err("ring").find("Table I"), std::string::npos);
}

// Bytes by kind stand in the trace where there is somebody to send them to, and their sum with what the model allows.
TEST_F(OptionsTest, DevicesReportWhatTheySend)
{
  EXPECT_EQ(run({"graph500", "10", "--roots", "2", "--devices", "3", "--json", "r.json", "-q"}).code, 0);
  std::string const json = contents(file("r.json"));
  for (std::string const part :
       {"\"devices\": 3", "\"bytes_masks\"", "\"bytes_vertices\"", "\"bytes_parents\"", "\"traffic\"",
        "\"model_bytes\"", "\"subgraph_bytes_model\"", "\"local_all2all\": false", "\"reduce\": \"nonblocking\""})
    EXPECT_NE(json.find(part), json.npos) << part;
  EXPECT_EQ(run({"graph500", "10", "--roots", "2", "--json", "r.json", "-q"}).code, 0);
  EXPECT_EQ(contents(file("r.json")).find("traffic"), std::string::npos);
  auto const shared = run({"info", "kron:10", "--devices", "4", "-q"}).out;
  EXPECT_NE(shared.find("\n4 devices "), std::string::npos) << shared;
  EXPECT_NE(shared.find("by Table I of"), std::string::npos) << shared;
}

TEST_F(OptionsTest, AdaptiveIsOfferedEverywhere)
{
  for (std::string const command : {"bfs", "graph500"}) {
    auto const help = run({command, "--help"}).out;
    for (std::string const part : {"--frontier", "--balance", "--async-pull", "adaptive"})
      EXPECT_NE(help.find(part), std::string::npos) << part;
  }
  std::vector<std::string> const plain{"bfs", "kron:10",  "--source", "max-degree", "--validate", "--device",
                                       "cpu", "--preset", "adaptive", "--json",     "r.json",     "-q"};
  auto const report_of = [&](std::vector<std::string> words) {
    words.insert(words.begin(), plain.begin(), plain.end());
    EXPECT_EQ(run(words).code, 0);
    return contents(file("r.json"));
  };
  auto const has = [](const std::string& json, const std::string& part) { return json.find(part) != json.npos; };
  auto const free = report_of({});
  for (std::string const part : {"\"partition\": \"1d\"", "\"queue\": \"double-scan\"", "\"balance\": \"warp\"",
                                 "\"async_pull\": true", "\"device\": \"cpu\""})
    EXPECT_TRUE(has(free, part)) << part;
  for (std::string const balance : {"static", "thread", "donate"})
    EXPECT_TRUE(has(report_of({"--balance", balance}), "\"balance\": \"" + balance + '"'));
  for (std::string const queue : {"scan-free", "single-scan", "none"})
    EXPECT_TRUE(has(report_of({"--frontier", queue}), "\"queue\": \"" + queue + '"'));
  EXPECT_FALSE(has(report_of({"--async-pull", "off"}), "\"async_pull\": true"));
}

// Over the delegates partition, where each device makes its queues as it finds.
TEST_F(OptionsTest, AdaptiveRunsOnSeveralDevices)
{
  std::vector<std::string> const words{"bfs",      "kron:11",  "--source",   "max-degree", "--validate",
                                       "--preset", "adaptive", "--devices",  "3",          "--threshold",
                                       "16",       "--json",   "parts.json", "-q"};
  EXPECT_EQ(run(words).code, 0);
  auto const json = contents(file("parts.json"));
  for (std::string const part : {"\"threshold\": 16", "\"queue\": \"scan-free\"", "\"device\": \"cpu\"",
                                 "\"preset\": \"adaptive\"", "\"dd\": \"pull\""})
    EXPECT_NE(json.find(part), json.npos) << part;
  EXPECT_EQ(json.find("double-scan"), json.npos);
}

TEST_F(OptionsTest, UnknownChoicesAreRefused)
{
  for (std::string const option :
       {"--device", "--preset", "--partition", "--exchange", "--direction", "--frontier", "--balance", "--async-pull"})
    expect_refused({"bfs", "path:3", "--source", "0", option, "sideways"}, 2, option + ": 'sideways' is not one of");
}

// Where there is no GPU, or none that may be seen.
class WithoutGpuTest : public OptionsTest {
 protected:
  void SetUp() override
  {
    if (const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES")) visible_ = visible;
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    OptionsTest::SetUp();
  }
  void TearDown() override
  {
    OptionsTest::TearDown();
    if (visible_)
      setenv("CUDA_VISIBLE_DEVICES", visible_->c_str(), 1);
    else
      unsetenv("CUDA_VISIBLE_DEVICES");
  }

 private:
  std::optional<std::string> visible_;
};

TEST_F(WithoutGpuTest, CudaIsAFailureOfTheMachine)
{
  expect_refused({"bfs", "path:3", "--source", "0", "--device", "cuda"}, 1, "--device cuda: no usable GPU: ");
  expect_refused({"graph500", "5", "--device", "cuda"}, 1, "; use --device cpu");
}

TEST_F(WithoutGpuTest, AdaptiveTakesTheCpu)
{
  EXPECT_EQ(run({"bfs", "path:3", "--source", "0", "--preset", "adaptive"}).code, 0);
  EXPECT_EQ(run({"graph500", "5", "--preset", "adaptive", "--frontier", "none"}).code, 0);
  expect_refused({"bfs", "path:3", "--source", "0", "--preset", "adaptive", "--device", "cuda"}, 1,
                 "--device cuda: no usable GPU: ");
}

TEST_F(WithoutGpuTest, TheCpuIsTakenWithoutAWordUnlessAskedFor)
{
  std::vector<std::string> const plain{"bfs", "path:3", "--source", "0", "--no-progress"};
  EXPECT_EQ(run(plain).err, "");
  auto verbose = plain;
  verbose.emplace_back("--verbose");
  auto const told = run(verbose);
  EXPECT_EQ(told.code, 0);
  EXPECT_TRUE(told.err.starts_with("searching on the CPU: no usable GPU: ")) << told.err;
  verbose.insert(verbose.end(), {"--device", "cpu"});
  EXPECT_EQ(run(verbose).err.find("GPU"), std::string::npos);
}

TEST_F(WithoutGpuTest, ATransportBetweenGpusIsNotUsedByCpus)
{
  std::vector<std::string> const verbose{"bfs", "path:3", "--source", "0", "--no-progress", "--verbose"};
  setenv("BRUSHFIRE_TRANSPORT", "staged", 1);
  auto const told = run(verbose);
  EXPECT_EQ(told.code, 0);
  EXPECT_TRUE(told.err.starts_with("BRUSHFIRE_TRANSPORT=staged is not used: ")) << told.err;
  EXPECT_EQ(run({"bfs", "path:3", "--source", "0", "--no-progress"}).err, "");
  setenv("BRUSHFIRE_TRANSPORT", "pigeon", 1);
  expect_refused({"bfs", "path:3", "--source", "0"}, 2, "BRUSHFIRE_TRANSPORT=pigeon: must be");
  expect_refused({"graph500", "5", "--dry-run"}, 2, "BRUSHFIRE_TRANSPORT=pigeon: must be");
  unsetenv("BRUSHFIRE_TRANSPORT");
  EXPECT_EQ(run(verbose).err.find("BRUSHFIRE_TRANSPORT"), std::string::npos);
}

TEST_F(WithoutGpuTest, DevicesSaysWhyNot)
{
  auto const lines = lines_of(run({"devices"}).out);
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_TRUE(lines[0].starts_with("cpu   usable "));
  EXPECT_TRUE(lines[1].starts_with("numa  usable "));
  EXPECT_NE(lines[1].find("node"), std::string::npos);
  EXPECT_TRUE(lines[2].starts_with("cuda  not usable GPU: "));
  EXPECT_GT(lines[2].size(), std::string("cuda  not usable GPU: ").size());
  EXPECT_TRUE(lines[3].starts_with("mpi   "));
  EXPECT_TRUE(lines[4].starts_with("nccl  "));
  EXPECT_TRUE(lines[5].starts_with("rapl  "));
}

// Contradictions come first: they are the same on every machine.
TEST_F(OptionsTest, AdaptiveContradictionsAreRefused)
{
  auto const refused = [&](std::vector<std::string> words, const std::string& part, const std::string& other) {
    for (auto arguments : {std::vector<std::string>{"bfs", "path:3", "--source", "0"}, {"graph500", "5"}}) {
      arguments.insert(arguments.end(), words.begin(), words.end());
      expect_refused(arguments, 2, part);
      EXPECT_NE(run(arguments).err.find(other), std::string::npos);
    }
  };
  refused({"--preset", "adaptive", "--devices", "2", "--frontier", "none"}, "--frontier none", "is for one device");
  refused({"--preset", "adaptive", "--devices", "2", "--balance", "warp"}, "--balance warp", "is for one device");
  refused({"--preset", "adaptive", "--devices", "2", "--async-pull", "on"}, "--async-pull on", "is for one device");
  refused({"--preset", "adaptive", "--threshold", "64"}, "--preset adaptive", "--threshold");
  refused({"--preset", "adaptive", "--partition", "delegates"}, "--preset adaptive", "--partition delegates");
  refused({"--preset", "adaptive", "--frontier", "none", "--direction", "push"}, "--frontier none", "--direction push");
  for (std::string const balance : {"static", "thread", "warp", "donate"})
    refused({"--preset", "adaptive", "--direction", "push", "--balance", balance}, "--direction push pulls nothing",
            "--balance " + balance);
  for (std::string const choice : {"on", "off"})
    refused({"--preset", "adaptive", "--direction", "push", "--async-pull", choice}, "--direction push pulls nothing",
            "--async-pull " + choice);
  for (std::string const queue : {"scan-free", "single-scan"})
    refused({"--preset", "adaptive", "--direction", "pull", "--frontier", queue}, "--direction pull pushes nothing",
            "--frontier " + queue);
  refused({"--frontier", "scan-free"}, "--frontier scan-free", "--preset adaptive");
  refused({"--frontier", "none", "--preset", "auto"}, "--frontier none", "--preset adaptive");
  refused({"--balance", "static"}, "--balance static", "--preset adaptive");
  refused({"--async-pull", "on"}, "--async-pull on", "--preset adaptive");
  refused({"--async-pull", "off"}, "--async-pull off", "--preset adaptive");
}

TEST_F(OptionsTest, DefaultsMayBeSpelledOut)
{
  auto const outcome =
      run({"bfs",         "path:3", "--source",    "0",         "--device",   "cpu",    "--devices",   "1",
           "--preset",    "auto",   "--partition", "delegates", "--exchange", "direct", "--threshold", "auto",
           "--direction", "auto",   "--frontier",  "auto",      "--balance",  "auto",   "--seed",      "7"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST_F(OptionsTest, ContradictionsAreRefused)
{
  auto const refused = [&](std::vector<std::string> words, const std::string& part) {
    words.insert(words.begin(), {"bfs", "path:9"});
    expect_refused(words, 2, part);
  };
  refused({"--source", "0", "--validate", "--target", "3"}, "--target");
  refused({"--source", "0", "--validate", "--max-depth", "3"}, "--max-depth");
  refused({"--source", "0,1", "--levels", "l.txt"}, "--levels");
  refused({"--source", "0,1", "--parents", "p.npy"}, "--parents");
  refused({"--source", "random", "--trials", "2", "--parents", "p.npy"}, "--parents");
  refused({"--source", "0", "--partition", "1d", "--threshold", "3"}, "--threshold");
  refused({"--source", "0", "--devices", "2", "--partition", "1d", "--reduce", "blocking"}, "--reduce blocking");
  refused({"--source", "0", "--html", "-"}, "not stdout");
  refused({"--source", "0", "--quiet", "--verbose"}, "--verbose");
  refused({"--source", "0", "--levels", "levels.csv"}, "--levels");
  refused({"--source", "0", "--levels", "a.txt", "--parents", "a.txt"}, "a.txt");
  refused({"--source", "0", "--dry-run", "--html", "r.html"}, "--html");
  expect_refused({"graph500", "5", "--dry-run", "--html", "r.html"}, 2, "--html");
  expect_refused({"generate", "path:9", "-o", "p.el", "--raw", "--dry-run"}, 2, "--dry-run");
  expect_refused({"generate", "path:9", "-o", "p.el", "--raw", "--threshold", "3"}, 2, "--threshold");
  expect_refused({"generate", "path:9", "-o", "p.el", "--threshold", "auto", "--raw"}, 2, "--threshold");
  expect_refused({"generate", "path:9", "-o", "p.el", "--raw", "--partition", "1d"}, 2, "--partition");
  expect_refused({"generate", "roads.el", "-o", "p.el"}, 2, "convert");
  EXPECT_TRUE(files().empty());
}

TEST_F(OptionsTest, DevicesNamesTheCpu)
{
  auto const outcome = run({"devices"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.out.find("cpu"), std::string::npos);
  EXPECT_NE(outcome.out.find("usable"), std::string::npos);
}

}  // namespace

}  // namespace brushfire::testing
