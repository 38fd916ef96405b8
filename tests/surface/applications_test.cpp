// The commands that answer what searches are asked for, and the examples that show how to ask the library.
#include "surface/program.hpp"

#include <nlohmann/json.hpp>

namespace brushfire::testing {

namespace {

class ApplicationsTest : public ProgramTest {
 protected:
  void SetUp() override
  {
    ProgramTest::SetUp();
    write("friends.el", "1 2\n2 3\n3 4\n4 1\n4 5\n7 8\n");
  }

  // What an example prints; the examples are built beside the program.
  Outcome run_example(const std::string& name, const std::vector<std::string>& arguments) const
  {
    Launch launch;
    auto const folder_of_examples = std::filesystem::path(BRUSHFIRE_PROGRAM).parent_path() / "examples";
    launch.launcher = {"/bin/sh", "-c", "shift; exec \"$0\" \"$@\"", (folder_of_examples / name).string()};
    return finish(start(arguments, launch));
  }
};

TEST_F(ApplicationsTest, ComponentsAreCountedAndWritten)
{
  auto const outcome = run({"components", "friends.el", "-o", "c.txt", "--json", "r.json", "-q"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            "components  2\nlargest  5 vertices, 1 the smallest label\n\n        vertices       components\n"
            "               5                1\n               2                1\n");
  EXPECT_EQ(contents(file("c.txt")), "1 1\n2 1\n3 1\n4 1\n5 1\n7 7\n8 7\n");
  auto const json = nlohmann::json::parse(contents(file("r.json")));
  EXPECT_EQ(json["schema"], "brushfire/1");
  EXPECT_EQ(json["command"], "components");
  EXPECT_EQ(json["components"]["count"], 2);
  EXPECT_EQ(json["components"]["largest"]["vertices"], 5);
  EXPECT_TRUE(run({"components", "friends.el", "--directed", "-q"}).out.starts_with("weak components  2\n"));
}

TEST_F(ApplicationsTest, DiametersAreBounded)
{
  auto const outcome = run({"diameter", "path:100", "--json", "-", "-q"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  auto const json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["command"], "diameter");
  EXPECT_EQ(json["diameter"]["lower"], 99);
  EXPECT_EQ(json["diameter"]["exact"], true);
  EXPECT_TRUE(run({"diameter", "friends.el", "--component", "8", "-q"}).out.starts_with("diameter   1\n"));
  EXPECT_TRUE(
      run({"diameter", "cycle:64", "--searches", "1", "-q"}).out.starts_with("diameter   at least 32, at most "));
}

TEST_F(ApplicationsTest, ClosenessOfASample)
{
  auto const outcome = run({"closeness", "star:9", "--sample", "9", "--seed", "3", "--json", "-", "-q"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  auto const json = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(json["closeness"].size(), 9u);
  for (auto const& one : json["closeness"]) {
    bool const center = one["depth"] == 1;
    EXPECT_EQ(one["vertex"] == 0, center);
    EXPECT_DOUBLE_EQ(one["harmonic"].get<double>(), center ? 8 : 4.5);
    EXPECT_DOUBLE_EQ(one["closeness"].get<double>(), center ? 1 : 8.0 / 15);
  }
  EXPECT_EQ(run({"closeness", "kron:8", "--sample", "5", "-q"}).out,
            run({"closeness", "kron:8", "--sample", "5", "-q"}).out);
  auto const few = run({"closeness", "path:3", "--sample", "9", "--no-progress"});
  EXPECT_EQ(few.code, 0);
  EXPECT_NE(few.err.find("3 vertices have an edge"), std::string::npos) << few.err;
}

TEST_F(ApplicationsTest, MistakesAreNamed)
{
  expect_refused({"components", "friends.el", "-o", "c.csv", "-q"}, 2, "-o c.csv: the name must end in .txt or .npy");
  expect_refused({"components", "friends.el", "-o", "nowhere/c.txt", "-q"}, 1, "nowhere/c.txt");
  expect_refused({"components", "missing.el", "-q"}, 5, "missing.el");
  expect_refused({"diameter", "friends.el", "--component", "6", "-q"}, 2, "--component 6: there is no such vertex");
  expect_refused({"diameter", "friends.el", "--directed", "-q"}, 2, "--directed");
  expect_refused({"diameter", "friends.el", "--devices", "2", "-q"}, 2, "--devices");
  expect_refused({"closeness", "friends.el", "--sample", "0", "-q"}, 2, "--sample");
  expect_refused({"closeness", "path:1", "-q"}, 2, "no vertex of this graph has an edge");
}

// What does not fit is refused before anything is built, with what it needs.
TEST_F(ApplicationsTest, ADryRunOnlyPlans)
{
  for (std::string const command : {"components", "diameter", "closeness"}) {
    auto const outcome = run({command, "kron:10", "--dry-run", "--json", "p.json", "-q"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(outcome.out.starts_with("memory plan for kron:10 on 1 device: 1024 vertices, 16384 edges"))
        << outcome.out;
    EXPECT_EQ(outcome.out.find("validation"), std::string::npos) << outcome.out;
    auto const json = nlohmann::json::parse(contents(file("p.json")));
    EXPECT_EQ(json["command"], command);
    EXPECT_GT(json["plan"]["peak_bytes"].get<std::uint64_t>(), 1024u * 100);
    EXPECT_EQ(run({command, "kron:40", "--dry-run", "-q"}).code, 4) << command;
  }
  EXPECT_NE(run({"components", "kron:10", "--dry-run"}).out.find("joining"), std::string::npos);
  EXPECT_NE(run({"closeness", "kron:10", "--dry-run"}).out.find("64 searches at once"), std::string::npos);
  EXPECT_NE(run({"diameter", "friends.el", "--dry-run"}).out.find("7 vertices, 6 edges"), std::string::npos);
}

TEST_F(ApplicationsTest, OneOfAThingIsCalledSo)
{
  write("pair.el", "1 2\n");
  EXPECT_EQ(run({"components", "pair.el", "-q"}).out.substr(0, 52),
            "components  1\nlargest  2 vertices, 1 the smallest la");
  EXPECT_TRUE(run({"diameter", "pair.el", "-q"}).out.find("1 edge apart") != std::string::npos);
  EXPECT_NE(run({"bfs", "pair.el", "--source", "1", "--target", "2", "-q"}).out.find("path of 1 edge: 1 -> 2"),
            std::string::npos);
  EXPECT_NE(run({"bfs", "pair.el", "--source", "1"}).err.find("placing edges: 1 edge in"), std::string::npos);
}

TEST_F(ApplicationsTest, ExamplesRun)
{
  EXPECT_EQ(run_example("components", {"friends.el", "3", "8"}).out,
            "2 components\n1 of 5 vertices\n1 of 2 vertices\n3 is in the component of 1\n8 is in the component of 7\n");
  EXPECT_EQ(run_example("path", {"friends.el", "2", "5"}).out.substr(0, 5), "2 -> ");
  EXPECT_EQ(run_example("path", {"friends.el", "2", "8"}).out, "there is no way from 2 to 8\n");
  EXPECT_EQ(run_example("path", {"friends.el", "2", "6"}).code, 2);
  EXPECT_EQ(run_example("diameter", {"path:4"}).out, "between 3 and 3 edges: 0 1 2 3\n");
  EXPECT_EQ(run_example("closeness", {"cycle:5", "1"}).out.substr(1),
            " reaches 5 vertices, on average 1.5 edges away\n");
  EXPECT_EQ(run_example("closeness", {}).code, 2);
  EXPECT_TRUE(run_example("many_sources", {"kron:8", "64", "1"}).out.starts_with("64 sources, medians of 1 round"));
  EXPECT_EQ(run_example("many_sources", {"kron:8", "0"}).code, 2);
}

}  // namespace

}  // namespace brushfire::testing
