// Options that several commands share, and the strict parsing of their values. What the contract names but
// this build does not have is known here too, and refused by name rather than as a mystery.
#pragma once

#include <brushfire/graph.hpp>
#include <brushfire/machine.hpp>
#include <brushfire/progress.hpp>
#include <brushfire/report.hpp>
#include <brushfire/search.hpp>
#include <brushfire/timeline.hpp>

#include <CLI/CLI.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace brushfire::cli {

inline constexpr int most_devices = 1024;  // per rank

struct MessageOptions {
  bool quiet = false;
  bool no_progress = false;
  bool verbose = false;

  void require_sense() const;  // throws Error(usage) for contradictions
};

// How a graph is built and searched.
struct EngineOptions {
  Device device = Device::cpu;  // of the commands that do not search; the others may say --device
  bool searches = false;        // such a command has the options that only a search needs
  bool directed = false;
  int threads = 0;
  std::string partition;  // empty: not said
  std::optional<std::uint64_t> threshold;
  std::string direction = "auto";
  bool deterministic = false;
  std::uint64_t seed = 1;
  Preset preset = Preset::automatic;
  std::string exchange;  // empty: not said
  std::optional<int> fanout{};
  std::optional<GridShape> grid{};
  std::string frontier = "auto";  // these three of the adaptive preset
  std::string balance = "auto";
  std::string async_pull;  // empty: not said
  int devices = 1;         // per rank
  bool uniquify = false;
  bool local_all2all = false;
  std::string reduce;  // empty: not said

  // They throw Error(usage) for contradictions, and Error(failure) when this machine cannot do what was asked for.
  GraphOptions graph() const;
  SearchOptions search() const;

 private:
  void require_sense() const;
  void require_sense_of_direction() const;
  void require_sense_of_adaptive() const;
  Preset chosen_preset() const;  // what was said of partition and exchange names one too
  void require_sense_of_blocks() const;
  Device chosen_device() const;
};

// A line when a search uses the CPU although a GPU might have been used: where there is one that does not work, and
// with --verbose always. With --verbose also one when the environment asks for a transport that CPUs do not use.
void remark_on_device(const EngineOptions& engine, const MessageOptions& messages, Progress& progress);

// Where results go besides stdout.
struct ResultOptions {
  std::string json;  // "-": stdout, and nothing else there
  std::string html;
  std::string trace;
  bool dry_run = false;

  bool text() const { return json != "-"; }  // whether stdout is for people
  void require_sense() const;                // throws Error(usage) for contradictions
  bool wanted() const { return !json.empty() || !html.empty(); }
  void write(const Report& report, std::span<const Stage> stages) const;
  void write_json(const std::string& document) const;  // where --json says, if it does
};

void add_message_options(CLI::App& command, MessageOptions& options);
void add_verbose(CLI::App& command, MessageOptions& options);
void add_directed(CLI::App& command, EngineOptions& options);
void add_threads(CLI::App& command, EngineOptions& options);
void add_device(CLI::App& command, EngineOptions& options);
void add_seed(CLI::App& command, EngineOptions& options);
void add_devices(CLI::App& command, EngineOptions& options);
void add_build_options(CLI::App& command, EngineOptions& options);
void add_threshold(CLI::App& command, std::optional<std::uint64_t>& threshold, std::uint64_t most,
                   const std::string& description);
void add_search_options(CLI::App& command, EngineOptions& options);  // those that build too
void add_result_options(CLI::App& command, ResultOptions& options);
void add_json(CLI::App& command, ResultOptions& options);
void add_html(CLI::App& command, ResultOptions& options);
void add_dry_run(CLI::App& command, ResultOptions& options);

// Decimal digits only, within bounds; throws CLI::ValidationError.
std::uint64_t parse_number(std::string_view option, std::string_view text, std::uint64_t least, std::uint64_t most);

// An option that takes a whole number from `least` to `most`.
template <typename Number, typename Target>
CLI::Option* add_number(CLI::App& command, const std::string& name, Target& target, Number least, Number most,
                        const std::string& help)
{
  auto const parse = [name, &target, least, most](const std::string& text) {
    target = static_cast<Number>(
        parse_number(name, text, static_cast<std::uint64_t>(least), static_cast<std::uint64_t>(most)));
  };
  return command.add_option_function<std::string>(name, parse, help)->type_name("N");
}

CLI::Option* add_label(CLI::App& command, const std::string& name, std::optional<Label>& target,
                       const std::string& help);

}  // namespace brushfire::cli
