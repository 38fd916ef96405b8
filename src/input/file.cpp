#include "input/file.hpp"

#include "base/buffer.hpp"
#include "base/error.hpp"
#include "base/mapped_file.hpp"
#include "base/memory.hpp"
#include "input/compressed.hpp"
#include "input/dimacs.hpp"
#include "input/edge_list.hpp"
#include "input/format.hpp"
#include "input/matrix_market.hpp"
#include "input/metis.hpp"
#include "input/serialized.hpp"
#include "input/text.hpp"

#include <utility>

namespace brushfire {

namespace {

std::unique_ptr<EdgeSource> read_edges(Section<std::byte> bytes, const std::string& name, Format format, Team team,
                                       Progress& progress)
{
  if (has_matrix_market_banner(bytes.span())) format = Format::matrix_market;
  switch (format) {
    case Format::matrix_market:
      return read_matrix_market(bytes.span(), name, team, progress);
    case Format::dimacs:
      return read_dimacs(bytes.span(), name, team, progress);
    case Format::metis:
      return read_metis(bytes.span(), name, team, progress);
    case Format::serialized:
      return read_serialized(std::move(bytes), name, team);
    case Format::csv:
    case Format::tsv:
      return read_edge_list(bytes.span(), name, ColumnNames::allowed, team, progress);
    case Format::edge_list:
    case Format::weighted_edge_list:
    case Format::unknown:
      break;
  }
  return read_edge_list(bytes.span(), name, ColumnNames::none, team, progress);
}

Section<std::byte> plain_bytes(const std::filesystem::path& path)
{
  auto file = std::make_shared<const MappedFile>(path);
  auto const bytes = file->bytes();
  if (compression_of(bytes) == Compression::none) return Section<std::byte>(bytes, std::move(file));
  // While it grows, the old half and the new whole are there at the same time.
  return Section<std::byte>(unpack(bytes, path.string(), available_memory_bytes() / 2));
}

}  // namespace

std::unique_ptr<EdgeSource> open_edge_file(const std::filesystem::path& path, Team team, Progress& progress)
{
  std::string const name = path.string();
  Section<std::byte> bytes = plain_bytes(path);
  if (bytes.size() == 0) fail(ErrorKind::input, "{}: is empty", name);
  if (text_of(bytes.span()).starts_with("BRUSHFIR"))
    fail(ErrorKind::input, "{}: is a packed Brushfire graph; unpack it first, it is read by mapping it", name);
  progress.begin("reading " + name, bytes.size(), "bytes");
  auto source = read_edges(std::move(bytes), name, format_of(path).format, team, progress);
  progress.end();
  return source;
}

}  // namespace brushfire
