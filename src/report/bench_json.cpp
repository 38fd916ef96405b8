// A bench as JSON, schema "brushfire/1": a row for each combination; of one that did not run the numbers are null.
#include "report/json_document.hpp"

#include <brushfire/bench_report.hpp>

namespace brushfire {

namespace {

Json row_json(const BenchRow& row)
{
  auto const known = [&](auto number) { return row.ran() ? Json(number) : Json(nullptr); };
  Json json = {{"graph", row.graph},
               {"preset", row.preset},
               {"device", row.device},
               {"devices", row.devices},
               {"direction", row.direction},
               {"seconds", known(row.seconds)},
               {"seconds_min", known(row.fastest)},
               {"seconds_max", known(row.slowest)},
               {"teps", known(row.teps)},
               {"ratio", known(row.ratio)},
               {"modelled_seconds", known(row.modelled_seconds)},
               {"modelled_ratio", known(row.modelled_ratio)},
               {"volume_seconds", known(row.volume_seconds)},
               {"volume_ratio", known(row.volume_ratio)},
               {"edges_checked", known(row.edges_checked)},
               {"bytes_sent", known(row.bytes_sent)},
               {"bytes_by_paper", row.bytes_by_paper > 0 ? Json(row.bytes_by_paper) : Json(nullptr)},
               {"messages", known(row.messages)},
               {"graph_bytes", known(row.graph_bytes)}};
  if (!row.ran()) json["why_not"] = row.why_not;
  return json;
}

const char* word_of(Shortfall::By by)
{
  switch (by) {
    case Shortfall::By::time:
      return "time";
    case Shortfall::By::volume:
      return "volume";
    case Shortfall::By::model:
      break;
  }
  return "model";
}

}  // namespace

std::string bench_to_json(const BenchReport& report)
{
  Json json = json_document("bench", report.command_line);
  add_measuring(json, report);
  json["rows"] = Json::array();
  for (const BenchRow& row : report.rows) json["rows"].push_back(row_json(row));
  json["auto"] = Json::array();
  for (const Shortfall& shortfall : shortfalls_of_auto(report.rows))
    json["auto"].push_back({{"devices", shortfall.devices},
                            {"by", word_of(shortfall.by)},
                            {"ratio", shortfall.ratio},
                            {"graph", shortfall.graph}});
  return text_of(json);
}

}  // namespace brushfire
