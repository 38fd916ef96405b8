#include "engine/open.hpp"

#include "base/error.hpp"
#include "base/memory.hpp"
#include "build/bfg.hpp"
#include "input/file.hpp"
#include "input/generator.hpp"

#include <brushfire/graph.hpp>
#include <brushfire/units.hpp>

#include <filesystem>

namespace brushfire {

namespace {

// An edge takes at least 4 bytes of a list ("1 2\n") and becomes a tuple of 8 in memory.
void require_memory_for(const std::filesystem::path& path)
{
  std::error_code error;
  std::uint64_t const bytes = std::filesystem::file_size(path, error);
  if (error) return;  // the reader says it better
  std::uint64_t const available = available_memory_bytes();
  if (bytes / 4 * 8 > available)
    fail(ErrorKind::memory,
         "{}: reading {} of text may take {}, and {} are available; convert it to .sg or .bfg elsewhere", path.string(),
         human_bytes(bytes), human_bytes(2 * bytes), human_bytes(available));
}

}  // namespace

bool names_stored_graph(const std::string& spec)
{
  if (names_generator(spec)) return false;
  if (is_bfg(spec)) return true;
  std::error_code ignored;
  if (spec.ends_with(".bfg") && std::filesystem::is_regular_file(spec, ignored))
    fail(ErrorKind::input, "{}: does not begin as a .bfg file does; convert the graph again", spec);
  return false;
}

std::shared_ptr<const EdgeSource> open_tuples(const std::string& spec, Team team, Progress& progress)
{
  std::error_code ignored;  // a name that cannot even be asked about is refused by the reader
  bool const is_file = std::filesystem::exists(spec, ignored);
  if (!is_file && names_generator(spec)) return open_generator(spec);
  if (auto const colon = spec.find(':'); !is_file && colon != std::string::npos && spec.find('/') == std::string::npos)
    fail(ErrorKind::input, "{}: there is no such file, and no generator is called {}", spec, spec.substr(0, colon));
  if (!spec.ends_with(".sg")) require_memory_for(spec);
  return open_edge_file(spec, team, progress);
}

}  // namespace brushfire
