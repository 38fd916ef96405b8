// brushfire bench as scripts meet it: a table or JSON on stdout, a page beside it, and mistakes that name their option.
#include "surface/program.hpp"

#include "build/bfg.hpp"

#include <brushfire/machine.hpp>

#include <nlohmann/json.hpp>

namespace brushfire::testing {

namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

class BenchTest : public ProgramTest {};

TEST_F(BenchTest, ComparesSideBySide)
{
  auto const outcome = run({"bench",
                            "kron:8",
                            "path:20",
                            "--presets",
                            "auto,ring,adaptive",
                            "--devices",
                            "1,2",
                            "--directions",
                            "auto,pull",
                            "--roots",
                            "2",
                            "--rounds",
                            "2",
                            "--device",
                            "cpu",
                            "--json",
                            "b.json",
                            "--html",
                            "b.html",
                            "-q"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_NE(outcome.out.find("kron:8: 256 vertices, 4096 edges\n"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("it only pushes"), std::string::npos) << outcome.out;
  for (auto const& line : lines_of(outcome.out)) EXPECT_LE(line.size(), 130u) << line;
  auto const json = Json::parse(contents(file("b.json")));
  EXPECT_EQ(json["schema"], "brushfire/1");
  EXPECT_EQ(json["command"], "bench");
  EXPECT_EQ(json["valid"], true);
  EXPECT_EQ(json["roots"], 2);
  EXPECT_EQ(json["rounds"], 2);
  ASSERT_EQ(json["rows"].size(), 2u * 3 * 2 * 2);
  EXPECT_GT(json["rows"][0]["seconds"], 0);
  EXPECT_TRUE(contents(file("b.html")).starts_with("<!DOCTYPE html>"));
  EXPECT_EQ(files(), (Words{"b.html", "b.json"}));
}

TEST_F(BenchTest, TheModelOfThePaperStandsBesideTheBytes)
{
  auto const outcome = run({"bench", "kron:10", "--presets", "delegates,ring", "--devices", "4", "--rounds", "1",
                            "--device", "cpu", "--json", "b.json", "-q"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("delegates on 4 devices, direction auto: "), std::string::npos) << outcome.out;
  auto const rows = Json::parse(contents(file("b.json")))["rows"];
  EXPECT_GE(rows[0]["bytes_by_paper"], rows[0]["bytes_sent"].get<std::uint64_t>() / 2) << rows[0];
  EXPECT_TRUE(rows[1]["bytes_by_paper"].is_null());
}

TEST_F(BenchTest, JsonCanBeAllThereIs)
{
  auto const outcome =
      run({"bench", "path:9", "--quick", "--presets", "auto", "--devices", "1", "--no-validate", "--json", "-"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  auto const json = Json::parse(outcome.out);
  EXPECT_EQ(json["rows"].size(), 1u);
  EXPECT_TRUE(json["valid"].is_null());
  EXPECT_NE(outcome.err.find("measuring path:9"), std::string::npos) << outcome.err;
}

// The plan of kron:19 asks for 83 MiB, the built graph keeps nearly as much: one fits the limit, two do not.
TEST_F(BenchTest, WhatIsLargerThanTheMemoryIsMeasuredInGroups)
{
  if (built_with_cuda()) GTEST_SKIP() << "a driver takes address space of its own";
  Launch limited;
  limited.launcher = {"/bin/sh", "-c", "ulimit -v 135000; MALLOC_ARENA_MAX=1 exec \"$0\" \"$@\""};
  auto const outcome = finish(start({"bench", "kron:19", "--presets", "auto,delegates", "--devices", "1", "--roots",
                                     "1", "--rounds", "1", "--threads", "1", "--json", "-"},
                                    limited));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (auto const& row : Json::parse(outcome.out)["rows"]) EXPECT_FALSE(row["seconds"].is_null()) << row;
  auto const stages = lines_of(outcome.err);
  auto const builds = [](auto const& line) { return line.starts_with("building kron:19: 1 "); };
  EXPECT_EQ(std::count_if(stages.begin(), stages.end(), builds), 2) << outcome.err;
}

// A file that is whole by its checksums and whose lists contradict each other: a circle that can be walked one way
// only, and says that it is undirected. The last vertex has the root in its list, and is not one level from it.
TEST_F(BenchTest, AnInvalidSearchEndsItAndIsNamed)
{
  write("circle.el", "0 1\n1 2\n2 3\n3 4\n4 5\n5 6\n6 7\n7 8\n8 0\n");
  ASSERT_EQ(run({"convert", "circle.el", "--directed", "-o", "circle.bfg", "-q"}).code, 0);
  BfgGraph circle = open_bfg(file("circle.bfg"));
  circle.layout.directed = false;
  circle.layout.in = circle.layout.out;
  write_bfg(file("altered.bfg"), circle.layout, circle.labels, circle.counts);
  auto const bench = [](const std::string& graph, const std::string& preset, const std::string& direction) {
    return Words{"bench",    graph, "--presets", preset, "--devices", "1",      "--directions", direction,
                 "--rounds", "1",   "--device",  "cpu",  "-q",        "--json", "b.json"};
  };
  EXPECT_EQ(run(bench("circle.bfg", "auto", "auto")).code, 0);
  std::filesystem::remove(file("b.json"));
  for (std::string const preset : {"auto", "delegates"})
    for (std::string const direction : {"auto", "push", "pull"})
      expect_refused(
          bench("altered.bfg", preset, direction), 3,
          "validation failed: altered.bfg, preset " + preset + ", devices 1, direction " + direction + ": root ");
  EXPECT_EQ(files(), (Words{"altered.bfg", "circle.bfg", "circle.el"}));
}

TEST_F(BenchTest, RepeatsAPaper)
{
  auto const outcome = run({"bench", "--paper", "grid", "--scale", "9", "--roots", "1", "--rounds", "1", "--device",
                            "cpu", "--json", "p.json", "-q"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_NE(outcome.out.find("Table 3.1"), std::string::npos) << outcome.out;
  for (auto const& line : lines_of(outcome.out)) EXPECT_LE(line.size(), 130u) << line;
  auto const json = Json::parse(contents(file("p.json")));
  EXPECT_EQ(json["command"], "bench");
  EXPECT_EQ(json["paper"], "grid");
  EXPECT_EQ(json["graphs"][0]["name"], "kron:9");
  EXPECT_EQ(json["rows"][0]["paper"]["paper_push"], 27);
}

TEST_F(BenchTest, APaperSaysItselfWhatIsMeasured)
{
  for (const Words& other : {Words{"path:9"}, Words{"--presets", "auto"}, Words{"--devices", "1"},
                             Words{"--directions", "push"}, Words{"--quick"}, Words{"--directed"}}) {
    Words words{"bench", "--paper", "grid"};
    words.insert(words.end(), other.begin(), other.end());
    std::string const named = other.front().starts_with("--") ? other.front() : "a GRAPH";
    expect_refused(words, 2, "with " + named);
  }
  expect_refused({"bench", "--paper", "auto"}, 2, "--paper: 'auto' is not one of delegates");
  expect_refused({"bench", "--paper", "grid", "--scale", "7"}, 2, "--scale");
  expect_refused({"bench", "path:9", "--scale", "9"}, 2, "--paper");
  EXPECT_TRUE(files().empty());
}

TEST_F(BenchTest, MistakesNameTheirOption)
{
  for (std::string const value : {"", "auto,", "sideways", "auto,Ring"})
    expect_refused({"bench", "path:9", "--presets", value}, 2, "--presets: '");
  for (std::string const value : {"", "0", "1,", "1,two", "100000", "-1"})
    expect_refused({"bench", "path:9", "--devices", value}, 2, "--devices: '");
  for (std::string const value : {"", "up", "push,,pull"})
    expect_refused({"bench", "path:9", "--directions", value}, 2, "--directions: '");
  expect_refused({"bench", "path:9", "--roots", "0"}, 2, "--roots");
  expect_refused({"bench", "path:9", "--rounds", "x"}, 2, "--rounds");
  expect_refused({"bench", "path:9", "--preset", "auto"}, 2, "--preset");
  expect_refused({"bench", "path:9", "path:9"}, 2, "graph path:9 is named twice");
  expect_refused({"bench", "path:9", "--devices", "4,1,4"}, 2, "number of devices 4 is named twice");
  expect_refused({"bench", "path:9", "--presets", "ring,ring"}, 2, "preset ring is named twice");
  expect_refused({"bench", "path:9", "--directions", "auto,push,auto"}, 2, "direction auto is named twice");
  expect_refused({"bench", "kron:0"}, 2, "kron:0");
  expect_refused({"bench", "path:9", "missing.el"}, 5, "missing.el");
  expect_refused({"bench", "kron:40", "-q"}, 4, "kron:40");
  expect_refused({"bench", "path:9", "--presets", "ring", "--directions", "pull", "--device", "cpu", "-q"}, 2,
                 "it only pushes");
  expect_refused({"bench", "path:9", "--json", "x", "--html", "x"}, 2, "two outputs");
  expect_refused({"bench", "path:9", "--html", "no/such/folder.html"}, 1, "no/such");
  EXPECT_TRUE(files().empty());
}

}  // namespace

}  // namespace brushfire::testing
