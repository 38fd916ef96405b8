// The papers' experiments at a small scale: the rows they should have, figures of the paper where the paper has them,
// and counts that follow from the algorithm whatever the machine does.
#include <brushfire/bench.hpp>
#include <brushfire/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace brushfire {

namespace {

PaperOptions small_paper()
{
  PaperOptions options;
  options.scale = 10;
  options.roots = 2;
  options.rounds = 1;
  options.graph.device = Device::cpu;
  return options;
}

const PaperTable& table_of(const PaperReport& report, const std::string& title)
{
  auto const found = std::find_if(report.tables.begin(), report.tables.end(),
                                  [&](const PaperTable& table) { return table.title.starts_with(title); });
  if (found == report.tables.end()) throw std::out_of_range("no table " + title);
  return *found;
}

std::optional<double> value_of(const PaperTable& table, const PaperRow& row, const std::string& key)
{
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    if (table.columns[c].key == key) return row.values[c];
  throw std::out_of_range("no column " + key);
}

const PaperRow& row_of(const PaperTable& table, int devices, const std::string& name)
{
  auto const found = std::find_if(table.rows.begin(), table.rows.end(),
                                  [&](const PaperRow& row) { return row.devices == devices && row.name == name; });
  if (found == table.rows.end()) throw std::out_of_range("no row " + name);
  return *found;
}

double number(const PaperTable& table, int devices, const std::string& name, const std::string& key)
{
  return value_of(table, row_of(table, devices, name), key).value();
}

void expect_complete(const PaperReport& report)
{
  EXPECT_TRUE(report.validated);
  EXPECT_FALSE(report.citation.empty());
  for (const PaperTable& table : report.tables) {
    SCOPED_TRACE(table.title);
    for (auto const& text : {table.source, table.says, table.remark}) EXPECT_FALSE(text.empty());
    for (const PaperRow& row : table.rows) {
      EXPECT_EQ(row.why_not, "") << row.name;
      EXPECT_EQ(row.values.size(), table.columns.size()) << row.name;
    }
  }
}

ErrorKind kind_of_failure(Preset paper, const PaperOptions& options)
{
  try {
    run_paper(paper, options);
  } catch (const Error& error) {
    return error.kind();
  }
  ADD_FAILURE() << "it ran";
  return ErrorKind::failure;
}

TEST(Papers, DelegatesSweepsThresholdsAndOptionsAndScales)
{
  PaperReport const report = run_paper(Preset::delegates, small_paper());
  expect_complete(report);
  ASSERT_EQ(report.tables.size(), 5u);

  const PaperTable& sweep = table_of(report, "degree threshold");
  EXPECT_EQ(sweep.rows.size(), 9u * 2);
  // A higher threshold makes fewer delegates and leaves more edges between normal vertices.
  EXPECT_GT(number(sweep, 4, "TH 4 DOBFS", "delegates"), number(sweep, 4, "TH 64 DOBFS", "delegates"));
  EXPECT_LT(number(sweep, 4, "TH 4 DOBFS", "nn"), number(sweep, 4, "TH 64 DOBFS", "nn"));

  const PaperTable& options = table_of(report, "options");
  EXPECT_EQ(options.rows.size(), 16u);
  EXPECT_LT(number(options, 4, "DO BR", "edges_checked"), number(options, 4, "BR", "edges_checked"));
  EXPECT_LE(number(options, 4, "U BR", "bytes_sent"), number(options, 4, "BR", "bytes_sent"));

  const PaperTable& weak = table_of(report, "weak");
  EXPECT_EQ(weak.rows.size(), 10u);
  EXPECT_EQ(weak.rows.front().graph, "kron:6");
  EXPECT_EQ(weak.rows.back().graph, "kron:10");
  EXPECT_EQ(number(weak, 2, "DOBFS", "paper_teps"), 32.5e9);
  EXPECT_FALSE(value_of(weak, row_of(weak, 2, "BFS"), "paper_teps"));

  for (std::string const kind : {"BFS", "DOBFS"}) {
    const PaperTable& strong = table_of(report, "strong scaling, " + kind);
    ASSERT_EQ(strong.rows.size(), 5u);
    EXPECT_EQ(number(strong, 1, kind, "modelled_speedup"), 1);
    EXPECT_EQ(number(strong, 1, kind, "bytes_sent"), 0);
  }
}

// The paper's arithmetic: log2(16) rounds of 16 messages, and log4(16) rounds of 16 times three that leave a device.
TEST(Papers, ButterflySendsTheMessagesThatThePaperCounts)
{
  PaperReport const report = run_paper(Preset::butterfly, small_paper());
  expect_complete(report);
  const PaperTable& table = table_of(report, "fan-outs");
  ASSERT_EQ(table.rows.size(), 12u);
  EXPECT_DOUBLE_EQ(number(table, 16, "fan-out 1", "messages_per_level"), 64);
  EXPECT_DOUBLE_EQ(number(table, 16, "fan-out 4", "messages_per_level"), 96);
  EXPECT_EQ(number(table, 16, "fan-out 1", "paper_messages_per_level"), 64);
  EXPECT_EQ(number(table, 16, "fan-out 4", "paper_messages_per_level"), 128);
  EXPECT_FALSE(value_of(table, row_of(table, 8, "fan-out 4"), "paper_messages_per_level"));
}

TEST(Papers, RingSaysWhatIsHidden)
{
  PaperReport const report = run_paper(Preset::ring, small_paper());
  expect_complete(report);
  const PaperTable& overlap = table_of(report, "communication hidden");
  ASSERT_EQ(overlap.rows.size(), 2u);
  for (int const devices : {2, 4}) {
    double const exchange = number(overlap, devices, "ring", "exchange_seconds");
    EXPECT_GT(exchange, 0);
    double const shown = number(overlap, devices, "ring", "hidden");
    EXPECT_NEAR(shown, std::max(0.0, 1 - number(overlap, devices, "ring", "waited_seconds") / exchange), 1e-9);
  }
  EXPECT_EQ(number(overlap, 2, "ring", "paper_hidden"), 0.85);
  const PaperTable& scaling = table_of(report, "strong");
  EXPECT_EQ(scaling.rows.front().graph, "kron:8:96");
  EXPECT_EQ(number(scaling, 4, "ring", "paper_teps_express"), 1.99e9);
}

TEST(Papers, GridCountsEdgesLevelByLevel)
{
  PaperReport const report = run_paper(Preset::grid, small_paper());
  expect_complete(report);
  ASSERT_EQ(report.tables.size(), 2u);
  for (const PaperTable& table : report.tables) {
    int const devices = table.rows.front().devices;
    ASSERT_EQ(table.columns.size(), 6u);
    EXPECT_GE(table.rows.size(), 8u);  // seven levels in the paper, and the sums
    // The sums of Table 3.1 are the paper's own.
    EXPECT_EQ(number(table, devices, "all", "paper_push"), 23489787);
    EXPECT_EQ(number(table, devices, "all", "paper_pull"), 24269001);
    EXPECT_EQ(number(table, devices, "all", "paper_hybrid"), 618131);
    double sum = 0;
    for (const PaperRow& row : table.rows)
      if (row.name != "all") sum += value_of(table, row, "push").value_or(0);
    EXPECT_DOUBLE_EQ(number(table, devices, "all", "push"), sum);
    EXPECT_LT(number(table, devices, "all", "hybrid"), number(table, devices, "all", "push"));
    EXPECT_LT(number(table, devices, "level 0", "push"), number(table, devices, "level 0", "pull"));
  }
  // Pushing looks at every list once, however the lists are cut.
  EXPECT_EQ(number(report.tables[0], 1, "all", "push"), number(report.tables[1], 4, "all", "push"));
}

TEST(Papers, AdaptiveAddsItsTechniques)
{
  PaperReport const report = run_paper(Preset::adaptive, small_paper());
  expect_complete(report);
  const PaperTable& table = report.tables.at(0);
  ASSERT_EQ(table.rows.size(), 8u);
  EXPECT_EQ(table.rows[4].graph, "powerlaw:1024:2.3");
  EXPECT_EQ(number(table, 1, "baseline", "speedup"), 1);
  EXPECT_EQ(number(table, 1, "Ad WB", "paper_speedup"), 3.1);
}

TEST(Papers, NonsenseIsRefused)
{
  EXPECT_EQ(kind_of_failure(Preset::automatic, small_paper()), ErrorKind::usage);
  auto const refused = [](auto change) {
    auto options = small_paper();
    change(options);
    return kind_of_failure(Preset::grid, options);
  };
  EXPECT_EQ(refused([](PaperOptions& options) { options.scale = smallest_paper_scale - 1; }), ErrorKind::usage);
  EXPECT_EQ(refused([](PaperOptions& options) { options.scale = 40; }), ErrorKind::memory);
  EXPECT_EQ(refused([](PaperOptions& options) { options.roots = 0; }), ErrorKind::usage);
  EXPECT_EQ(refused([](PaperOptions& options) { options.rounds = 0; }), ErrorKind::usage);
}

}  // namespace

}  // namespace brushfire
