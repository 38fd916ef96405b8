#include "input/format.hpp"

#include "base/error.hpp"

#include <string_view>
#include <utility>

namespace brushfire {

FileFormat format_of(const std::filesystem::path& path)
{
  constexpr std::pair<std::string_view, Format> formats[] = {
      {".el", Format::edge_list}, {".txt", Format::edge_list}, {".wel", Format::weighted_edge_list},
      {".csv", Format::csv},      {".tsv", Format::tsv},       {".mtx", Format::matrix_market},
      {".gr", Format::dimacs},    {".graph", Format::metis},   {".sg", Format::serialized},
  };
  FileFormat result;
  std::filesystem::path name = path.filename();
  if (name.extension() == ".gz") result.compression = Compression::gzip;
  if (name.extension() == ".zst") result.compression = Compression::zstd;
  if (result.compression != Compression::none) name = name.stem();
  for (auto const& [extension, format] : formats)
    if (name.extension() == extension) result.format = format;
  return result;
}

void require_known_format(const std::filesystem::path& path)
{
  if (format_of(path).format == Format::unknown)
    fail(ErrorKind::usage, "{}: unknown format; the name may end in {}, each also with .gz or .zst", path.string(),
         format_names);
}

}  // namespace brushfire
