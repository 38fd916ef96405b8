// A forecast as text and as JSON, schema "brushfire/1". Where its numbers come from is part of it.
#include "report/json_document.hpp"

#include <brushfire/forecast.hpp>
#include <brushfire/units.hpp>

#include <fmt/format.h>

namespace brushfire {

namespace {

double percent(std::uint64_t part, double whole) { return 100 * static_cast<double>(part) / whole; }

std::string level_line(std::size_t number, const LevelForecast& level)
{
  return fmt::format("{:>7} {:>12.3f} {:>12.3f} {:>12} {:>12} {:>12}\n", number, level.compute_seconds * 1e3,
                     level.exchange_seconds * 1e3, human_bytes(level.bytes_masks), human_bytes(level.bytes_vertices),
                     human_bytes(level.bytes_parents));
}

Json level_json(const LevelForecast& level)
{
  return {{"seconds", level.seconds()},
          {"compute_seconds", level.compute_seconds},
          {"exchange_seconds", level.exchange_seconds},
          {"bytes_masks", level.bytes_masks},
          {"bytes_vertices", level.bytes_vertices},
          {"bytes_parents", level.bytes_parents}};
}

Json device_json(const DeviceModel& device)
{
  return {{"name", device.name},
          {"title", device.title},
          {"memory_bytes", device.memory_bytes},
          {"known_scale", device.known_scale},
          {"known_teps", device.known_teps},
          {"level_seconds", device.level_seconds},
          {"row_bytes", device.row_bytes},
          {"source", device.source}};
}

Json network_json(const NetworkModel& network)
{
  return {{"name", network.name},
          {"title", network.title},
          {"devices_per_node", network.devices_per_node},
          {"link_bytes_per_second", network.link_bytes_per_second},
          {"adapter_bytes_per_second", network.adapter_bytes_per_second},
          {"devices_per_adapter", network.devices_per_adapter},
          {"through_host", network.through_host},
          {"message_seconds", network.message_seconds},
          {"source", network.source}};
}

}  // namespace

std::string forecast_text(const Forecast& forecast)
{
  const ForecastRequest& request = forecast.request;
  double const vertices = static_cast<double>(std::uint64_t{1} << request.scale);
  bool const several = request.devices > 1;
  std::string text = fmt::format("graph           kron scale {}, edge factor {}\n", request.scale, request.edge_factor);
  text += fmt::format("devices         {} x {} ({})\n", request.devices, request.device.title, request.device.source);
  if (several) text += fmt::format("network         {} ({})\n", request.network.title, request.network.source);
  text += fmt::format("sample          kron:{} on {}, {}\n", forecast.sample.scale,
                      counted(static_cast<std::uint64_t>(forecast.sample.devices), "virtual devices"),
                      counted(static_cast<std::uint64_t>(forecast.sample.roots), "roots"));
  if (forecast.delegates > 0)
    text +=
        fmt::format("threshold       {}: {} = {:.2f} % of the vertices, nn {:.2f} % of the entries\n",
                    forecast.threshold, counted(forecast.delegates, "delegates"), percent(forecast.delegates, vertices),
                    percent(forecast.entries_nn, 2 * static_cast<double>(request.edge_factor) * vertices));
  if (several && !request.threshold && forecast.threshold != forecast.automatic_threshold)
    text +=
        fmt::format("                memory does not hold the engine's choice, {}: search with --threshold {}\n",
                    forecast.automatic_threshold == plain_threshold ? "no delegates"
                                                                    : fmt::format("{}", forecast.automatic_threshold),
                    forecast.threshold);
  text += fmt::format("\nmemory          {} of {} on each device\n", human_bytes(forecast.device_bytes()),
                      human_bytes(request.device.memory_bytes));
  for (const PlannedBytes& item : forecast.memory)
    text += fmt::format("  {:<32} {:>12}\n", item.what, human_bytes(item.bytes));
  text += fmt::format("\n{:>7} {:>12} {:>12} {:>12} {:>12} {:>12}\n", "level", "compute ms", "exchange ms", "masks",
                      "vertices", "parents");
  for (std::size_t i = 0; i < forecast.levels.size(); ++i) text += level_line(i, forecast.levels[i]);
  text += fmt::format("\nsearch          {:.4g} ms, {}\n", forecast.seconds * 1e3, human_teps(forecast.teps));
  return text;
}

std::string forecast_to_json(const Forecast& forecast)
{
  const ForecastRequest& request = forecast.request;
  Json json = json_document("plan");
  json["scale"] = request.scale;
  json["edgefactor"] = request.edge_factor;
  json["devices"] = request.devices;
  json["device_model"] = device_json(request.device);
  json["network"] = request.devices > 1 ? network_json(request.network) : Json(nullptr);
  json["sample"] = {{"scale", forecast.sample.scale},
                    {"devices", forecast.sample.devices},
                    {"roots", forecast.sample.roots},
                    {"entries_checked_per_vertex", forecast.sample.entries_checked}};
  json["threshold"] = forecast.delegates > 0 ? Json(forecast.threshold) : Json(nullptr);
  json["automatic_threshold"] =
      forecast.automatic_threshold == plain_threshold ? Json(nullptr) : Json(forecast.automatic_threshold);
  json["delegates"] = forecast.delegates;
  json["entries_nn"] = forecast.entries_nn;
  Json items = Json::array();
  for (const PlannedBytes& item : forecast.memory) items.push_back({{"what", item.what}, {"bytes", item.bytes}});
  json["memory"] = {{"device_bytes", forecast.device_bytes()}, {"items", items}};
  json["levels"] = Json::array();
  for (const LevelForecast& level : forecast.levels) json["levels"].push_back(level_json(level));
  json["seconds"] = forecast.seconds;
  json["teps"] = forecast.teps;
  return text_of(json);
}

}  // namespace brushfire
