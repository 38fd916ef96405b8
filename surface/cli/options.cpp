// An option either means something in this build, or is refused by name: nothing is accepted and ignored.
// Numbers are strict (no sign, no hexadecimal, no trailing letters), so a typing error never becomes a value.
#include "options.hpp"

#include "outputs.hpp"

#include <brushfire/error.hpp>
#include <brushfire/job.hpp>
#include <brushfire/output.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <initializer_list>
#include <limits>

namespace brushfire::cli {

namespace {

constexpr int most_threads = 4096;

// An option that takes one of some words.
struct Choice {
  std::string name;
  std::vector<std::string> words;
};

std::string checked(const Choice& choice, const std::string& word)
{
  if (std::find(choice.words.begin(), choice.words.end(), word) == choice.words.end())
    throw CLI::ValidationError(choice.name, fmt::format("'{}' is not one of {}", word, fmt::join(choice.words, ", ")));
  return word;
}

CLI::Option* offer(CLI::Option* option, const Choice& choice)
{
  return option->type_name(fmt::format("{}", fmt::join(choice.words, "|")));
}

CLI::Option* add_choice(CLI::App& command, const Choice& choice, std::string& target, const std::string& help)
{
  auto const keep = [choice, &target](const std::string& value) { target = checked(choice, value); };
  return offer(command.add_option_function<std::string>(choice.name, keep, help), choice);
}

template <typename Value>
std::vector<std::string> names_of(std::initializer_list<Value> values)
{
  std::vector<std::string> names;
  for (Value const value : values) names.push_back(name_of(value));
  return names;
}

// Nothing when none of them is called so, as "auto".
template <typename Value>
std::optional<Value> find_named(std::initializer_list<Value> values, std::string_view name)
{
  for (Value const value : values)
    if (name == name_of(value)) return value;
  return std::nullopt;
}

constexpr auto all_devices = {Device::automatic, Device::cpu, Device::cuda};
constexpr auto presets_here = {Preset::automatic, Preset::delegates, Preset::ring,
                               Preset::grid,      Preset::butterfly, Preset::adaptive};
constexpr auto all_directions = {Direction::push, Direction::pull};
constexpr auto all_queues = {FrontierQueue::scan_free, FrontierQueue::single_scan, FrontierQueue::double_scan,
                             FrontierQueue::none};
constexpr auto all_balances = {PullBalance::static_shares, PullBalance::thread, PullBalance::warp, PullBalance::donate};

constexpr const char* binned_lists = "lrb";

std::vector<std::string> auto_or(std::vector<std::string> names)
{
  names.insert(names.begin(), "auto");
  return names;
}

GridShape parse_grid(const std::string& text)
{
  auto const cross = text.find('x');
  if (cross == std::string::npos) throw CLI::ValidationError("--grid", fmt::format("'{}' is not ROWSxCOLUMNS", text));
  auto const side = [&](std::string_view digits) {
    return static_cast<int>(parse_number("--grid", digits, 1, most_devices));
  };
  return {side(std::string_view(text).substr(0, cross)), side(std::string_view(text).substr(cross + 1))};
}

// How devices that have blocks of a plain graph tell each other what they found.
void add_block_options(CLI::App& command, EngineOptions& options)
{
  std::vector<std::string> const exchanges{"direct", "butterfly", "ring", "grid"};
  add_choice(command, {"--exchange", exchanges}, options.exchange, "how what was found reaches the others");
  add_number(command, "--fanout", options.fanout, 1, most_devices, "butterfly: receivers in a round (default: 4)");
  command
      .add_option_function<std::string>(
          "--grid", [&options](const std::string& text) { options.grid = parse_grid(text); },
          "grid: how the devices of all ranks stand (default: near a square)")
      ->type_name("ROWSxCOLUMNS");
}

// An option whose values are those of an enumeration.
template <typename Value>
void add_choice_of(CLI::App& command, const Choice& choice, std::initializer_list<Value> values, Value& target,
                   const std::string& help)
{
  auto const parse = [=, &target](const std::string& name) { target = *find_named(values, checked(choice, name)); };
  offer(command.add_option_function<std::string>(choice.name, parse, help), choice);
}

void add_adaptive_options(CLI::App& command, EngineOptions& options)
{
  auto const queues = auto_or(names_of(all_queues));
  auto balances = auto_or(names_of(all_balances));
  balances.emplace_back(binned_lists);
  auto const presets = names_of(presets_here);
  add_choice_of(command, {"--preset", presets}, presets_here, options.preset,
                "a published system instead of the program's own choice");
  add_choice(command, {"--frontier", queues}, options.frontier, "adaptive: how the next frontier is made");
  add_choice(command, {"--balance", balances}, options.balance,
             "adaptive: how a pull is shared out; lrb: how GPUs push in blocks");
  add_choice(command, {"--async-pull", {"on", "off"}}, options.async_pull,
             "adaptive: a pull also finds children of what it finds");
}

[[noreturn]] void refuse_together(std::string_view one, std::string_view why, std::string_view other)
{
  throw Error(ErrorKind::usage, fmt::format("{} {}, which contradicts {}; leave one out", one, why, other));
}

}  // namespace

void MessageOptions::require_sense() const
{
  if (quiet && verbose) throw Error(ErrorKind::usage, "--quiet contradicts --verbose; leave one out");
}

// What is said about a step that the direction leaves out would be accepted and ignored.
void EngineOptions::require_sense_of_direction() const
{
  bool const push_only = direction == name_of(Direction::push), pull_only = direction == name_of(Direction::pull);
  bool const queue_of_a_push =
      frontier == name_of(FrontierQueue::scan_free) || frontier == name_of(FrontierQueue::single_scan);
  if (push_only && frontier == name_of(FrontierQueue::none))
    refuse_together("--frontier none", "leaves nothing to push from", "--direction push");
  if (push_only && balance != "auto") refuse_together("--direction push", "pulls nothing", "--balance " + balance);
  if (push_only && !async_pull.empty())
    refuse_together("--direction push", "pulls nothing", "--async-pull " + async_pull);
  if (pull_only && queue_of_a_push) refuse_together("--direction pull", "pushes nothing", "--frontier " + frontier);
}

Preset EngineOptions::chosen_preset() const
{
  if (preset != Preset::automatic) return preset;
  if (auto const named = find_named({Preset::ring, Preset::grid, Preset::butterfly}, exchange)) return *named;
  return partition == "2d" ? Preset::grid : preset;
}

// What devices with blocks of a plain graph have no use for, and the other way round.
void EngineOptions::require_sense_of_blocks() const
{
  if (partition == "2d" && !searches)
    throw Error(ErrorKind::usage, "--partition 2d is for a search, which this command does not do");
  Preset const chosen = chosen_preset();
  std::string const name = fmt::format("--preset {}", name_of(chosen));
  bool const in_blocks = cuts_into_blocks(chosen);
  bool const two_dimensional = chosen == Preset::grid;
  if (!exchange.empty() && exchange != (in_blocks ? name_of(chosen) : "direct"))
    refuse_together(name, in_blocks ? "has an exchange of its own" : "sends directly to the receiver",
                    "--exchange " + exchange);
  if (two_dimensional && !partition.empty() && partition != "2d")
    refuse_together(name, "cuts the graph by rows and columns", "--partition " + partition);
  if (!two_dimensional && partition == "2d")
    refuse_together(name, "does not cut the graph by rows and columns", "--partition 2d");
  if (fanout && chosen != Preset::butterfly)
    throw Error(ErrorKind::usage, "--fanout belongs to --preset butterfly; add that or leave --fanout out");
  if (grid && !two_dimensional)
    throw Error(ErrorKind::usage, "--grid belongs to --preset grid; add that or leave --grid out");
  if (!in_blocks) return;
  if (threshold || partition == "delegates")
    refuse_together(name, "has no delegates", threshold ? "--threshold" : "--partition delegates");
  if (uniquify) refuse_together(name, "never sends a vertex twice", "--uniquify");
  if (local_all2all) refuse_together(name, "has a schedule of its own", "--local-all2all");
  if (!reduce.empty()) refuse_together(name, "has no delegates to combine", "--reduce " + reduce);
  if (chosen == Preset::ring && direction == name_of(Direction::pull))
    refuse_together(name, "writes parents where edges lead to, and pushes only", "--direction pull");
}

// On one device it searches the plain graph; several share one with delegates, and work as the rest of them does.
void EngineOptions::require_sense_of_adaptive() const
{
  if (devices * Job::ranks_of_job() == 1) {
    if (threshold) refuse_together("--preset adaptive on one device", "has no delegates", "--threshold");
    if (partition == "delegates")
      refuse_together("--preset adaptive on one device", "has no delegates", "--partition delegates");
    require_sense_of_direction();
    return;
  }
  auto const refuse = [](std::string_view name, std::string_view value) {
    throw Error(ErrorKind::usage,
                fmt::format("{0} {1} is for one device, and several share a graph with delegates, where each makes "
                            "its queues as it finds; leave {0} out",
                            name, value));
  };
  if (frontier != "auto") refuse("--frontier", frontier);
  if (balance != "auto") refuse("--balance", balance);
  if (!async_pull.empty()) refuse("--async-pull", async_pull);
}

void EngineOptions::require_sense() const
{
  require_sense_of_blocks();
  if (balance == binned_lists && !(cuts_into_blocks(chosen_preset()) && chosen_device() == Device::cuda))
    throw Error(ErrorKind::usage,
                "--balance lrb is how GPUs push that have blocks of a graph; add --device cuda and --preset butterfly, "
                "ring or grid, or leave --balance out");
  if (partition == "1d" && threshold) refuse_together("--partition 1d", "has no delegates", "--threshold");
  if (partition == "1d" && preset == Preset::delegates)
    refuse_together("--partition 1d", "has no delegates", "--preset delegates");
  if (partition == "1d" && !reduce.empty())
    refuse_together("--partition 1d", "has no delegates to combine", "--reduce " + reduce);
  auto const refuse_alone = [&](bool said, std::string_view name) {
    if (said && devices * Job::ranks_of_job() == 1)
      throw Error(ErrorKind::usage,
                  fmt::format("{} is about what devices send each other, and there is one; add --devices", name));
  };
  refuse_alone(uniquify, "--uniquify");
  refuse_alone(local_all2all, "--local-all2all");
  refuse_alone(!reduce.empty(), "--reduce");
  if (preset == Preset::adaptive) {
    require_sense_of_adaptive();
  } else {
    auto const refuse_without_adaptive = [](std::string_view name, std::string_view value) {
      throw Error(ErrorKind::usage,
                  fmt::format("{0} {1} belongs to --preset adaptive; add that or leave {0} out", name, value));
    };
    if (frontier != "auto") refuse_without_adaptive("--frontier", frontier);
    if (balance != "auto" && balance != binned_lists) refuse_without_adaptive("--balance", balance);
    if (!async_pull.empty()) refuse_without_adaptive("--async-pull", async_pull);
  }
}

Device EngineOptions::chosen_device() const
{
  // Ranks do not know of each other what they have, and must choose the same.
  if (device == Device::automatic && Job::ranks_of_job() > 1) return Device::cpu;
  return choose_device(device);
}

GraphOptions EngineOptions::graph() const
{
  require_sense();
  return {.directed = directed,
          .threshold = partition == "1d" ? std::optional(plain_threshold) : threshold,
          .threads = threads,
          .device = chosen_device(),
          .preset = chosen_preset(),
          .grid = grid,
          .keep_delegates =
              uniquify || local_all2all || !reduce.empty() || exchange == "direct" || partition == "delegates",
          .devices = devices};
}

SearchOptions EngineOptions::search() const
{
  require_sense();
  (void)wanted_transport();  // a wrong one is refused whatever searches
  SearchOptions options;
  options.direction = find_named(all_directions, direction);
  options.deterministic = deterministic;
  options.threads = threads;
  options.device = chosen_device();
  options.preset = chosen_preset();
  if (fanout) options.fanout = *fanout;
  options.queue = find_named(all_queues, frontier);
  options.balance = find_named(all_balances, balance);
  if (!async_pull.empty()) options.async_pull = async_pull == "on";
  options.uniquify = uniquify;
  options.local_all2all = local_all2all;
  options.nonblocking_reduce = reduce != "blocking";
  return options;
}

void remark_on_device(const EngineOptions& engine, const MessageOptions& messages, Progress& progress)
{
  if (std::string const wanted = wanted_transport();
      messages.verbose && wanted != "auto" && engine.search().device == Device::cpu)
    progress.note(fmt::format("BRUSHFIRE_TRANSPORT={} is not used: it is between GPUs, and CPUs search", wanted));
  if (engine.device != Device::automatic || choose_device(engine.device) != Device::cpu) return;
  if (messages.verbose || gpu_is_present())
    progress.note(fmt::format("searching on the CPU: no usable GPU: {}", why_no_gpu()));
}

void ResultOptions::require_sense() const
{
  if (dry_run && !trace.empty())
    throw Error(ErrorKind::usage, "--trace shows what was done when, and --dry-run does nothing; leave one out");
  if (dry_run && !html.empty())
    throw Error(ErrorKind::usage, "--html shows results, and --dry-run has none; leave one out, or use --json");
}

void ResultOptions::write_json(const std::string& document) const
{
  if (json == "-")
    fmt::print("{}", document);
  else if (!json.empty())
    write_text_file(json, document);
}

void ResultOptions::write(const Report& report, std::span<const Stage> stages) const
{
  if (!json.empty()) write_json(to_json(report));
  if (!html.empty()) write_text_file(html, to_html(report));
  if (!trace.empty()) write_text_file(trace, to_chrome_trace(report, stages));
}

void add_message_options(CLI::App& command, MessageOptions& options)
{
  command.add_flag("-q,--quiet", options.quiet, "no progress and no remarks on stderr");
  command.add_flag("--no-progress", options.no_progress, "no progress on stderr");
}

void add_verbose(CLI::App& command, MessageOptions& options)
{
  command.add_flag("-v,--verbose", options.verbose, "what each level did, on stderr");
}

void add_directed(CLI::App& command, EngineOptions& options)
{
  command.add_flag("--directed", options.directed, "edges go one way");
}

void add_threads(CLI::App& command, EngineOptions& options)
{
  add_number(command, "--threads", options.threads, 1, most_threads, "threads (default: one per processor)");
}

void add_devices(CLI::App& command, EngineOptions& options)
{
  add_number(command, "--devices", options.devices, 1, most_devices, "devices that share the graph (default: 1)");
}

void add_device(CLI::App& command, EngineOptions& options)
{
  auto const devices = names_of(all_devices);
  options.device = Device::automatic;
  add_choice_of(command, {"--device", devices}, all_devices, options.device, "where to search");
}

void add_seed(CLI::App& command, EngineOptions& options)
{
  add_number(command, "--seed", options.seed, std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max(),
             "for random sources");
}

void add_threshold(CLI::App& command, std::optional<std::uint64_t>& threshold, std::uint64_t most,
                   const std::string& description)
{
  auto const parse = [&threshold, most](const std::string& text) {
    if (text != "auto") threshold = parse_number("--threshold", text, 0, most);
  };
  command.add_option_function<std::string>("--threshold", parse, description)->type_name("N|auto");
}

void add_build_options(CLI::App& command, EngineOptions& options)
{
  add_threads(command, options);
  add_threshold(command, options.threshold, std::numeric_limits<std::uint64_t>::max() - 1,
                "vertices of a higher degree are delegates");
  std::string const name = "--partition", plain = "1d: no delegates";
  auto* const partition = add_choice(command, {name, {"delegates", "1d", "2d"}}, options.partition,
                                     plain + "; 2d: cut by rows and columns of devices");
  if (!options.searches) offer(partition->description(plain), {name, {"delegates", "1d"}});  // 2d is refused, with why
}

void add_search_options(CLI::App& command, EngineOptions& options)
{
  auto const directions = auto_or(names_of(all_directions));
  options.searches = true;
  add_build_options(command, options);
  add_device(command, options);
  add_choice(command, {"--direction", directions}, options.direction, "search direction");
  command.add_flag("--deterministic", options.deterministic, "of all possible parents the smallest label");
  add_seed(command, options);
  add_devices(command, options);
  command.add_flag("--uniquify", options.uniquify, "send no vertex to a device twice in a level");
  command.add_flag("--local-all2all", options.local_all2all, "devices of a rank join what they send to a device");
  add_choice(command, {"--reduce", {"blocking", "nonblocking"}}, options.reduce,
             "how ranks combine the delegates they found");
  add_adaptive_options(command, options);
  add_block_options(command, options);
}

void add_json(CLI::App& command, ResultOptions& options)
{
  command.add_option("--json", options.json, "write the result as JSON; - is stdout")
      ->type_name("FILE|-")
      ->check(file_name());
}

void add_dry_run(CLI::App& command, ResultOptions& options)
{
  command.add_flag("--dry-run", options.dry_run, "only print how much memory it takes");
}

void add_html(CLI::App& command, ResultOptions& options)
{
  command.add_option("--html", options.html, "write the result as a page")
      ->type_name("FILE")
      ->check(file_name())
      ->check(no_stdout());
}

void add_result_options(CLI::App& command, ResultOptions& options)
{
  add_json(command, options);
  add_html(command, options);
  command.add_option("--trace", options.trace, "write when stages, searches and levels ran, for Perfetto")
      ->type_name("FILE")
      ->check(file_name())
      ->check(no_stdout());
  add_dry_run(command, options);
}

std::uint64_t parse_number(std::string_view option, std::string_view text, std::uint64_t least, std::uint64_t most)
{
  std::uint64_t value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
    throw CLI::ValidationError(std::string(option),
                               fmt::format("'{}' is not a whole number from {} to {}", text, least, most));
  return value;
}

CLI::Option* add_label(CLI::App& command, const std::string& name, std::optional<Label>& target,
                       const std::string& help)
{
  return add_number(command, name, target, Label{0}, largest_label, help)->type_name("V");
}

}  // namespace brushfire::cli
