#include "describe.hpp"

#include "options.hpp"

#include <brushfire/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <vector>

namespace brushfire::cli {

namespace {

// What a shell has to know of an option.
struct Described {
  std::vector<std::string> names;  // with their dashes
  std::string help;
  std::string value;                 // as --help shows it; empty: takes none
  std::vector<std::string> choices;  // words that the value may be
  bool file = false;                 // the value may be a file
};

struct DescribedCommand {
  std::string name, help, footer;
  std::vector<Described> options, positionals;
};

bool is_word(const std::string& text)
{
  return std::none_of(text.begin(), text.end(), [](unsigned char c) { return std::isupper(c) != 0; }) && text != "-";
}

Described described(const CLI::Option& option)
{
  Described result;
  for (auto const& name : option.get_snames()) result.names.push_back("-" + name);
  for (auto const& name : option.get_lnames()) result.names.push_back("--" + name);
  result.help = option.get_description();
  if (option.get_items_expected_max() > 0) result.value = option.get_type_name();
  if (!option.nonpositional()) result.value = option.get_name();
  std::istringstream words(result.value);
  for (std::string word; std::getline(words, word, '|');) {
    if (is_word(word)) result.choices.push_back(word);
    result.file |= word == "FILE" || word == "GRAPH" || word == "IN" || word == "OUT";
  }
  return result;
}

std::vector<DescribedCommand> commands_of(const CLI::App& program)
{
  std::vector<DescribedCommand> commands;
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    DescribedCommand result{command->get_name(), command->get_description(), command->get_footer(), {}, {}};
    for (const CLI::Option* option : command->get_options())
      if (!option->get_group().empty())  // those without a group are known only to be refused
        (option->nonpositional() ? result.options : result.positionals).push_back(described(*option));
    commands.push_back(std::move(result));
  }
  return commands;
}

std::string replaced(std::string text, std::string_view from, std::string_view to)
{
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

std::string quoted(const std::string& text) { return fmt::format("'{}'", replaced(text, "'", R"('\'')")); }

std::string joined_names(const std::vector<DescribedCommand>& commands)
{
  std::vector<std::string> names(commands.size());
  std::transform(commands.begin(), commands.end(), names.begin(), [](auto const& command) { return command.name; });
  return fmt::format("{}", fmt::join(names, " "));
}

std::string for_bash(const std::vector<DescribedCommand>& commands)
{
  std::string values, options;
  for (auto const& command : commands) {
    std::vector<std::string> names;
    for (auto const& option : command.options) {
      names.insert(names.end(), option.names.begin(), option.names.end());
      if (option.value.empty()) continue;
      for (auto const& name : option.names)
        values += fmt::format("  {},{}) mapfile -t COMPREPLY < <(compgen {}-W '{}' -- \"$word\"); return ;;\n",
                              command.name, name, option.file ? "-f " : "", fmt::join(option.choices, " "));
    }
    options += fmt::format("  {}) options='{}' ;;\n", command.name, fmt::join(names, " "));
  }
  return fmt::format(R"(# Completion of brushfire for bash.
_brushfire() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} options=''
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W '{} --help --version' -- "$word")
    return
  fi
  # Of --option=value readline makes three words.
  if [ "$word" = = ]; then
    word=''
  elif [ "$before" = = ]; then
    before=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  case ${{COMP_WORDS[1]}},$before in
{}  esac
  case ${{COMP_WORDS[1]}} in
{}  esac
  case $word in
  -*) mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word") ;;
  *) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
  esac
}}
complete -o filenames -F _brushfire brushfire
)",
                     joined_names(commands), values, options);
}

// In brackets of _arguments.
std::string for_brackets(const std::string& text)
{
  return replaced(replaced(replaced(text, "[", "\\["), "]", "\\]"), ":", "\\:");
}

std::string zsh_argument(const Described& option)
{
  std::string value;
  if (!option.value.empty()) {
    std::string const choices = option.choices.empty() ? "" : fmt::format("({})", fmt::join(option.choices, " "));
    value = fmt::format(":{}:{}", for_brackets(option.value), option.file ? "_files" : choices.empty() ? " " : choices);
  }
  std::vector<std::string> arguments;
  for (auto const& name : option.names)
    arguments.push_back(quoted(fmt::format("{}[{}]{}", name, for_brackets(option.help), value)));
  return fmt::format("{}", fmt::join(arguments, " "));
}

std::string for_zsh(const std::vector<DescribedCommand>& commands)
{
  std::string names, cases;
  for (auto const& command : commands) {
    names += fmt::format("  {}\n", quoted(command.name + ":" + command.help));
    cases += fmt::format("  {}) _arguments \\\n", command.name);
    for (auto const& option : command.options) cases += fmt::format("      {} \\\n", zsh_argument(option));
    cases += fmt::format("      {} ;;\n", command.positionals.empty() ? "''" : "'*:graph or file:_files'");
  }
  return fmt::format(R"(#compdef brushfire
# Completion of brushfire for zsh.
local context state line
typeset -A opt_args
local -a commands=(
{})
_arguments -C '--help[print help]' '--version[print the version]' '1:command:->command' '*::argument:->argument'
case $state in
command) _describe command commands ;;
argument)
  case $words[1] in
{}  esac ;;
esac
)",
                     names, cases);
}

std::string for_fish(const std::vector<DescribedCommand>& commands)
{
  std::string lines = "# Completion of brushfire for fish.\ncomplete -c brushfire -f\n";
  for (auto const& command : commands)
    lines +=
        fmt::format("complete -c brushfire -n __fish_use_subcommand -a {} -d {}\n", command.name, quoted(command.help));
  for (auto const& command : commands) {
    std::string const start = fmt::format("complete -c brushfire -n '__fish_seen_subcommand_from {}'", command.name);
    if (!command.positionals.empty()) lines += start + " -F\n";
    for (auto const& option : command.options) {
      lines += start;
      for (auto const& name : option.names)
        lines += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!option.value.empty()) lines += option.file ? " -r -F" : " -x";
      if (!option.choices.empty()) lines += fmt::format(" -a '{}'", fmt::join(option.choices, " "));
      lines += " -d " + quoted(option.help) + "\n";
    }
  }
  return lines;
}

// Dashes are dashes, and a line that starts with a dot is text.
std::string for_troff(const std::string& text)
{
  std::string const plain = replaced(replaced(text, "\\", "\\e"), "-", "\\-");
  return plain.starts_with('.') || plain.starts_with('\'') ? "\\&" + plain : plain;
}

std::string man_option(const Described& option)
{
  std::vector<std::string> names;
  for (auto const& name : option.names) names.push_back(fmt::format("\\fB{}\\fR", for_troff(name)));
  std::string const value = option.value.empty() ? "" : fmt::format(" \\fI{}\\fR", for_troff(option.value));
  return fmt::format(".TP\n{}{}\n{}\n", fmt::join(names, ", "), value, for_troff(option.help));
}

std::string for_man(const std::vector<DescribedCommand>& commands, const CLI::App& program)
{
  std::string page = fmt::format(
      R"(.TH BRUSHFIRE 1 "" "brushfire {}" "User Commands"
.SH NAME
brushfire \- breadth\-first search as fast as the hardware allows
.SH SYNOPSIS
.B brushfire
.I COMMAND
[\fIOPTION\fR...]
.SH DESCRIPTION
{}
Results go to stdout, progress and remarks to stderr.
A graph is a file (.el, .wel, .txt, .csv, .tsv, .mtx, .gr, .graph, .sg, .bfg; all but the last may be compressed)
or a generator: kron:SCALE, uniform:SCALE, powerlaw:N:EXPONENT, tail:SCALE:LENGTH, grid:ROWSxCOLS, path:N, cycle:N,
star:N, complete:N, tree:ARITYxDEPTH.
.SH COMMANDS
)",
      version(), for_troff(program.get_description()));
  for (auto const& command : commands) {
    page += fmt::format(".SS \"brushfire {}", command.name);
    for (auto const& positional : command.positionals) page += fmt::format(" {}", for_troff(positional.value));
    page += fmt::format("\"\n{}\n", for_troff(command.help));
    for (auto const& option : command.options) page += man_option(option);
    if (!command.footer.empty()) page += fmt::format(".PP\n{}\n", for_troff(command.footer));
  }
  page += ".SH EXIT STATUS\n";
  for (auto const& [code, meaning] :
       std::initializer_list<std::pair<int, const char*>>{{0, "done"},
                                                          {1, "failed at run time"},
                                                          {2, "the request makes no sense"},
                                                          {3, "a search or a parent array broke a rule"},
                                                          {4, "not enough memory"},
                                                          {5, "the input cannot be read or is malformed"},
                                                          {130, "interrupted"}})
    page += fmt::format(".TP\n{}\n{}\n", code, meaning);
  return page;
}

}  // namespace

std::string describe_for(std::string_view reader, const CLI::App& program)
{
  auto const commands = commands_of(program);
  if (reader == "man") return for_man(commands, program);
  if (reader == "bash") return for_bash(commands);
  if (reader == "zsh") return for_zsh(commands);
  if (reader == "fish") return for_fish(commands);
  throw Error(ErrorKind::usage, fmt::format("--describe-for man, bash, zsh or fish, not '{}'", reader));
}

}  // namespace brushfire::cli
