// Results that were written come back as they were, also those of versions that wrote less; anything else is refused by
// name and place.
#include "report/page_checks.hpp"
#include "report/sample_report.hpp"

#include <brushfire/error.hpp>
#include <brushfire/results.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>

#include <unistd.h>

namespace brushfire {

namespace {

using Json = nlohmann::ordered_json;

class ResultsTest : public ::testing::Test {
 protected:
  void TearDown() override
  {
    std::error_code ignored;
    std::filesystem::remove(file_, ignored);
  }

  Results read(const std::string& text) const
  {
    std::ofstream(file_) << text;
    Results results;
    read_results(file_, results);
    return results;
  }
  Results read(const Json& json) const { return read(json.dump(1)); }

  void refused(const std::string& text, const std::string& part) const
  {
    try {
      read(text);
      ADD_FAILURE() << "accepted: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      EXPECT_TRUE(std::string(error.what()).starts_with(file_.string() + ":")) << error.what();
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << part << "\n" << error.what();
    }
  }

  std::filesystem::path const file_ =
      std::filesystem::temp_directory_path() / ("brushfire-results-" + std::to_string(getpid()) + ".json");
};

TEST_F(ResultsTest, WhatWasWrittenComesBack)
{
  auto const written = to_json(testing::full_report());
  auto const results = read(written);
  ASSERT_EQ(results.runs.size(), 1u);
  EXPECT_EQ(to_json(results.runs[0]), written);
  auto const html = results_to_html(results);
  EXPECT_TRUE(testing::balanced(html));
  EXPECT_EQ(html, to_html(results.runs[0]));
}

TEST_F(ResultsTest, SoDoTablesOfAPaper)
{
  PaperReport report;
  report.paper = "ring";
  report.citation = "Somebody: Something";
  report.command_line = "brushfire bench --paper ring";
  report.roots = 4;
  report.validated = true;
  PaperTable table{"hidden <b>", "Section 6", "Much is hidden.", "Nothing can be compared.", {}, {}};
  table.columns = {
      {"seconds", "ms", 1e3, false, true}, {"checked", "checked"}, {"paper_hidden", "paper's hidden %", 100, true}};
  table.rows = {{"kron:9", 2, "first", {0.0025, 22090111.0, 0.85}, ""},
                {"kron:9", 4, "second", {std::nullopt, std::nullopt, std::nullopt}, "it is away"}};
  report.tables = {table};
  auto const written = paper_to_json(report);
  auto const results = read(written);
  ASSERT_EQ(results.papers.size(), 1u);
  EXPECT_EQ(paper_to_json(results.papers[0]), written);

  auto const html = results_to_html(results);
  EXPECT_TRUE(testing::balanced(html));
  testing::needs_nothing_else(html);
  for (auto const* part : {"hidden &lt;b&gt;", "kron:9 on 2, first: ms 2.5", "paper&#39;s hidden % 85", "it is away",
                           "Much is hidden.", "22090111"})
    EXPECT_NE(html.find(part), std::string::npos) << part << "\n" << html;

  // A version before this one did not say what columns are called.
  auto older = Json::parse(written);
  older["tables"][0].erase("columns");
  auto const read_again = read(older);
  ASSERT_EQ(read_again.papers[0].tables[0].columns.size(), 3u);
  EXPECT_TRUE(read_again.papers[0].tables[0].columns[2].of_paper);
  EXPECT_EQ(read_again.papers[0].tables[0].rows[0].values[2], 0.85);

  older["rows"][1]["table"] = "another";
  refused(older.dump(), "rows[1]: is of a table that is not there: another");
}

TEST_F(ResultsTest, OlderVersionsWroteLess)
{
  auto json = Json::parse(to_json(testing::full_report()));
  for (auto const* key : {"command_line", "host", "memory", "teps", "energy", "plan", "graph500"}) json.erase(key);
  json["config"] = Json::object();
  for (auto& search : json["searches"])
    for (auto const* key : {"trace", "valid", "validate_seconds", "depth"}) search.erase(key);
  auto const results = read(json);
  ASSERT_EQ(results.runs.size(), 1u);
  EXPECT_EQ(results.runs[0].searches.size(), 3u);
  EXPECT_TRUE(testing::balanced(results_to_html(results)));
}

TEST_F(ResultsTest, SaysWhatIsWrongWhere)
{
  auto const good = Json::parse(to_json(testing::full_report()));
  refused("{\n\"schema\": \"brushfire/1\",\n nonsense", ":3: is not JSON");
  refused("", "is empty");
  refused("{\"schema\": 1e999}", "a number that is too large");
  refused("[]", "is not of the schema");
  refused("{}", "is not of the schema");
  refused(R"({"schema": "brushfire/2"})", "is not of the schema");
  refused(R"({"schema": "brushfire/1", "command": "info"})", "neither searches nor rows");
  auto const with = [&](const char* pointer, const Json& value) {
    auto json = good;
    json[Json::json_pointer(pointer)] = value;
    return json.dump();
  };
  refused(with("/searches/1/teps", "fast"), "searches[1].teps: is not a number from 0 on");
  refused(with("/searches/1/teps", -1), "searches[1].teps: is not a number from 0 on");
  refused(with("/searches/2/nedge", 1.5), "searches[2].nedge: is not a whole number from 0 on");
  refused(with("/searches/2/root", nullptr), "searches[2]: has no root");
  refused(with("/searches/0/trace/1/direction", "sideways"),
          "searches[0].trace[1].direction: is neither push nor pull");
  refused(with("/searches/0/trace/1/direction/nd", nullptr), "searches[0].trace[1].direction: has no nd");
  refused(with("/searches/0/trace/1/levels", 0), "searches[0].trace[1]: has no level");
  refused(with("/searches", 3), "searches: is not a list");
  refused(with("/graph", Json::array()), "graph: is not an object");
  refused(with("/host/cores", 1e10), "host.cores: is not a whole number");
  refused(with("/config/devices", 0), "config: has no device");
  refused(with("/searches/0/valid", "yes"), "searches[0].valid: is neither true nor false");
}

TEST_F(ResultsTest, AFolderOrNothingIsRefused)
{
  Results results;
  EXPECT_THROW(read_results(std::filesystem::temp_directory_path(), results), Error);
  EXPECT_THROW(read_results("no/such/file.json", results), Error);
}

Report on_devices(int devices, const std::string& graph, std::uint64_t vertices, double seconds)
{
  Report report = testing::sample_report();
  report.config.devices = devices;
  report.graph.name = graph;
  report.graph.vertices = vertices;
  for (SearchReport& search : report.searches) {
    search.seconds = seconds;
    search.teps = static_cast<double>(search.nedge) / seconds;
  }
  return report;
}

TEST(ResultsPage, OneGraphOnMoreDevicesIsStrongScaling)
{
  Results const results{{on_devices(1, "kron:20", 1 << 20, 1), on_devices(4, "kron:20", 1 << 20, 0.5)}, {}};
  auto const html = results_to_html(results);
  EXPECT_TRUE(testing::balanced(html));
  testing::needs_nothing_else(html);
  EXPECT_EQ(testing::count_of(html, "<h3>Strong scaling: kron:20, auto, cpu</h3>"), 1u);
  EXPECT_EQ(html.find("Weak scaling"), std::string::npos);
  EXPECT_NE(html.find("4 devices, kron:20: 33.6 MTEPS, 2.00 times that of 1, efficiency 50 %"), std::string::npos);
  EXPECT_NE(html.find(">1 device, kron:20: "), std::string::npos);
}

TEST(ResultsPage, AGraphThatGrowsWithTheDevicesIsWeakScaling)
{
  Results results{{on_devices(1, "kron:20", 1 << 20, 1), on_devices(2, "kron:21", 1 << 21, 1)}, {}};
  auto html = results_to_html(results);
  EXPECT_NE(html.find("<h3>Weak scaling: 1.05 M vertices a device, auto, cpu</h3>"), std::string::npos);
  EXPECT_EQ(html.find("Strong scaling"), std::string::npos);
  // Neither, when a preset differs.
  results.runs[1].config.preset = "ring";
  html = results_to_html(results);
  EXPECT_EQ(html.find("Weak scaling"), std::string::npos);
  EXPECT_NE(html.find("<h3>All runs</h3>"), std::string::npos);
}

}  // namespace

}  // namespace brushfire
