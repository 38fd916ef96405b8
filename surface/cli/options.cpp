// An option either means something in this build, or is refused by name: nothing is accepted and ignored.
// Numbers are strict (no sign, no hexadecimal, no trailing letters), so a typing error never becomes a value.
#include "options.hpp"

#include <brushfire/error.hpp>
#include <brushfire/output.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <limits>

namespace brushfire::cli {

namespace {

constexpr int most_threads = 4096;

// What the contract lets an option be, and which of that this build can do.
struct Choice {
  std::string name;
  std::vector<std::string> known;
  std::vector<std::string> available;
};

std::string checked(const Choice& choice, const std::string& value)
{
  auto const in = [&](const std::vector<std::string>& list) {
    return std::find(list.begin(), list.end(), value) != list.end();
  };
  if (!in(choice.known))
    throw CLI::ValidationError(choice.name, fmt::format("'{}' is not one of {}", value, fmt::join(choice.known, ", ")));
  if (!in(choice.available))
    throw Error(ErrorKind::usage, fmt::format("{} {} is not available in this build, which has {}", choice.name, value,
                                              fmt::join(choice.available, ", ")));
  return value;
}

CLI::Option* add_choice(CLI::App& command, const Choice& choice, std::string& target, const std::string& help)
{
  return command
      .add_option_function<std::string>(
          choice.name, [choice, &target](const std::string& value) { target = checked(choice, value); }, help)
      ->type_name(fmt::format("{}", fmt::join(choice.available, "|")));
}

constexpr const char* hidden = "";  // the group that --help leaves out

// Only one value works in this build, so there is nothing to keep.
void add_fixed_choice(CLI::App& command, const Choice& choice)
{
  command.add_option_function<std::string>(choice.name, [choice](const std::string& value) { checked(choice, value); })
      ->group(hidden);
}

[[noreturn]] void refuse(const std::string& name)
{
  throw Error(ErrorKind::usage, fmt::format("{} is not available in this build", name));
}

void add_options_of_later_builds(CLI::App& command)
{
  add_fixed_choice(command, {"--preset", {"auto", "delegates", "ring", "grid", "butterfly", "adaptive"}, {"auto"}});
  add_fixed_choice(command, {"--exchange", {"direct", "butterfly", "ring", "grid"}, {"direct"}});
  add_fixed_choice(command, {"--frontier", {"auto", "scan-free", "single-scan", "double-scan", "none"}, {"auto"}});
  add_fixed_choice(command, {"--balance", {"auto", "static", "thread", "warp", "donate", "lrb"}, {"auto"}});
  for (std::string const name : {"--fanout", "--async-pull", "--reduce"})
    command.add_option_function<std::string>(name, [name](const std::string&) { refuse(name); })->group(hidden);
  for (std::string const name : {"--local-all2all", "--uniquify"})
    command.add_flag_callback(name, [name] { refuse(name); })->group(hidden);
  auto const devices = [](const std::string& text) {
    if (parse_number("--devices", text, 1, std::numeric_limits<int>::max()) > 1)
      throw Error(ErrorKind::usage, fmt::format("--devices {} is not available in this build, which has 1", text));
  };
  command.add_option_function<std::string>("--devices", devices)->group(hidden);
}

void add_device(CLI::App& command)
{
  auto const check = [](const std::string& value) {
    checked({"--device", {"auto", "cpu", "cuda"}, {"auto", "cpu", "cuda"}}, value);
    if (value == "cuda")
      throw Error(ErrorKind::failure, "--device cuda: no usable GPU: this build has no CUDA; use --device cpu");
  };
  command.add_option_function<std::string>("--device", check, "where to search")->type_name("auto|cpu");
}

}  // namespace

void MessageOptions::require_sense() const
{
  if (quiet && verbose) throw Error(ErrorKind::usage, "--quiet contradicts --verbose; leave one out");
}

GraphOptions EngineOptions::graph() const
{
  if (partition == "1d" && threshold)
    throw Error(ErrorKind::usage, "--partition 1d has no delegates, which contradicts --threshold; leave one out");
  return {.directed = directed,
          .threshold = partition == "1d" ? std::optional(plain_threshold) : threshold,
          .threads = threads};
}

SearchOptions EngineOptions::search() const
{
  SearchOptions options;
  for (Direction const forced : {Direction::push, Direction::pull})
    if (direction == name_of(forced)) options.direction = forced;
  options.deterministic = deterministic;
  options.threads = threads;
  return options;
}

void ResultOptions::require_sense() const
{
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

void ResultOptions::write(const Report& report) const
{
  if (!json.empty()) write_json(to_json(report));
  if (!html.empty()) write_text_file(html, to_html(report));
}

CLI::Validator file_name()
{
  return CLI::Validator([](const std::string& name) { return name.empty() ? "the file name is empty" : ""; }, "");
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

void add_build_options(CLI::App& command, EngineOptions& options)
{
  add_threads(command, options);
  auto const threshold = [&options](const std::string& text) {
    if (text != "auto")
      options.threshold = parse_number("--threshold", text, 0, std::numeric_limits<std::uint64_t>::max() - 1);
  };
  command.add_option_function<std::string>("--threshold", threshold, "vertices of a higher degree are delegates")
      ->type_name("N|auto");
  add_choice(command, {"--partition", {"delegates", "1d", "2d"}, {"delegates", "1d"}}, options.partition,
             "1d: no delegates");
}

void add_search_options(CLI::App& command, EngineOptions& options)
{
  add_device(command);
  std::vector<std::string> const directions{"auto", name_of(Direction::push), name_of(Direction::pull)};
  add_choice(command, {"--direction", directions, directions}, options.direction, "search direction");
  command.add_flag("--deterministic", options.deterministic, "of all possible parents the smallest label");
  add_number(command, "--seed", options.seed, std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max(),
             "for random sources");
  add_options_of_later_builds(command);
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

void add_result_options(CLI::App& command, ResultOptions& options)
{
  add_json(command, options);
  command.add_option("--html", options.html, "write the result as a page")->type_name("FILE")->check(file_name());
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

void require_outputs(const std::vector<std::string>& files)
{
  for (auto file = files.begin(); file != files.end(); ++file) {
    if (file->empty() || *file == "-") continue;
    if (std::find(files.begin(), file, *file) != file)
      throw Error(ErrorKind::usage, fmt::format("{}: two outputs cannot be the same file", *file));
    require_writable(*file);
  }
}

}  // namespace brushfire::cli
