// The program: understands the command line, runs one command, and turns whatever went wrong into one
// line on stderr and an exit code. This is the only place where exceptions end. As one rank of a job it ends with the
// others: one line of all, and one code.
#include "command.hpp"
#include "describe.hpp"
#include "interrupt.hpp"
#include "silence.hpp"

#include <brushfire/error.hpp>
#include <brushfire/job.hpp>
#include <brushfire/report.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <malloc.h>
#include <sys/resource.h>

namespace brushfire::cli {

namespace {

struct Ending {
  int code = 0;
  std::string message{};
};

Ending complaint(std::string message, ErrorKind kind)
{
  std::replace(message.begin(), message.end(), '\n', ' ');
  return {static_cast<int>(kind), message};
}

// The other commands are the first rank's alone.
bool is_for_all_ranks(const CLI::App& command)
{
  auto const& name = command.get_name();
  return name == "graph500" || name == "bfs" || name == "bench";
}

// " bfs" when the first word is a command, nothing when it is not.
std::string chosen_command(const CLI::App& program, int argc, char** argv)
{
  auto const is_chosen = [&](const CLI::App* command) { return argc > 1 && command->get_name() == argv[1]; };
  return program.get_subcommands(is_chosen).empty() ? "" : fmt::format(" {}", argv[1]);
}

// What is missing or wrong may be so because of an option that is not called like that: it is the first to be named.
std::optional<std::string> unknown_option(const CLI::App& program)
{
  constexpr bool of_commands_too = true;
  auto const rest = program.remaining(of_commands_too);
  auto const is_option = [](const std::string& word) { return word.starts_with('-') && word != "--"; };
  auto const found = std::find_if(rest.begin(), rest.end(), is_option);
  return found == rest.end() ? std::nullopt : std::optional(*found);
}

std::string what_is_wrong(const CLI::App& program, const CLI::ParseError& error)
{
  if (auto const unknown = unknown_option(program)) return fmt::format("unknown option '{}'", *unknown);
  std::string const said = error.what();
  auto const twice = said.find(": At Most 1 required");
  return twice == std::string::npos ? said : said.substr(0, twice) + " is given more than once";
}

Ending understand_and_run(const Job& job, int argc, char** argv)
{
  if (!job.problem().empty()) return complaint(job.problem(), ErrorKind::failure);
  if (!job.same_on_all_ranks(fmt::format("{}", fmt::join(argv + std::min(1, argc), argv + argc, "\n"))))
    return complaint("the ranks were started with different arguments; give all of them the same", ErrorKind::usage);
  CLI::App program("Breadth-first search as fast as the hardware allows.", "brushfire");
  program.set_version_flag("--version", "brushfire " + version(), "print the version");
  program.set_help_flag("-h,--help", "print this help");
  program.footer("Every command explains itself: brushfire bfs --help");
  program.get_formatter()->column_width(34);
  program.require_subcommand(1);

  Run run;
  add_graph500(program, run);
  add_bfs(program, run);
  add_bench(program, run);
  add_generate(program, run);
  add_convert(program, run);
  add_info(program, run);
  add_validate(program, run);
  add_plan(program, run);
  add_components(program, run);
  add_diameter(program, run);
  add_closeness(program, run);
  add_report(program, run);
  add_devices(program, run);

  std::string const command = chosen_command(program, argc, argv);
  if (argc < 2) return complaint("a command is required; see 'brushfire --help'", ErrorKind::usage);
  std::string_view const first = argv[1];
  if (first == "--describe-for" && argc == 3) {  // for installing, and of no use to anybody else
    fmt::print("{}", describe_for(argv[2], program));
    return {};
  }
  if (command.empty() && first != "-h" && first != "--help" && first != "--version")
    return complaint(fmt::format("unknown command '{}'; see 'brushfire --help'", first), ErrorKind::usage);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return {program.exit(error)};  // --help, --version
    return complaint(fmt::format("{}; see 'brushfire{} --help'", what_is_wrong(program, error), command),
                     ErrorKind::usage);
  }
  bool const takes_part = job.rank() == 0 || is_for_all_ranks(*program.get_subcommands().front());
  return {takes_part ? run() : 0};
}

template <typename Body>
Ending guarded(Body&& body)
{
  try {
    return body();
  } catch (const Error& error) {
    return complaint(error.what(), error.kind());
  } catch (const std::bad_alloc&) {
    return complaint(
        "not enough memory; try a smaller graph, and 'brushfire info GRAPH --dry-run' to see what one takes",
        ErrorKind::memory);
  } catch (const std::exception& error) {
    return complaint(error.what(), ErrorKind::failure);
  }
}

Ending run_and_flush(const Job& job, int argc, char** argv)
{
  auto const unwritable = [](int reason) {
    return complaint(fmt::format("standard output cannot be written: {}", std::strerror(reason)), ErrorKind::failure);
  };
  Ending ending;
  try {
    ending = understand_and_run(job, argc, argv);
  } catch (const std::system_error& error) {  // of a print that was too long for the buffer
    if (std::ferror(stdout) == 0) throw;
    return unwritable(error.code().value());
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) return unwritable(errno);
  return ending;
}

// A thread's first allocation reserves 64 MiB for an arena of its own, which a limited address space may not have for
// every thread of a large machine. Little is allocated where threads are many at work, so they can share.
void let_threads_share_arenas()
{
#ifdef M_ARENA_MAX  // of the GNU C library
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  if (setenv("MALLOC_ARENA_MAX", "4", 0) == 0)
    mallopt(M_ARENA_MAX, std::max(1, std::atoi(std::getenv("MALLOC_ARENA_MAX"))));
#endif
}

// The library is built for processors from 2009 on; on an older one, or a virtual machine that pretends to be one, it
// would end by a signal.
bool processor_will_do()
{
#ifdef __x86_64__
  return __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("sse4.2");
#else
  return true;
#endif
}

}  // namespace

}  // namespace brushfire::cli

int main(int argc, char** argv)
{
  using namespace brushfire::cli;
  if (!processor_will_do()) {
    std::fputs("brushfire: this processor lacks POPCNT or SSE4.2; give the virtual machine a newer one (x86-64-v2)\n",
               stderr);
    return static_cast<int>(brushfire::ErrorKind::failure);
  }
  let_threads_share_arenas();
  clean_up_when_interrupted();
  std::optional<brushfire::Job> job;
  Ending const start = guarded([&] {
    job.emplace(let_interrupts_through);
    return Ending{};
  });
  if (!job) {  // there are no other ranks to end with
    brushfire::Job::say_last(fmt::format("brushfire: {}\n", start.message));
    brushfire::Job::forget_board();
    return start.code;
  }
  leave_when_a_rank_dies();
  if (job->rank() != 0) keep_silent();
  Ending const ending = guarded([&] { return run_and_flush(*job, argc, argv); });
  return job->end(ending.code, ending.message);
}
