// brushfire plan: what a machine that is not here would make of a Graph500 graph.
#include "command.hpp"
#include "options.hpp"
#include "outputs.hpp"
#include "progress.hpp"

#include <brushfire/error.hpp>
#include <brushfire/forecast.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <span>

namespace brushfire::cli {

namespace {

struct PlanCommand {
  int scale = 0;
  std::uint64_t edge_factor = 16;
  int devices = 1;
  std::string device_model;
  std::string network;
  std::optional<std::uint64_t> threshold;
  ResultOptions results;
  MessageOptions messages;

  ForecastRequest request() const;
};

template <typename Model>
std::string names_of(std::span<const Model> models, std::string_view between = ", ")
{
  std::vector<std::string> names;
  for (const Model& model : models) names.push_back(model.name);
  return fmt::format("{}", fmt::join(names, between));
}

template <typename Model>
Model model_named(const char* option, const std::string& name, std::span<const Model> models)
{
  for (const Model& model : models)
    if (model.name == name) return model;
  throw Error(ErrorKind::usage,
              name.empty() ? fmt::format("{} is needed: one of {}", option, names_of(models))
                           : fmt::format("{} '{}' is not known; there are {}", option, name, names_of(models)));
}

ForecastRequest PlanCommand::request() const
{
  ForecastRequest request{scale, edge_factor, devices, model_named("--device-model", device_model, device_models()),
                          {},    threshold};
  if (devices > 1 || !network.empty()) request.network = model_named("--network", network, network_models());
  return request;
}

int run_plan(const PlanCommand& command)
{
  command.messages.require_sense();
  require_outputs({command.results.json}, {});
  ForecastRequest const request = command.request();
  StageProgress progress(command.messages);
  Forecast const result = forecast(request, progress);
  progress.hide();
  if (command.results.text()) fmt::print("{}", forecast_text(result));
  if (!command.results.json.empty()) command.results.write_json(forecast_to_json(result));
  return 0;
}

}  // namespace

void add_plan(CLI::App& program, Run& run)
{
  constexpr int most_edge_factor = 1 << 10;
  auto const options = std::make_shared<PlanCommand>();
  auto& command = *program.add_subcommand("plan", "predicted memory, time and speed on a machine you do not have");
  add_number(command, "SCALE", options->scale, 1, most_forecast_scale, "the graph has 2^SCALE vertices")
      ->type_name("")
      ->required();
  add_number(command, "EDGEFACTOR", options->edge_factor, std::uint64_t{1}, std::uint64_t{most_edge_factor},
             "edges for each vertex (default: 16)")
      ->type_name("");
  add_number(command, "--devices", options->devices, 1, most_forecast_devices, "devices in all (default: 1)");
  command.add_option("--device-model", options->device_model, "what all of them are")
      ->type_name(names_of(device_models(), "|"));
  command.add_option("--network", options->network, "between several devices")
      ->type_name(names_of(network_models(), "|"));
  add_threshold(command, options->threshold, most_forecast_threshold,
                "vertices of a higher degree are delegates (default: the engine's, or one that fits)");
  add_json(command, options->results);
  add_message_options(command, options->messages);
  command.footer("Example: brushfire plan 33 --devices 124 --device-model p100 --network edr");
  command.callback([options, &run] { run = [options] { return run_plan(*options); }; });
}

}  // namespace brushfire::cli
