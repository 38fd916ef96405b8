// What every JSON document of the schema "brushfire/1" begins with, and how it is written.
#pragma once

#include <brushfire/bench_report.hpp>
#include <brushfire/report.hpp>

#include <nlohmann/json.hpp>

#include <string>

namespace brushfire {

using Json = nlohmann::ordered_json;

Json json_document(const std::string& command, const std::string& command_line = {});
Json host_json(const HostReport& host);
Json graph_json(const GraphReport& graph);
Json model_json(const TimeModel& model);
// What a BenchReport and a PaperReport say alike: the machine, how it was measured, the graphs.
template <typename Measured>
void add_measuring(Json& json, const Measured& report)
{
  json["host"] = host_json(report.host);
  json["roots"] = report.roots;
  json["rounds"] = report.rounds;
  json["seed"] = report.seed;
  json["valid"] = report.validated ? Json(true) : Json(nullptr);
  json["model"] = model_json(report.model);
  json["graphs"] = Json::array();
  for (const GraphReport& graph : report.graphs) json["graphs"].push_back(graph_json(graph));
}
// Names that are not UTF-8 are repaired, not refused.
std::string text_of(const Json& json);

}  // namespace brushfire
