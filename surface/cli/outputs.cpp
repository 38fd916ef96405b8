#include "outputs.hpp"

#include <brushfire/error.hpp>
#include <brushfire/output.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>

namespace brushfire::cli {

namespace {

// Only of files that exist; streams, such as a terminal that is read and written, are not replaced.
bool same_file(const std::string& one, const std::string& other)
{
  std::error_code ignored;
  return std::filesystem::is_regular_file(one, ignored) && std::filesystem::equivalent(one, other, ignored);
}

// Also of files that are still to be written, as far as their names tell.
bool same_output(const std::string& one, const std::string& other)
{
  std::error_code ignored;
  auto const place = [&](const std::string& name) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(name, ignored), ignored);
  };
  bool const is_there = std::filesystem::exists(one, ignored);
  return one == other || (is_there ? same_file(one, other) : place(one) == place(other));
}

}  // namespace

CLI::Validator file_name()
{
  return CLI::Validator([](const std::string& name) { return name.empty() ? "the file name is empty" : ""; }, "");
}

CLI::Validator no_stdout()
{
  return CLI::Validator(
      [](const std::string& name) { return name == "-" ? "writes a file, not stdout; give it a name" : std::string(); },
      "");
}

void require_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs)
{
  std::vector<std::string> files;
  std::copy_if(outputs.begin(), outputs.end(), std::back_inserter(files),
               [](const std::string& name) { return !name.empty() && name != "-"; });
  for (auto file = files.begin(); file != files.end(); ++file) {
    auto const is_same = [&](const std::string& other) { return same_output(*file, other); };
    if (std::any_of(files.begin(), file, is_same))
      throw Error(ErrorKind::usage, fmt::format("{}: two outputs cannot be the same file; rename one", *file));
    for (const std::string& input : inputs)
      if (same_file(*file, input))
        throw Error(ErrorKind::usage,
                    fmt::format("{}: would overwrite the input {}; choose another output", *file, input));
    require_writable(*file);
  }
}

void require_table_name(const std::string& option, const std::string& file)
{
  if (!file.empty() && !file.ends_with(".txt") && !file.ends_with(".npy"))
    throw Error(ErrorKind::usage, fmt::format("{} {}: the name must end in .txt or .npy", option, file));
}

}  // namespace brushfire::cli
