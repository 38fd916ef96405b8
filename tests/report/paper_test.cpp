// The tables of a paper from their numbers on: text that keeps to the width of a page, JSON in which nobody takes a
// paper's figure for a measured one, and charts of what the text says to compare.
#include "report/page_checks.hpp"

#include <brushfire/paper_report.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sstream>

namespace brushfire {

namespace {

using Json = nlohmann::ordered_json;

PaperReport sample_paper()
{
  PaperReport report;
  report.paper = "ring";
  report.citation = "Somebody: Something";
  report.roots = 4;
  report.rounds = 3;
  report.validated = true;
  PaperTable table;
  table.title = "hidden";
  table.source = "Section 6";
  table.says =
      "The paper goes on and on about what it found, in so many words that they do not all fit on one line of "
      "a terminal.";
  table.remark = "Nothing can be compared.";
  table.columns = {
      {"seconds", "ms", 1e3, false, true}, {"checked", "checked"}, {"paper_hidden", "paper's hidden %", 100, true}};
  table.rows = {{"kron:9", 2, "first", {0.0025, 22090111.0, 0.85}, ""},
                {"kron:9", 4, "second", {std::nullopt, std::nullopt, std::nullopt}, "it is away"}};
  report.tables = {table, table};
  report.tables[1].title = "again";
  return report;
}

std::size_t occurrences(const std::string& text, const std::string& word)
{
  std::size_t count = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

TEST(PaperTable, StandsBesideThePaper)
{
  std::string const text = paper_table(sample_paper());
  EXPECT_TRUE(text.starts_with("ring: Somebody: Something\n")) << text;
  EXPECT_NE(text.find("hidden (Section 6)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  kron:9  2        first   2.5  22090111                85\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  kron:9  4        second    -         -                 -\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  - second: it is away\n"), std::string::npos) << text;
  EXPECT_NE(text.find("mean over 4 roots or all there are, median of 3 rounds"), std::string::npos) << text;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 121u) << line;
  // What both tables have in common is said once.
  EXPECT_EQ(occurrences(text, "Nothing can be compared"), 1u);
  EXPECT_EQ(occurrences(text, "goes on and on"), 1u);
}

TEST(PaperJson, KeepsWhatIsMeasuredApart)
{
  auto const json = Json::parse(paper_to_json(sample_paper()));
  EXPECT_EQ(json["schema"], "brushfire/1");
  EXPECT_EQ(json["command"], "bench");
  EXPECT_EQ(json["paper"], "ring");
  EXPECT_EQ(json["valid"], true);
  ASSERT_EQ(json["tables"].size(), 2u);
  EXPECT_EQ(json["tables"][0]["source"], "Section 6");
  ASSERT_EQ(json["rows"].size(), 4u);
  EXPECT_EQ(json["rows"][0]["measured"], (Json{{"seconds", 0.0025}, {"checked", 22090111.0}}));
  EXPECT_EQ(json["rows"][0]["paper"], (Json{{"paper_hidden", 0.85}}));
  EXPECT_FALSE(json["rows"][0].contains("why_not"));
  EXPECT_TRUE(json["rows"][1]["measured"]["seconds"].is_null());
  EXPECT_EQ(json["rows"][1]["why_not"], "it is away");
  EXPECT_EQ(json["rows"][2]["table"], "again");
}

// Devices that take turns are compared by the model and by counts, whose times stand in the table alone.
TEST(PaperHtml, DrawsWhatCanBeCompared)
{
  auto report = sample_paper();
  auto html = paper_to_html(report);
  EXPECT_TRUE(testing::balanced(html));
  EXPECT_EQ(testing::count_of(html, "<h4>ms</h4>"), 2u);
  EXPECT_EQ(testing::count_of(html, "<h4>checked</h4>"), 0u);

  for (PaperTable& table : report.tables) {
    table.columns.push_back({"modelled_seconds", "model ms", 1e3});
    for (PaperRow& row : table.rows) row.values.emplace_back(0.001);
  }
  html = paper_to_html(report);
  EXPECT_EQ(testing::count_of(html, "<h4>ms</h4>"), 0u);
  EXPECT_EQ(testing::count_of(html, "<th scope=\"col\">ms</th>"), 2u);
  for (auto const* drawn : {"<h4>checked</h4>", "<h4>model ms</h4>", "<h4>paper&#39;s hidden %</h4>"})
    EXPECT_EQ(testing::count_of(html, drawn), 2u) << drawn;
}

}  // namespace

}  // namespace brushfire
