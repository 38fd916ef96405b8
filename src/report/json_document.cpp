#include "report/json_document.hpp"

namespace brushfire {

Json json_document(const std::string& command)
{
  return {{"schema", "brushfire/1"}, {"version", version()}, {"command", command}};
}

Json host_json(const HostReport& host)
{
  return {{"cpu", host.cpu}, {"cores", host.cores}, {"gpus", host.gpus}, {"ranks", host.ranks}};
}

Json graph_json(const GraphReport& graph)
{
  return {{"name", graph.name},
          {"vertices", graph.vertices},
          {"edges_input", graph.edges_input},
          {"edges_stored", graph.edges_stored},
          {"bytes", graph.bytes},
          {"generation_seconds", graph.generation_seconds},
          {"construction_seconds", graph.construction_seconds}};
}

Json model_json(const TimeModel& model)
{
  return {{"seconds_per_check", model.seconds_per_check},
          {"bytes_per_second", model.bytes_per_second},
          {"seconds_per_message", model.seconds_per_message}};
}

std::string text_of(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace brushfire
