// What `brushfire bench --paper` measured beside what the paper says: tables of numbers, as text and as JSON. Plain
// data, like a BenchReport; whoever searched fills it in.
#pragma once

#include <brushfire/bench_report.hpp>
#include <brushfire/report.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace brushfire {

struct PaperColumn {
  std::string key;        // in the JSON, where values stand as they are: seconds, shares
  std::string name;       // in the table, where they are multiplied
  double factor = 1;      // by this: milliseconds, percent
  bool of_paper = false;  // not measured here
  bool by_clock = false;  // so where devices share a machine, that of taking turns
};

struct PaperRow {
  std::string graph;                            // measured here
  int devices = 1;                              // of all ranks
  std::string name;                             // what varies
  std::vector<std::optional<double>> values{};  // one for each column; nothing: not known, or not in the paper
  std::string why_not{};                        // it did not run; empty: it did
};

// One experiment of the paper, repeated in shape.
struct PaperTable {
  std::string title;
  std::string source;  // where it stands in the paper
  std::string says;    // what the paper reports of it
  std::string remark;  // what can be compared, and what cannot
  std::vector<PaperColumn> columns;
  std::vector<PaperRow> rows;
};

struct PaperReport {
  std::string paper;     // its short name, that of the preset
  std::string citation;  // who, what, on which machine
  std::string command_line{};
  HostReport host;
  TimeModel model;
  int roots = 0, rounds = 0;
  std::uint64_t seed = 0;
  bool validated = false;
  std::vector<GraphReport> graphs;
  std::vector<PaperTable> tables;
};

std::string paper_table(const PaperReport& report);
std::string paper_to_json(const PaperReport& report);
std::string paper_to_html(const PaperReport& report);

}  // namespace brushfire
#pragma GCC visibility pop
