// brushfire bfs as a user meets it: what it prints, what it writes, what it returns.
#include "surface/program.hpp"

#include <nlohmann/json.hpp>

namespace brushfire::testing {

namespace {

using Json = nlohmann::json;

class BfsTest : public ProgramTest {
 protected:
  bool says(const Outcome& outcome, const std::string& part) const
  {
    return outcome.code == 0 && outcome.out.find(part) != std::string::npos;
  }
};

TEST_F(BfsTest, PrintsOneLinePerSearch)
{
  auto const outcome = run({"bfs", "path:10", "--source", "0"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  ASSERT_EQ(lines_of(outcome.out).size(), 1u);
  EXPECT_TRUE(outcome.out.starts_with("root 0  reached 10  depth 9  nedge 9  ")) << outcome.out;
  EXPECT_NE(outcome.out.find("TEPS"), std::string::npos);
}

TEST_F(BfsTest, SeveralSearchesEndWithTheHarmonicMean)
{
  auto const lines = lines_of(run({"bfs", "path:10", "--source", "0,9,4", "--trials", "2"}).out);
  ASSERT_EQ(lines.size(), 7u);
  EXPECT_TRUE(lines[0].starts_with("root 0  "));
  EXPECT_TRUE(lines[1].starts_with("root 0  "));
  EXPECT_TRUE(lines[5].starts_with("root 4  reached 10  depth 5  "));
  EXPECT_TRUE(lines[6].starts_with("harmonic mean "));
}

TEST_F(BfsTest, JsonIsTheOnlyThingOnStdout)
{
  auto const outcome = run({"bfs", "path:10", "--source", "0,3", "--validate", "--json", "-"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  auto const json = Json::parse(outcome.out);
  EXPECT_EQ(json["schema"], "brushfire/1");
  EXPECT_EQ(json["command"], "bfs");
  EXPECT_EQ(json["graph"]["name"], "path:10");
  EXPECT_EQ(json["graph"]["vertices"], 10);
  EXPECT_EQ(json["graph"]["edges_stored"], 18);
  ASSERT_EQ(json["searches"].size(), 2u);
  EXPECT_EQ(json["searches"][1]["root"], 3);
  EXPECT_EQ(json["searches"][1]["reached"], 10);
  EXPECT_EQ(json["searches"][1]["depth"], 6);
  EXPECT_EQ(json["searches"][1]["valid"], true);
  EXPECT_EQ(json["searches"][0]["trace"][0]["level"], 0);
  EXPECT_EQ(json["searches"][0]["trace"][0]["frontier"], 1);
  EXPECT_GT(json["memory"]["host_peak_bytes"], 0);
}

TEST_F(BfsTest, ADryRunRefusesWhatTheRunWould)
{
  for (std::string const option : {"", "--dry-run"}) {
    auto const refused = [&](std::vector<std::string> arguments, int code, const std::string& part) {
      if (!option.empty()) arguments.push_back(option);
      expect_refused(arguments, code, part);
    };
    refused({"bfs", "path:9", "--source", "0,9", "-q"}, 2, "--source 9: there is no such vertex in path:9");
    refused({"bfs", "path:9", "--source", "8", "--target", "10", "-q"}, 2, "--target 10: there is no such vertex");
    refused({"bfs", "path:9", "--source", "8", "--levels", "nowhere/l.txt", "-q"}, 1, "nowhere/l.txt");
  }
  EXPECT_EQ(run({"bfs", "path:9", "--source", "8", "--levels", "l.txt", "--dry-run"}).code, 0);
  EXPECT_TRUE(files().empty());
}

// What the user said is no choice of the program's.
TEST_F(BfsTest, TheReasonOfAChoiceIsTheOptionThatWasGiven)
{
  auto const choice_of = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"bfs", "star:1000", "--source", "0", "-q", "--json", "-"});
    return Json::parse(run(options).out)["config"]["choice"].get<std::string>();
  };
  EXPECT_EQ(choice_of({"--devices", "2"}),
            "delegates: 1 vertex of degree above 1; 0.0 entries of a vertex lead to others");
  EXPECT_EQ(choice_of({"--devices", "2", "--partition", "1d"}), "1d: as asked for");
  EXPECT_EQ(choice_of({"--devices", "2", "--threshold", "1000"}), "1d: no vertex of degree above 1000, as asked for");
  EXPECT_EQ(
      choice_of({"--devices", "2", "--partition", "delegates", "--threshold", "5"}),
      "delegates, as asked for: 1 vertex of degree above 5, as asked for; 0.0 entries of a vertex lead to others");
}

TEST_F(BfsTest, JsonSaysNullWhenNothingWasValidated)
{
  ASSERT_EQ(run({"bfs", "star:10", "--source", "max-degree", "--json", "r.json"}).code, 0);
  auto const json = Json::parse(contents(file("r.json")));
  EXPECT_TRUE(json["searches"][0]["valid"].is_null());
  EXPECT_EQ(json["searches"][0]["root"], 0);
  EXPECT_EQ(files(), std::vector<std::string>{"r.json"});
}

TEST_F(BfsTest, TraceOfALongSearchIsShort)
{
  auto const outcome = run({"bfs", "path:20000", "--source", "0", "--json", "-"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  auto const trace = Json::parse(outcome.out)["searches"][0]["trace"];
  EXPECT_LE(trace.size(), 1000u);
  std::int64_t levels = 0, discovered = 0;
  for (auto const& record : trace) levels += record.value("levels", 1), discovered += record["discovered"].get<int>();
  EXPECT_GE(levels, 19999);
  EXPECT_EQ(discovered, 19999);
}

TEST_F(BfsTest, PrintsThePathToATarget)
{
  EXPECT_TRUE(says(run({"bfs", "path:10", "--source", "2", "--target", "5"}), "path of 3 edges: 2 -> 3 -> 4 -> 5\n"));
  EXPECT_TRUE(says(run({"bfs", "path:10", "--source", "2", "--target", "2"}), "path of 0 edges: 2\n"));
}

TEST_F(BfsTest, AnUnreachableTargetIsAnAnswer)
{
  write("two.el", "0 1\n5 6\n");
  EXPECT_TRUE(says(run({"bfs", "two.el", "--source", "0", "--target", "6"}), "6 is not reachable from 0\n"));
  EXPECT_TRUE(says(run({"bfs", "path:10", "--source", "0", "--target", "9", "--max-depth", "3"}),
                   "9 is not reachable from 0 within 3 levels\n"));
  write("oneway.el", "0 1\n1 2\n");
  EXPECT_TRUE(says(run({"bfs", "oneway.el", "--source", "2", "--target", "0", "--directed"}), "not reachable"));
  EXPECT_TRUE(says(run({"bfs", "oneway.el", "--source", "0", "--target", "2", "--directed"}), "0 -> 1 -> 2"));
}

TEST_F(BfsTest, JsonHasThePathToATarget)
{
  auto const searches = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "bfs");
    words.insert(words.end(), {"--json", "-"});
    auto const outcome = run(words);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return Json::parse(outcome.out)["searches"];
  };
  write("two.el", "0 10\n10 20\n5 6\n");
  auto const found = searches({"two.el", "--source", "0,20,5", "--target", "20"});
  EXPECT_EQ(found[0]["path"], (Json{0, 10, 20}));
  EXPECT_EQ(found[1]["path"], Json::array({20}));
  EXPECT_EQ(found[2]["path"], Json::array());
  EXPECT_FALSE(searches({"two.el", "--source", "0"})[0].contains("path"));
}

TEST_F(BfsTest, MaxDepthStops)
{
  EXPECT_TRUE(says(run({"bfs", "path:10", "--source", "0", "--max-depth", "3"}), "reached 4  depth 3"));
  EXPECT_TRUE(says(run({"bfs", "path:10", "--source", "0", "--max-depth", "0"}), "reached 1  depth 0"));
}

TEST_F(BfsTest, VerticesThatAreNotThereAreUsageErrors)
{
  expect_refused({"bfs", "path:10", "--source", "10", "-q"}, 2, "10");
  expect_refused({"bfs", "path:10", "--source", "0,77", "-q"}, 2, "77");
  expect_refused({"bfs", "path:10", "--source", "0", "--target", "12", "-q"}, 2, "12");
}

TEST_F(BfsTest, AnIsolatedSourceIsLegal)
{
  write("loop.el", "3 3\n1 2\n");
  EXPECT_TRUE(says(run({"bfs", "loop.el", "--source", "3", "--validate"}), "root 3  reached 1  depth 0  nedge 0"));
}

TEST_F(BfsTest, WritesLevelsAndParentsInLabels)
{
  write("sparse.el", "1000000000000 7\n7 20\n3 4\n");
  ASSERT_EQ(run({"bfs", "sparse.el", "--source", "7", "--levels", "l.txt", "--parents", "p.txt"}).code, 0);
  EXPECT_EQ(contents(file("l.txt")), "3 -1\n4 -1\n7 0\n20 1\n1000000000000 1\n");
  EXPECT_EQ(contents(file("p.txt")), "3 -1\n4 -1\n7 7\n20 7\n1000000000000 7\n");
  EXPECT_EQ(files(), (std::vector<std::string>{"l.txt", "p.txt", "sparse.el"}));
}

TEST_F(BfsTest, WhatItWritesItValidates)
{
  for (std::string const name : {"p.txt", "p.npy"}) {
    ASSERT_EQ(run({"bfs", "kron:8", "--source", "max-degree", "--parents", name, "--json", "r.json"}).code, 0);
    auto const root = Json::parse(contents(file("r.json")))["searches"][0]["root"].get<std::int64_t>();
    auto const good = run({"validate", "kron:8", "--source", std::to_string(root), "--parents", name});
    EXPECT_EQ(good.code, 0) << good.err;
    EXPECT_TRUE(good.out.starts_with("valid  root "));
  }
}

TEST_F(BfsTest, AWrongParentIsAValidationFailure)
{
  write("p.txt", "0 0\n1 0\n2 0\n3 2\n");  // 2 is no neighbour of 0
  expect_refused({"validate", "path:4", "--source", "0", "--parents", "p.txt", "-q"}, 3, "rule ");
  write("p.txt", "0 0\n1 0\n2 1\n3 -1\n");  // 3 is left out
  expect_refused({"validate", "path:4", "--source", "0", "--parents", "p.txt", "-q"}, 3, "rule ");
  write("p.txt", "0 0\n1 0\n2 1\n3 2\n");
  EXPECT_EQ(run({"validate", "path:4", "--source", "0", "--parents", "p.txt", "-q"}).code, 0);
}

TEST_F(BfsTest, RandomSourcesFollowTheSeed)
{
  auto const roots = [&](const std::string& seed) {
    auto const outcome = run({"bfs", "kron:10", "--source", "random", "--trials", "8", "--seed", seed, "--json", "-"});
    auto const json = Json::parse(outcome.out);
    std::vector<std::int64_t> found;
    for (auto const& search : json["searches"]) found.push_back(search["root"].get<std::int64_t>());
    return found;
  };
  auto const first = roots("5");
  EXPECT_EQ(first.size(), 8u);
  EXPECT_EQ(first, roots("5"));
  EXPECT_NE(first, roots("6"));
}

TEST_F(BfsTest, VerboseShowsLevelsOnStderr)
{
  auto const outcome = run({"bfs", "path:5", "--source", "0", "-v"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.err.find("edges checked"), std::string::npos);
  EXPECT_EQ(lines_of(outcome.out).size(), 1u);
}

TEST_F(BfsTest, QuietMeansAnEmptyStderr)
{
  EXPECT_EQ(run({"bfs", "kron:10", "--source", "max-degree", "--validate", "--quiet"}).err, "");
  EXPECT_EQ(run({"bfs", "kron:10", "--source", "max-degree", "--validate", "--no-progress"}).err, "");
}

TEST_F(BfsTest, DirectionAndLayoutDoNotChangeTheAnswer)
{
  ASSERT_EQ(run({"bfs", "kron:9", "--source", "max-degree", "--levels", "auto.txt"}).code, 0);
  auto const expected = contents(file("auto.txt"));
  using Words = std::vector<std::string>;
  for (auto const& words : {Words{"--direction", "push"},
                            {"--direction", "pull"},
                            {"--partition", "1d"},
                            {"--threshold", "4"},
                            {"--threads", "1"},
                            {"--threads", "3"},
                            {"--deterministic"}}) {
    Words arguments{"bfs", "kron:9", "--source", "max-degree", "--levels", "l.txt", "--validate"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    auto const outcome = run(arguments);
    ASSERT_EQ(outcome.code, 0) << words[0] << outcome.err;
    EXPECT_EQ(contents(file("l.txt")), expected) << words[0];
  }
}

TEST_F(BfsTest, AGraphWithoutVerticesHasNoLargestDegree)
{
  write("none.graph", "0 0\n");
  expect_refused({"bfs", "none.graph", "--source", "max-degree", "-q"}, 2, "none.graph has no vertices");
  auto const text = run({"info", "none.graph"});
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("labels none\n"), std::string::npos) << text.out;
  EXPECT_EQ(text.out.find("-1"), std::string::npos) << text.out;
  auto const summary = Json::parse(run({"info", "none.graph", "--json", "-"}).out)["summary"];
  EXPECT_TRUE(summary["smallest_label"].is_null());
  EXPECT_TRUE(summary["largest_degree_vertex"].is_null());
}

TEST_F(BfsTest, InfoExplainsTheLayout)
{
  auto const info = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"info", "kron:10"});
    return run(words).out;
  };
  auto const advice = "nn entries are 10 % or more of all: try a --threshold lower than 200\n";
  EXPECT_NE(info({"--threshold", "200"}).find(advice), std::string::npos);
  EXPECT_EQ(info({"--threshold", "2"}).find("nn entries are"), std::string::npos);
  EXPECT_EQ(info({"--partition", "1d"}).find("nn entries are"), std::string::npos);  // all are nn, by request

  auto const directed = "directed: push follows out-neighbours, pull follows the stored transpose\n";
  EXPECT_NE(info({"--directed"}).find(directed), std::string::npos);
  EXPECT_NE(info({"--devices", "4"}).find("memory plan for kron:10 on 4 devices: "), std::string::npos);
  EXPECT_EQ(info({}).find("transpose"), std::string::npos);
}

TEST_F(BfsTest, InfoSaysWhatTheGraphIs)
{
  auto const text = run({"info", "star:10"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("largest 9 (vertex 0)"), std::string::npos) << text.out;
  auto const outcome = run({"info", "star:10", "--json", "-"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  auto const json = Json::parse(outcome.out);
  EXPECT_EQ(json["command"], "info");
  EXPECT_EQ(json["graph"]["edges_stored"], 18);
  EXPECT_EQ(json["summary"]["components"], 1);
  EXPECT_EQ(json["summary"]["largest_degree"], 9);
  EXPECT_GT(json["plan"]["peak_bytes"], 0);
}

}  // namespace

}  // namespace brushfire::testing
