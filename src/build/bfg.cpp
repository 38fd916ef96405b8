#include "build/bfg.hpp"

#include "base/checksum.hpp"
#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/room.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <limits>
#include <vector>

namespace brushfire {

namespace {

static_assert(std::endian::native == std::endian::little, ".bfg files hold little-endian numbers");

constexpr std::array<char, 8> magic = {'B', 'R', 'U', 'S', 'H', 'F', 'I', 'R'};
constexpr std::uint32_t format_version = 1;
constexpr std::uint64_t alignment = 64;
constexpr std::size_t section_count = 11;
constexpr std::array<const char*, section_count> section_names = {
    "labels",      "delegates", "input degrees", "row starts",   "row splits",    "row bases",
    "row targets", "in starts", "in splits",     "in row bases", "in row targets"};

enum Flags : std::uint32_t { flag_directed = 1, flag_consecutive_labels = 2 };

struct FileSection {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;
};

struct Header {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t flags;
  std::uint64_t file_bytes;
  std::uint64_t vertices;
  std::uint64_t delegates;
  std::uint64_t threshold;
  std::int64_t first_label;
  std::uint64_t edges_input;
  std::uint64_t self_loops;
  std::array<std::uint64_t, subgraph_count> entries;
  std::array<FileSection, section_count> sections;
  std::uint64_t checksum;  // of everything above
};
static_assert(std::is_trivially_copyable_v<Header> && sizeof(Header) % 8 == 0);

std::uint64_t checksum_of(const Header& header)
{
  return checksum(std::as_bytes(std::span(&header, 1)).first(sizeof(Header) - sizeof(header.checksum)));
}

using SectionBytes = std::array<std::span<const std::byte>, section_count>;

SectionBytes sections_of(const Layout& layout, const Labels& labels)
{
  SectionBytes sections = {std::as_bytes(labels.table()),
                           std::as_bytes(layout.delegate_vertices.span()),
                           std::as_bytes(layout.input_degrees.span()),
                           std::as_bytes(layout.out.starts.span()),
                           std::as_bytes(layout.out.splits.span()),
                           std::as_bytes(layout.out.bases.span()),
                           std::as_bytes(layout.out.targets.span())};
  if (layout.directed) {
    sections[7] = std::as_bytes(layout.in.starts.span());
    sections[8] = std::as_bytes(layout.in.splits.span());
    sections[9] = std::as_bytes(layout.in.bases.span());
    sections[10] = std::as_bytes(layout.in.targets.span());
  }
  return sections;
}

// The sizes the sections must have; the targets are as long as the subgraphs say.
std::array<std::uint64_t, section_count> expected_bytes(const Header& header)
{
  std::uint64_t const rows = header.vertices + header.delegates;
  std::uint64_t entries = 0;
  for (std::uint64_t const count : header.entries) entries += count;
  std::uint64_t const starts = (rows + 1) * sizeof(std::uint32_t);
  std::uint64_t const splits = header.delegates == 0 ? 0 : rows * sizeof(std::uint32_t);
  std::uint64_t const bases = ((rows + rows_per_base - 1) / rows_per_base + 1) * sizeof(std::uint64_t);
  std::uint64_t const targets = entries * sizeof(Vertex);
  std::uint64_t const in = (header.flags & flag_directed) != 0 ? 1 : 0;
  return {(header.flags & flag_consecutive_labels) != 0 ? 0 : header.vertices * sizeof(Label),
          header.delegates * sizeof(Vertex),
          header.vertices * sizeof(std::uint32_t),
          starts,
          splits,
          bases,
          targets,
          in * starts,
          in * splits,
          in * bases,
          in * targets};
}

Header checked_header(const MappedFile& file)
{
  auto const bytes = file.bytes();
  std::string const name = file.path().string();
  Header header;
  if (bytes.size() < sizeof(Header)) fail(ErrorKind::input, "{}: is cut short: the header is not complete", name);
  std::memcpy(&header, bytes.data(), sizeof(Header));
  if (header.magic != magic) fail(ErrorKind::input, "{}: is not a .bfg file", name);
  if (header.version != format_version)
    fail(ErrorKind::input, "{}: has .bfg version {}, this program reads version {}; convert it again", name,
         header.version, format_version);
  if (header.checksum != checksum_of(header)) fail(ErrorKind::input, "{}: the header is damaged", name);
  if (header.file_bytes != bytes.size())
    fail(ErrorKind::input, "{}: has {} bytes where its header says {}", name, bytes.size(), header.file_bytes);
  // Each number is bounded by the file's length before it is multiplied.
  bool plausible =
      header.vertices <= bytes.size() / sizeof(std::uint32_t) && header.delegates <= header.vertices &&
      header.vertices + header.delegates < std::numeric_limits<Vertex>::max() && header.first_label >= 0 &&
      header.first_label <= largest_label - static_cast<Label>(std::max<std::uint64_t>(header.vertices, 1) - 1);
  for (std::uint64_t const count : header.entries) plausible = plausible && count <= bytes.size() / sizeof(Vertex);
  plausible = plausible && (header.vertices > 0 || header.entries == decltype(header.entries){});
  if (plausible) {
    auto const expected = expected_bytes(header);
    for (std::size_t i = 0; i < section_count; ++i) {
      FileSection const& section = header.sections[i];
      plausible = plausible && section.bytes == expected[i] && section.offset % alignment == 0 &&
                  section.offset <= bytes.size() && section.bytes <= bytes.size() - section.offset;
    }
  }
  if (!plausible) fail(ErrorKind::input, "{}: the section table contradicts itself", name);
  return header;
}

template <typename T>
Section<T> section_of(const std::shared_ptr<const MappedFile>& file, const FileSection& section)
{
  auto const* const start = reinterpret_cast<const T*>(file->bytes().data() + section.offset);
  return Section<T>({start, section.bytes / sizeof(T)}, file);
}

}  // namespace

bool is_bfg(const std::filesystem::path& path)
{
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;  // a pipe may never answer
  std::ifstream file(path, std::ios::binary);
  std::array<char, magic.size()> start{};
  return file.read(start.data(), start.size()) && start == magic;
}

void write_bfg(const std::filesystem::path& path, const Layout& layout, const Labels& labels, const BfgCounts& counts)
{
  SectionBytes const sections = sections_of(layout, labels);
  Header header{};
  header.magic = magic;
  header.version = format_version;
  header.flags = (layout.directed ? flag_directed : 0u) | (labels.consecutive() ? flag_consecutive_labels : 0u);
  header.vertices = layout.vertices;
  header.delegates = layout.delegates;
  header.threshold = layout.threshold;
  header.first_label = labels.first();
  header.edges_input = counts.edges_input;
  header.self_loops = counts.self_loops;
  header.entries = counts.entries;
  std::uint64_t end = sizeof(Header);
  for (std::size_t i = 0; i < section_count; ++i) {
    header.sections[i] = {round_up(end, alignment), sections[i].size(), checksum(sections[i])};
    end = header.sections[i].offset + sections[i].size();
  }
  header.file_bytes = end;
  header.checksum = checksum_of(header);

  OutputFile file(path);
  file.write(std::as_bytes(std::span(&header, 1)));
  std::uint64_t written = sizeof(Header);
  for (std::size_t i = 0; i < section_count; ++i) {
    file.write(std::vector<std::byte>(header.sections[i].offset - written));
    file.write(sections[i]);
    written = header.sections[i].offset + sections[i].size();
  }
  file.commit();
}

BfgGraph open_bfg(const std::filesystem::path& path)
{
  auto const file = std::make_shared<const MappedFile>(path);
  Header const header = checked_header(*file);
  auto const& sections = header.sections;
  BfgGraph graph;
  graph.file = file;
  graph.counts = {header.edges_input, header.self_loops, header.entries};
  graph.labels = (header.flags & flag_consecutive_labels) != 0 ? Labels::of_range({header.first_label, header.vertices})
                                                               : Labels::of_table(section_of<Label>(file, sections[0]));
  Layout& layout = graph.layout;
  layout.vertices = static_cast<Vertex>(header.vertices);
  layout.delegates = static_cast<Vertex>(header.delegates);
  layout.threshold = header.threshold;
  layout.directed = (header.flags & flag_directed) != 0;
  layout.delegate_vertices = section_of<Vertex>(file, sections[1]);
  layout.input_degrees = section_of<std::uint32_t>(file, sections[2]);
  auto const adjacency = [&](std::size_t first) {
    return Adjacency{
        section_of<std::uint32_t>(file, sections[first]), section_of<std::uint32_t>(file, sections[first + 1]),
        section_of<std::uint64_t>(file, sections[first + 2]), section_of<Vertex>(file, sections[first + 3])};
  };
  layout.out = adjacency(3);
  layout.in = layout.directed ? adjacency(7) : layout.out;
  return graph;
}

void verify_bfg(const MappedFile& file, Team team)
{
  Header const header = checked_header(file);
  team.for_blocks(section_count, 1, [&](std::uint64_t i, std::uint64_t, int) {
    FileSection const& section = header.sections[i];
    if (checksum(file.bytes().subspan(section.offset, section.bytes)) != section.checksum)
      fail(ErrorKind::input, "{}: the section \"{}\" is damaged; make the file again from its source",
           file.path().string(), section_names[i]);
  });
}

}  // namespace brushfire
