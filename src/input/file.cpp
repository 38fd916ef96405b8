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
#include "input/text_share.hpp"

#include <utility>

namespace brushfire {

namespace {

Section<std::byte> unpacked_whole(std::span<const std::byte> packed, const std::string& name)
{
  // While it grows, the old half and the new whole are there at the same time.
  return Section<std::byte>(unpack(packed, name, available_memory_bytes() / 2));
}

// The first characters of what a file holds, packed or not.
std::string start_of(std::span<const std::byte> bytes, const std::string& name)
{
  std::string start;
  auto const take = [&](std::span<const std::byte> chunk) {
    start = text_of(chunk).substr(0, 64);
    return false;
  };
  if (compression_of(bytes) == Compression::none)
    take(bytes);
  else
    unpack_in_chunks(bytes, name, take);
  return start;
}

std::unique_ptr<FileShare> read_text(const TextShare& text, Format format, Team team, Progress& progress)
{
  switch (format) {
    case Format::matrix_market:
      return read_matrix_market(text, team, progress);
    case Format::dimacs:
      return read_dimacs(text, team, progress);
    case Format::metis:
      return read_metis(text, team, progress);
    case Format::csv:
    case Format::tsv:
      return read_edge_list(text, ColumnNames::allowed, team, progress);
    case Format::edge_list:
    case Format::weighted_edge_list:
    case Format::serialized:
    case Format::unknown:
      break;
  }
  return read_edge_list(text, ColumnNames::none, team, progress);
}

std::unique_ptr<FileShare> read_plain(Section<std::byte> bytes, const std::string& name, Format format, Team team,
                                      Progress& progress, Share share)
{
  if (format == Format::serialized) return read_serialized(std::move(bytes), name, team, share);
  return read_text(TextShare(text_of(bytes.span()), name, share), format, team, progress);
}

std::unique_ptr<FileShare> read_packed(std::span<const std::byte> packed, const std::string& name, Format format,
                                       Team team, Progress& progress, Share share)
{
  if (format == Format::serialized) return read_packed_serialized(packed, name, team, share);
  return read_text(TextShare::of_packed(packed, name, share), format, team, progress);
}

}  // namespace

std::unique_ptr<FileShare> open_edge_file_share(const std::filesystem::path& path, Share share, Team team,
                                                Progress& progress)
{
  std::string const name = path.string();
  auto file = std::make_shared<const MappedFile>(path);
  Section<std::byte> bytes(file->bytes(), file);
  std::string const start = start_of(bytes.span(), name);
  if (start.empty()) fail(ErrorKind::input, "{}: is empty", name);
  if (start.starts_with("BRUSHFIR"))
    fail(ErrorKind::input, "{}: is a packed Brushfire graph; unpack it first, it is read by mapping it", name);
  Format const format = has_matrix_market_banner(start) ? Format::matrix_market : format_of(path).format;

  // A whole file is unpacked once and read by all threads; of a share, no more is in memory than its part.
  bool const in_chunks = compression_of(bytes.span()) != Compression::none && !share.is_whole();
  if (compression_of(bytes.span()) != Compression::none && !in_chunks) bytes = unpacked_whole(bytes.span(), name);
  auto const [first, last] = share.of(bytes.size());
  progress.begin("reading " + name + (share.is_whole() ? "" : " on each rank"), last - first, "bytes");
  auto source = in_chunks ? read_packed(bytes.span(), name, format, team, progress, share)
                          : read_plain(std::move(bytes), name, format, team, progress, share);
  source->finds_others_by([path, team](Share other) -> std::unique_ptr<EdgeSource> {
    return open_edge_file_share(path, other, team, Progress::none());
  });
  progress.end();
  return source;
}

std::unique_ptr<EdgeSource> open_edge_file(const std::filesystem::path& path, Team team, Progress& progress)
{
  return open_edge_file_share(path, Share{}, team, progress);
}

}  // namespace brushfire
