#include "report/json_document.hpp"

namespace brushfire {

Json json_document(const std::string& command, const std::string& command_line)
{
  Json json = {{"schema", "brushfire/1"}, {"version", version()}, {"command", command}};
  if (!command_line.empty()) json["command_line"] = command_line;
  return json;
}

Json host_json(const HostReport& host)
{
  Json json = {{"cpu", host.cpu}, {"cores", host.cores}, {"gpus", host.gpus}, {"ranks", host.ranks}};
  if (host.memory_bandwidth) json["memory_bandwidth"] = *host.memory_bandwidth;
  if (host.gpu_memory_bandwidth) json["gpu_memory_bandwidth"] = *host.gpu_memory_bandwidth;
  return json;
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
