// Small outputs, written in one go through OutputFile: a reader never sees half of one.
#include "base/error.hpp"
#include "base/output_file.hpp"

#include <brushfire/output.hpp>

#include <cerrno>
#include <cstring>

#include <unistd.h>

namespace brushfire {

void write_text_file(const std::filesystem::path& path, std::string_view text)
{
  OutputFile file(path);
  file.write(text);
  file.commit();
}

void require_writable(const std::filesystem::path& path)
{
  if (outputs_are_discarded()) return;
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) fail(ErrorKind::failure, "{}: is a directory", path.string());
  // A new name appears in the folder even where the file exists; a device or a pipe is opened as it is.
  bool const special = std::filesystem::exists(path, ignored) && is_stream(path);
  auto const file = special ? path : end_of_links(path);
  auto const folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  if (access((special ? path : folder).c_str(), special ? W_OK : W_OK | X_OK) != 0)
    fail(ErrorKind::failure, "{}: cannot be written: {}", path.string(), std::strerror(errno));
}

}  // namespace brushfire
