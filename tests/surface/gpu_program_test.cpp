// The program on a machine with a GPU: it is found, taken, used as asked for, and gives the answers of the CPU.
#include "gpu.hpp"
#include "surface/program.hpp"

#include <nlohmann/json.hpp>

#include <set>

namespace brushfire::testing {

namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

Words joined(Words words, const Words& more)
{
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

class GpuProgram : public NeedsGpu<ProgramTest> {
 protected:
  Json report(Words words) const
  {
    words.insert(words.end(), {"--json", "-", "--no-progress"});
    auto const outcome = run(words);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    for (auto const& line : lines_of(outcome.err)) EXPECT_TRUE(line.starts_with("preset auto: ")) << line;
    return Json::parse(outcome.out, nullptr, false);
  }

  // The levels of the first search that went in this direction. There must be some.
  static Json levels_of(const Json& report, const std::string& direction)
  {
    Json levels = Json::array();
    for (auto const& level : report["searches"][0]["trace"])
      if (level["direction"] == direction) levels.push_back(level);
    EXPECT_FALSE(levels.empty()) << "no " << direction;
    return levels;
  }

  static std::set<Json> values_of(const Json& objects, const char* key)
  {
    std::set<Json> values;
    for (auto const& object : objects) values.insert(object.value(key, Json()));
    return values;
  }
};

TEST_F(GpuProgram, ListsIt)
{
  auto const lines = lines_of(run({"devices"}).out);
  ASSERT_GE(lines.size(), 2u);
  EXPECT_NE(run({"devices"}).out.find("cuda  usable     "), std::string::npos);
  EXPECT_NE(run({"devices"}).out.find("multiprocessors"), std::string::npos);
}

TEST_F(GpuProgram, TakesItUnlessToldOtherwise)
{
  auto const taken = report({"bfs", "kron:10", "--source", "1", "--validate"});
  EXPECT_EQ(taken["config"]["device"], "cuda");
  EXPECT_FALSE(taken["host"]["gpus"].empty());
  EXPECT_EQ(taken["searches"][0]["valid"], true);
  EXPECT_TRUE(taken["searches"][0].contains("seconds_to_host"));
  EXPECT_GT(taken["memory"]["device_bytes"], 0);

  auto const left = report({"bfs", "kron:10", "--source", "1", "--device", "cpu"});
  EXPECT_EQ(left["config"]["device"], "cpu");
  EXPECT_FALSE(left["searches"][0].contains("seconds_to_host"));
  EXPECT_EQ(left["memory"]["device_bytes"], 0);
  for (auto const* key : {"nedge", "reached", "depth"}) EXPECT_EQ(taken["searches"][0][key], left["searches"][0][key]);
}

TEST_F(GpuProgram, MeasuresItsMemoryAndWhereItCanItsEnergy)
{
  auto const json = report({"graph500", "16", "--roots", "4"});
  EXPECT_GT(json["host"]["gpu_memory_bandwidth"].get<double>(), 1e11);
  EXPECT_EQ(json["plan"]["memory"], "GPU memory");
  if (!json.contains("energy")) return;  // no NVML here
  EXPECT_GT(json["energy"]["joules"], 0);
  EXPECT_GT(json["energy"]["teps_per_watt"], 0);
  EXPECT_GE(json["energy"]["seconds"], 1);
}

TEST_F(GpuProgram, LetsDevicesShareIt)
{
  auto const shared = report({"bfs", "kron:10", "--source", "1", "--devices", "3", "--validate"});
  EXPECT_EQ(shared["config"]["device"], "cuda");
  EXPECT_EQ(shared["config"]["devices"], 3);
  EXPECT_EQ(shared["searches"][0]["valid"], true);
  EXPECT_GT(shared["memory"]["device_bytes"], 0);
  auto const alone = report({"bfs", "kron:10", "--source", "1", "--device", "cuda"});
  for (auto const* key : {"nedge", "reached", "depth"})
    EXPECT_EQ(shared["searches"][0][key], alone["searches"][0][key]);
}

TEST_F(GpuProgram, WritesWhatTheCpuWrites)
{
  write("sparse.el", "7 900000000000\n900000000000 3\n3 7\n3 12\n12 40\n41 42\n");
  for (std::string const graph : {"kron:11", "grid:20x30", "sparse.el"}) {
    for (std::string const device : {"cpu", "cuda"})
      EXPECT_EQ(run({"bfs", graph, "--source", graph == "sparse.el" ? "7" : "5", "--deterministic", "--device", device,
                     "--parents", device + "-parents.txt", "--levels", device + "-levels.txt", "-q"})
                    .code,
                0);
    EXPECT_EQ(contents(file("cuda-parents.txt")), contents(file("cpu-parents.txt"))) << graph;
    EXPECT_EQ(contents(file("cuda-levels.txt")), contents(file("cpu-levels.txt"))) << graph;
  }
}

TEST_F(GpuProgram, FindsPaths)
{
  auto const found = report({"bfs", "grid:30x30", "--source", "0", "--target", "899", "--device", "cuda"});
  EXPECT_EQ(found["searches"][0]["path"].size(), 59u);
}

TEST_F(GpuProgram, RunsTheBenchmark)
{
  for (std::string const preset : {"auto", "adaptive"}) {
    auto const run = report({"graph500", "12", "--roots", "8", "--preset", preset});
    EXPECT_EQ(run["config"]["device"], "cuda");
    EXPECT_EQ(run["config"]["preset"], preset);
    EXPECT_EQ(run["config"]["parent_bits"], 64);
    EXPECT_EQ(run["graph500"]["conforming"], true);
    ASSERT_EQ(run["searches"].size(), 8u);
    for (auto const& search : run["searches"]) EXPECT_EQ(search["valid"], true);
  }
}

TEST_F(GpuProgram, RunsTheBenchmarkInParts)
{
  Words const words{"graph500", "12", "--roots", "8", "--devices", "3"};
  auto const expected = report(joined(words, {"--device", "cpu"}));
  auto const run = report(joined(words, {"--device", "cuda"}));
  EXPECT_EQ(run["graph500"]["conforming"], true);
  EXPECT_EQ(run["graph"]["edges_stored"], expected["graph"]["edges_stored"]);
  EXPECT_GT(run["graph"]["generation_seconds"], 0);
  ASSERT_EQ(run["searches"].size(), 8u);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(run["searches"][i]["valid"], true);
    for (auto const* key : {"root", "nedge", "reached", "depth"})
      EXPECT_EQ(run["searches"][i][key], expected["searches"][i][key]);
  }
}

// Half the bytes for parents, no tuples kept, and it says so; the same searches find the same.
TEST_F(GpuProgram, RunsTheCompactBenchmark)
{
  Words const words{"graph500", "12", "--roots", "8"};
  auto const expected = report(joined(words, {"--device", "cpu"}));
  for (std::string const preset : {"auto", "adaptive"}) {
    SCOPED_TRACE(preset);
    auto const run = report(joined(words, {"--compact", "--preset", preset}));
    EXPECT_EQ(run["config"]["device"], "cuda");
    EXPECT_EQ(run["config"]["parent_bits"], 32);
    EXPECT_EQ(run["graph500"]["conforming"], false);
    EXPECT_FALSE(run["graph500"]["reasons"].empty());
    ASSERT_EQ(run["searches"].size(), 8u);
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_EQ(run["searches"][i]["valid"], true);
      for (auto const* key : {"root", "nedge", "reached", "depth"})
        EXPECT_EQ(run["searches"][i][key], expected["searches"][i][key]) << key << ' ' << i;
    }
  }
}

TEST_F(GpuProgram, SearchesReopenedFiles)
{
  EXPECT_EQ(run({"generate", "kron:10", "-o", "k.bfg", "-q"}).code, 0);
  auto const stored = report({"bfs", "k.bfg", "--source", "1", "--validate"});
  auto const made = report({"bfs", "kron:10", "--source", "1"});
  EXPECT_EQ(stored["config"]["device"], "cuda");
  EXPECT_EQ(stored["searches"][0]["reached"], made["searches"][0]["reached"]);
}

TEST_F(GpuProgram, AdaptsAsToldAndSaysHow)
{
  Words const words{"bfs", "kron:12", "--source", "max-degree", "--validate", "--preset", "adaptive"};
  auto const free = report(words);
  EXPECT_EQ(free["config"]["frontier"], "auto");
  EXPECT_EQ(free["config"]["partition"], "1d");
  EXPECT_EQ(levels_of(free, "push")[0]["queue"], "scan-free");
  EXPECT_EQ(levels_of(free, "pull")[0]["queue"], "double-scan");
  EXPECT_EQ(levels_of(free, "pull")[0]["async_pull"], true);

  for (std::string const queue : {"scan-free", "single-scan", "double-scan", "none"}) {
    auto const forced = report(joined(words, {"--frontier", queue}));
    EXPECT_EQ(forced["config"]["frontier"], queue);
    EXPECT_EQ(forced["searches"][0]["valid"], true);
    auto const asks = queue == "none" ? "pull" : "push";  // without a queue there is nothing to push from
    EXPECT_EQ(values_of(levels_of(forced, asks), "queue"), std::set<Json>{queue});
  }
  for (std::string const balance : {"static", "thread", "warp", "donate"}) {
    bool const async = balance == "thread" || balance == "donate";
    auto const forced =
        report(joined(words, {"--direction", "pull", "--balance", balance, "--async-pull", async ? "on" : "off"}));
    EXPECT_EQ(forced["config"]["balance"], balance);
    EXPECT_EQ(forced["config"]["async_pull"], async);
    EXPECT_EQ(forced["searches"][0]["valid"], true);
    auto const pulls = levels_of(forced, "pull");
    EXPECT_EQ(pulls.size(), forced["searches"][0]["trace"].size());
    EXPECT_EQ(values_of(pulls, "balance"), std::set<Json>{balance});
    EXPECT_EQ(values_of(pulls, "async_pull"), std::set<Json>{async});
  }
}

// With a limit in sight nobody is found ahead, and nothing beyond it is in the tree.
TEST_F(GpuProgram, StopsWhereToldTo)
{
  for (std::string const preset : {"auto", "adaptive"}) {
    SCOPED_TRACE(preset);
    auto const path =
        report({"bfs", "path:50", "--source", "0", "--max-depth", "3", "--preset", preset})["searches"][0];
    EXPECT_EQ(path["reached"], 4);
    EXPECT_EQ(path["depth"], 3);
    EXPECT_EQ(path["trace"].size(), 3u);
    auto const none =
        report({"bfs", "path:50", "--source", "0", "--max-depth", "0", "--preset", preset})["searches"][0];
    EXPECT_EQ(none["reached"], 1);
    EXPECT_EQ(none["trace"].size(), 0u);
    auto const found = report({"bfs", "path:50", "--source", "0", "--target", "7", "--preset", preset})["searches"][0];
    EXPECT_EQ(found["path"].size(), 8u);
    EXPECT_EQ(found["depth"], 7);
  }
  Words const words{"bfs", "kron:12", "--source", "max-degree", "--max-depth", "2"};
  auto const limited = report(joined(words, {"--preset", "adaptive", "--direction", "pull"}));
  auto const expected = report(joined(words, {"--device", "cpu"}));
  EXPECT_EQ(limited["searches"][0]["reached"], expected["searches"][0]["reached"]);
  auto const pulls = levels_of(limited, "pull");
  ASSERT_EQ(pulls.size(), 2u);
  EXPECT_EQ(pulls[0]["async_pull"], true);
  EXPECT_EQ(pulls[1]["async_pull"], false);
}

TEST_F(GpuProgram, GoesAlongTheArrows)
{
  write("arrows.el", "0 1\n1 2\n2 3\n3 0\n4 0\n3 5\n");
  Words const words{"bfs", "kron:11", "--directed", "--source", "max-degree", "--validate"};
  auto const expected = report(joined(words, {"--device", "cpu"}))["searches"][0];
  for (std::string const preset : {"auto", "adaptive"}) {
    SCOPED_TRACE(preset);
    auto const few = report({"bfs", "arrows.el", "--directed", "--source", "0,4,5", "--validate", "--preset", preset});
    EXPECT_EQ(values_of(few["searches"], "valid"), std::set<Json>{true});
    EXPECT_EQ(few["searches"][0]["reached"], 5);
    EXPECT_EQ(few["searches"][1]["reached"], 6);
    EXPECT_EQ(few["searches"][2]["reached"], 1);

    auto const found = report(joined(words, {"--device", "cuda", "--preset", preset}))["searches"][0];
    EXPECT_EQ(found["valid"], true);
    for (auto const* key : {"root", "nedge", "reached", "depth"}) EXPECT_EQ(found[key], expected[key]) << key;
  }
}

TEST_F(GpuProgram, PlansItsMemory)
{
  auto const plan = report({"bfs", "kron:12", "--source", "1", "--dry-run"})["plan"];
  EXPECT_EQ(plan["fits"], true);
  EXPECT_EQ(plan["memory"], "GPU memory");
  EXPECT_EQ(run({"graph500", "40", "--dry-run"}).code, 4);
  // Devices that share a GPU share its memory: more of them need more.
  auto const of_parts = [&](const char* devices) {
    return report({"bfs", "kron:20", "--source", "1", "--dry-run", "--device", "cuda", "--devices", devices})["plan"];
  };
  EXPECT_GT(of_parts("8")["peak_bytes"], of_parts("2")["peak_bytes"]);
  EXPECT_EQ(run({"graph500", "36", "--dry-run", "--device", "cuda", "--devices", "8"}).code, 4);
}

TEST_F(GpuProgram, GoesOnWithALogOfItsOwnOnly)
{
  Words const words{"graph500", "8", "--roots", "4", "--resume", "log", "-q"};
  auto with = [&](const std::string& device) {
    auto all = words;
    all.insert(all.end(), {"--device", device});
    return run(all);
  };
  auto const first = with("cuda");
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(with("cuda").out, first.out);
  EXPECT_EQ(with("cpu").code, 2);
}

}  // namespace

}  // namespace brushfire::testing
