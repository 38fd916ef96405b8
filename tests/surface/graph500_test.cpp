// brushfire graph500 as scripts meet it: the block on stdout, the files beside it, a run that is taken up again.
#include "surface/program.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <thread>

namespace brushfire::testing {

namespace {

using Json = nlohmann::json;

class Graph500Test : public ProgramTest {
 protected:
  // Lines that do not depend on how fast the machine is.
  static std::vector<std::string> lasting_lines(const std::string& block)
  {
    std::vector<std::string> lines;
    for (auto const& line : lines_of(block))
      if (line.find("nedge") != std::string::npos || line.starts_with("SCALE") || line.starts_with("NBFS") ||
          line.starts_with("edgefactor") || line.starts_with("conforming"))
        lines.push_back(line);
    return lines;
  }
};

TEST_F(Graph500Test, PrintsTheBlockAndNothingElse)
{
  auto const outcome = run({"graph500", "10"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  auto const lines = lines_of(outcome.out);
  ASSERT_EQ(lines.size(), 35u) << outcome.out;
  EXPECT_EQ(lines[0], "SCALE:                          10");
  EXPECT_EQ(lines[1], "edgefactor:                     16");
  EXPECT_EQ(lines[2], "NBFS:                           64");
  EXPECT_TRUE(lines[25].starts_with("bfs  harmonic_mean_TEPS:     !  ")) << lines[25];
  EXPECT_TRUE(lines[27].starts_with("bfs  min_validate:              0")) << lines[27];
  EXPECT_EQ(lines[34], "conforming: yes");
}

TEST_F(Graph500Test, WithoutValidationItIsMinusOne)
{
  auto const outcome = run({"graph500", "8", "4", "--roots", "5", "--no-validate", "--compact", "--json", "r.json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  auto const lines = lines_of(outcome.out);
  EXPECT_EQ(lines[1], "edgefactor:                     4");
  EXPECT_EQ(lines[2], "NBFS:                           5");
  EXPECT_EQ(lines[27], "bfs  min_validate:              -1");
  EXPECT_TRUE(lines[34].starts_with("conforming: no (")) << lines[34];
  auto const json = Json::parse(contents(file("r.json")));
  EXPECT_TRUE(json["searches"][0]["valid"].is_null());
  EXPECT_EQ(json["config"]["parent_bits"], 32);
}

TEST_F(Graph500Test, FewerCandidatesThanRoots)
{
  auto const outcome = run({"graph500", "3", "--roots", "64", "--json", "-"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  auto const searches = Json::parse(outcome.out)["searches"].size();
  EXPECT_GE(searches, 1u);
  EXPECT_LE(searches, 8u);
}

TEST_F(Graph500Test, WritesJsonAndAPage)
{
  auto const outcome = run({"graph500", "9", "--roots", "4", "--json", "r.json", "--html", "r.html", "-q"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  auto const json = Json::parse(contents(file("r.json")));
  EXPECT_EQ(json["command"], "graph500");
  ASSERT_EQ(json["searches"].size(), 4u);
  for (auto const& search : json["searches"]) EXPECT_EQ(search["valid"], true);
  EXPECT_EQ(json["config"]["parent_bits"], 64);
  EXPECT_TRUE(contents(file("r.html")).starts_with("<!DOCTYPE html>"));
  EXPECT_EQ(files(), (std::vector<std::string>{"r.html", "r.json"}));
}

TEST_F(Graph500Test, ResumesWhereItStopped)
{
  auto const whole = run({"graph500", "9", "--roots", "12"});
  ASSERT_EQ(whole.code, 0) << whole.err;
  auto const first = run({"graph500", "9", "--roots", "12", "--resume", "state"});
  ASSERT_EQ(first.code, 0) << first.err;
  // As if the run had been stopped while it wrote its last line.
  auto const state = contents(file("state"));
  write("state", state.substr(0, state.size() - 30));
  auto const again = run({"graph500", "9", "--roots", "12", "--resume", "state"});
  ASSERT_EQ(again.code, 0) << again.err;
  auto const third = run({"graph500", "9", "--roots", "12", "--resume", "state"});
  EXPECT_EQ(third.out, again.out);  // nothing was left to do: the same searches, to the last digit
  EXPECT_EQ(lasting_lines(again.out), lasting_lines(whole.out));
}

TEST_F(Graph500Test, WillNotMixSettings)
{
  ASSERT_EQ(run({"graph500", "8", "--roots", "3", "--resume", "state"}).code, 0);
  expect_refused({"graph500", "9", "--roots", "3", "--resume", "state", "-q"}, 2, "state");
}

// As a full disk: an empty file would be refused as no log when the run is started again.
TEST_F(Graph500Test, ALogThatCannotBeBegunIsNotLeftBehind)
{
  auto const outcome =
      finish(start({"graph500", "8", "--roots", "2", "--resume", "state", "-q"}, {.largest_file = 100}));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("state: cannot be written"), std::string::npos) << outcome.err;
  EXPECT_EQ(files(), std::vector<std::string>{});
}

// Both in one process each; what an empty one takes is no part of a plan.
TEST_F(Graph500Test, PlansOfManyDevicesSayWhatTheyTake)
{
  auto const report = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--json", "-", "-q"});
    return Json::parse(run(words).out);
  };
  auto const peak = [&](const std::vector<std::string>& words) {
    return report(words)["memory"]["host_peak_bytes"].get<double>();
  };
  double const program = peak({"bfs", "path:2", "--source", "0"});
  for (std::string const devices : {"2", "4", "16"}) {
    std::vector<std::string> words{"graph500", "18", "--roots", "1", "--device", "cpu", "--devices", devices};
    double const taken = peak(words) - program;
    words.push_back("--dry-run");
    double const planned = report(words)["plan"]["peak_bytes"];
    EXPECT_GT(planned, 0.85 * taken) << devices;
    EXPECT_LT(planned, 2.0 * taken) << devices;
  }
  auto const by_threads = [&](const std::string& threads) {
    return report({"bfs", "kron:18", "--source", "0", "--device", "cpu", "--threads", threads,
                   "--dry-run"})["plan"]["peak_bytes"]
        .get<double>();
  };
  EXPECT_LT(by_threads("1"), by_threads("16"));
  auto const many = report({"bfs", "tree:2x2", "--source", "0", "--devices", "1024", "--device", "cpu", "--dry-run"});
  EXPECT_LT(many["plan"]["peak_bytes"], 1 << 30);
}

TEST_F(Graph500Test, AScaleThatCannotFitIsAMemoryError)
{
  expect_refused({"graph500", "40", "--devices", "4", "--device", "cpu", "-q"}, 4,
                 "more than 4 devices can number; choose a smaller graph or at least 257 devices");
  expect_refused({"graph500", "42", "-q"}, 4, "");
  expect_refused({"graph500", "1000", "-q"}, 4, "");
}

TEST_F(Graph500Test, DryRunOnlyPlans)
{
  auto const fits = run({"graph500", "10", "--dry-run", "--resume", "state"});
  EXPECT_EQ(fits.code, 0) << fits.err;
  EXPECT_NE(fits.out.find("fits: yes"), std::string::npos) << fits.out;
  EXPECT_TRUE(files().empty());
  EXPECT_EQ(run({"bfs", "kron:10", "--source", "1", "--dry-run"}).code, 0);
  EXPECT_EQ(run({"info", "kron:10", "--dry-run"}).code, 0);
  EXPECT_EQ(run({"generate", "kron:10", "-o", "k.bfg", "--dry-run"}).code, 0);
  EXPECT_EQ(run({"convert", "kron:10", "-o", "k.bfg", "--dry-run"}).code, 0);
  EXPECT_TRUE(files().empty());
  auto const large = run({"graph500", "31", "1000", "--dry-run"});
  EXPECT_EQ(large.code, 4);
  EXPECT_EQ(lines_of(large.err).size(), 1u) << large.err;
}

TEST_F(Graph500Test, ThePlanIsAlsoJson)
{
  auto const both = run({"graph500", "10", "--dry-run", "--json", "plan.json"});
  EXPECT_EQ(both.code, 0) << both.err;
  EXPECT_NE(both.out.find("fits: yes"), std::string::npos) << both.out;
  auto const json = Json::parse(contents(file("plan.json")));
  EXPECT_EQ(json["schema"], "brushfire/1");
  EXPECT_EQ(json["command"], "graph500");
  EXPECT_EQ(json["plan"]["vertices"], 1024);
  EXPECT_EQ(json["plan"]["edges"], 16384);
  EXPECT_EQ(json["plan"]["fits"], true);
  EXPECT_FALSE(json["plan"]["items"].empty());
  EXPECT_EQ(files(), std::vector<std::string>{"plan.json"});

  auto const large = run({"graph500", "31", "1000", "--dry-run", "--json", "-"});
  EXPECT_EQ(large.code, 4);
  EXPECT_EQ(Json::parse(large.out)["plan"]["fits"], false);
  EXPECT_EQ(Json::parse(run({"bfs", "path:9", "--source", "0", "--dry-run", "--json", "-"}).out)["command"], "bfs");
  EXPECT_EQ(Json::parse(run({"info", "path:9", "--dry-run", "--json", "-"}).out)["plan"]["graph"], "path:9");
}

TEST_F(Graph500Test, AnInterruptedRunIsTakenUpAgain)
{
  std::vector<std::string> const command{"graph500", "14", "--resume", "log"};
  pid_t const child = start(command);
  constexpr std::size_t some = 4;  // the line of settings, and three searches
  for (int i = 0; i < 60000 && lines_of(contents(file("log"))).size() < some; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  kill(child, SIGINT);
  auto const stopped = finish(child);
  ASSERT_EQ(stopped.code, 130) << stopped.err;
  EXPECT_EQ(stopped.out, "");
  auto const before = lines_of(contents(file("log")));
  ASSERT_GE(before.size(), some);
  ASSERT_LT(before.size(), 65u) << "it was stopped too late";

  auto const resumed = run(command);
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  ASSERT_EQ(lines_of(resumed.out).size(), 35u) << resumed.out;
  EXPECT_EQ(lasting_lines(resumed.out), lasting_lines(run({"graph500", "14"}).out));
  auto const log = contents(file("log"));
  EXPECT_TRUE(log.ends_with("\n"));
  auto const after = lines_of(log);
  ASSERT_EQ(after.size(), 65u);
  for (auto const& line : after) EXPECT_TRUE(Json::accept(line)) << line;
  // What had been searched was kept; its last line may have been cut off by the signal.
  EXPECT_TRUE(std::equal(before.begin(), before.end() - 1, after.begin()));
  EXPECT_EQ(files(), std::vector<std::string>{"log"});
}

}  // namespace

// A finished log says how devices shared the graph as the run that wrote it did; another way is another run.
TEST_F(Graph500Test, ResumesOnlyTheSameExchange)
{
  std::vector<std::string> const asked{"graph500",  "8",        "--roots",  "2",     "--preset", "butterfly",
                                       "--devices", "3",        "--fanout", "1",     "--device", "cpu",
                                       "-q",        "--resume", "r.log",    "--json"};
  auto const with = [&](std::vector<std::string> more) {
    auto words = asked;
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  EXPECT_EQ(run(with({"first.json"})).code, 0);
  EXPECT_EQ(run(with({"again.json"})).code, 0);
  auto const config_of = [&](const char* name) {
    std::string const json = contents(file(name));
    auto const begin = json.find("\"config\"");
    return json.substr(begin, json.find('}', begin) - begin);
  };
  EXPECT_NE(config_of("first.json").find("\"exchange\": \"butterfly\""), std::string::npos);
  EXPECT_EQ(config_of("again.json"), config_of("first.json"));
  auto other = with({"other.json"});
  *std::find(other.begin(), other.end(), "1") = "2";
  EXPECT_EQ(run(other).code, 2);
}

}  // namespace brushfire::testing
