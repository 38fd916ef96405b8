// The program on a machine with a GPU: it is found, taken, used as asked for, and gives the answers of the CPU.
#include "gpu.hpp"
#include "surface/program.hpp"

#include <nlohmann/json.hpp>

namespace brushfire::testing {

namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

class GpuProgram : public NeedsGpu<ProgramTest> {
 protected:
  Json report(Words words) const
  {
    words.insert(words.end(), {"--json", "-", "--no-progress"});
    auto const outcome = run(words);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return Json::parse(outcome.out, nullptr, false);
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
  bool some_queue = false;
  for (auto const& level : free["searches"][0]["trace"]) some_queue |= level.contains("queue");
  EXPECT_TRUE(some_queue);

  auto told = words;
  told.insert(told.end(), {"--frontier", "scan-free", "--balance", "warp", "--async-pull", "off"});
  auto const bound = report(told);
  EXPECT_EQ(bound["config"]["frontier"], "scan-free");
  EXPECT_EQ(bound["config"]["balance"], "warp");
  EXPECT_EQ(bound["config"]["async_pull"], false);
  for (auto const& level : bound["searches"][0]["trace"]) {
    if (level.contains("queue") && level["direction"] == "push") {
      EXPECT_EQ(level["queue"], "scan-free");
    }
    if (level.contains("balance")) {
      EXPECT_EQ(level["balance"], "warp");
    }
  }
}

TEST_F(GpuProgram, PlansItsMemory)
{
  auto const plan = report({"bfs", "kron:12", "--source", "1", "--dry-run"})["plan"];
  EXPECT_EQ(plan["fits"], true);
  EXPECT_EQ(plan["memory"], "GPU memory");
  EXPECT_EQ(run({"graph500", "40", "--dry-run"}).code, 4);
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
