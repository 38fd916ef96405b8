// The tables of a paper as JSON, schema "brushfire/1": what is measured and what the paper reports stand apart in every
// row; what is not known is null.
#include "report/json_document.hpp"

#include <brushfire/paper_report.hpp>

namespace brushfire {

namespace {

Json row_json(const PaperTable& table, const PaperRow& row)
{
  Json json = {{"table", table.title}, {"graph", row.graph},         {"devices", row.devices},
               {"name", row.name},     {"measured", Json::object()}, {"paper", Json::object()}};
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const PaperColumn& column = table.columns[c];
    json[column.of_paper ? "paper" : "measured"][column.key] = row.values[c] ? Json(*row.values[c]) : Json(nullptr);
  }
  if (!row.why_not.empty()) json["why_not"] = row.why_not;
  return json;
}

}  // namespace

std::string paper_to_json(const PaperReport& report)
{
  Json json = json_document("bench", report.command_line);
  json["paper"] = report.paper;
  json["citation"] = report.citation;
  add_measuring(json, report);
  json["tables"] = Json::array();
  json["rows"] = Json::array();
  for (const PaperTable& table : report.tables) {
    Json columns = Json::array();
    for (const PaperColumn& column : table.columns)
      columns.push_back({{"key", column.key},
                         {"name", column.name},
                         {"factor", column.factor},
                         {"of_paper", column.of_paper},
                         {"by_clock", column.by_clock}});
    json["tables"].push_back({{"title", table.title},
                              {"source", table.source},
                              {"paper_says", table.says},
                              {"comparable", table.remark},
                              {"columns", std::move(columns)}});
    for (const PaperRow& row : table.rows) json["rows"].push_back(row_json(table, row));
  }
  return text_of(json);
}

}  // namespace brushfire
