#include "input/vertex_values.hpp"

#include "base/error.hpp"
#include "base/mapped_file.hpp"
#include "input/ordered_output.hpp"
#include "input/text.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

namespace brushfire {

namespace {

constexpr std::uint64_t values_per_chunk = 1 << 16;
constexpr std::string_view npy_magic = "\x93NUMPY";

enum class Kind { txt, npy };

Kind kind_of(const std::filesystem::path& path)
{
  if (path.extension() == ".txt") return Kind::txt;
  if (path.extension() == ".npy") return Kind::npy;
  fail(ErrorKind::usage, "{}: values of vertices are kept in .txt or .npy files", path.string());
}

// Version 1.0 of the format: magic, length of the header, a dictionary, blanks up to a multiple of 64 bytes.
std::string npy_header(std::uint64_t size)
{
  std::string dictionary = fmt::format("{{'descr': '<i8', 'fortran_order': False, 'shape': ({},), }}", size);
  std::size_t const prefix = npy_magic.size() + 4;
  dictionary.append(63 - (prefix + dictionary.size()) % 64, ' ');
  dictionary += '\n';
  std::string header(npy_magic);
  header += {'\1', '\0', static_cast<char>(dictionary.size() & 0xff), static_cast<char>(dictionary.size() >> 8)};
  return header + dictionary;
}

// What follows `key` in the dictionary of a header, blanks skipped.
std::string_view value_behind(std::string_view dictionary, std::string_view key, const std::string& name)
{
  std::size_t at = dictionary.find(key);
  if (at != std::string_view::npos) at = dictionary.find(':', at + key.size());
  if (at != std::string_view::npos) at = dictionary.find_first_not_of(' ', at + 1);
  if (at == std::string_view::npos) fail(ErrorKind::input, "{}: the .npy header has no {}", name, key);
  return dictionary.substr(at);
}

// An array of integers in the memory of a .npy file.
struct NpyArray {
  const std::byte* values = nullptr;
  std::uint64_t size = 0;
  std::size_t width = 8;
  bool is_signed = true;

  Label operator[](std::uint64_t index) const
  {
    if (width == 8) return load<std::int64_t>(index);
    return is_signed ? Label{load<std::int32_t>(index)} : Label{load<std::uint32_t>(index)};
  }

 private:
  template <typename T>
  T load(std::uint64_t index) const
  {
    T value;
    std::memcpy(&value, values + index * sizeof(T), sizeof(T));
    return value;
  }
};

NpyArray parse_npy(std::span<const std::byte> bytes, const std::string& name)
{
  std::string_view const file(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  auto const byte_at = [&](std::size_t at) { return std::to_integer<std::uint32_t>(bytes[at]); };
  if (!file.starts_with(npy_magic) || file.size() < 12) fail(ErrorKind::input, "{}: is not a .npy file", name);
  std::uint32_t const version = byte_at(6);
  if (version < 1 || version > 3) fail(ErrorKind::input, "{}: .npy version {} is not known", name, version);
  std::size_t const start = version == 1 ? 10 : 12;
  std::size_t length = byte_at(8) + (byte_at(9) << 8);
  if (version > 1) length += (byte_at(10) << 16) + (byte_at(11) << 24);
  if (length > file.size() - start) fail(ErrorKind::input, "{}: truncated .npy header", name);
  std::string_view const dictionary = file.substr(start, length);

  NpyArray array;
  std::string_view const type = value_behind(dictionary, "'descr'", name).substr(0, 5);
  if (type != "'<i8'" && type != "'<i4'" && type != "'<u4'")
    fail(ErrorKind::input, "{}: expected an array of int64, int32 or uint32, found {}", name, type);
  array.is_signed = type[2] == 'i';
  array.width = type[3] == '8' ? 8 : 4;
  array.values = bytes.data() + start + length;

  auto const refuse_shape = [&] { fail(ErrorKind::input, "{}: expected an array of one dimension", name); };
  Scanner shape(value_behind(dictionary, "'shape'", name));
  if (shape.peek() != '(') refuse_shape();
  shape = Scanner(shape.rest().substr(1));
  std::string_view const rest = shape.rest();
  std::size_t const digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  std::string_view const tail = rest.substr(digits);
  if (digits == 0 || digits > 18 || !(tail.starts_with(",)") || tail.starts_with(", )"))) refuse_shape();
  array.size = static_cast<std::uint64_t>(Scanner(rest.substr(0, digits)).number());
  std::size_t const left = file.size() - start - length;
  if (array.size > left / array.width || array.size * array.width != left)
    fail(ErrorKind::input, "{}: promises {} values of {} bytes, but {} bytes follow", name, array.size, array.width,
         left);
  return array;
}

}  // namespace

void require_vertex_values_fit(const std::filesystem::path& path, const Labels& labels)
{
  if (kind_of(path) == Kind::txt || labels.size() == 0) return;
  // A damaged label table may end in a negative number.
  if (labels.largest() < 0 || labels.largest() / 2 >= labels.size())
    fail(ErrorKind::usage, "{}: the labels go up to {} and only {} occur, an array would be mostly gaps; write .txt",
         path.string(), labels.largest(), labels.size());
}

void write_vertex_values(const std::filesystem::path& path, const Labels& labels,
                         const std::function<Label(Vertex)>& value, Team team)
{
  require_vertex_values_fit(path, labels);
  Kind const kind = kind_of(path);
  OrderedOutput out(path, Compression::none, team);
  if (kind == Kind::txt) {
    out.write_range(labels.size(), values_per_chunk, [&](std::uint64_t first, std::uint64_t last, std::string& chunk) {
      for (auto vertex = static_cast<Vertex>(first); vertex < last; ++vertex)
        fmt::format_to(std::back_inserter(chunk), "{} {}\n", labels.label(vertex), value(vertex));
    });
  } else {
    auto const size = static_cast<std::uint64_t>(labels.largest() + 1);
    out.write(npy_header(size));
    out.write_range(size, values_per_chunk, [&](std::uint64_t first, std::uint64_t last, std::string& chunk) {
      for (std::uint64_t label = first; label < last; ++label) {
        auto const vertex = labels.find(static_cast<Label>(label));
        Label const entry = vertex ? value(*vertex) : no_label;
        chunk.append(reinterpret_cast<const char*>(&entry), sizeof entry);
      }
    });
  }
  out.commit();
}

std::vector<Label> read_vertex_values(const std::filesystem::path& path, const Labels& labels)
{
  Kind const kind = kind_of(path);
  MappedFile const file(path);
  return kind == Kind::txt ? parse_vertex_values_txt(file.bytes(), path.string(), labels)
                           : parse_vertex_values_npy(file.bytes(), path.string(), labels);
}

std::vector<Label> parse_vertex_values_txt(std::span<const std::byte> bytes, const std::string& name,
                                           const Labels& labels)
{
  std::vector<Label> values(labels.size(), no_label);
  std::vector<bool> given(labels.size());
  std::string_view const text = text_of(bytes);
  try {
    Scanner scanner(text);
    while (!scanner.done()) {
      scanner.skip_blanks();
      if (scanner.at_line_end() || scanner.peek() == '#') {
        scanner.skip_line();
        continue;
      }
      const char* const start = scanner.at();
      Label const label = scanner.number();
      auto const vertex = labels.find(label);
      if (!vertex) throw Mistake{start, fmt::format("vertex {} is not in the graph", label)};
      if (given[*vertex]) throw Mistake{start, fmt::format("vertex {} has a value already", label)};
      given[*vertex] = true;
      scanner.skip_separator();
      if (scanner.rest().starts_with("-1"))
        scanner = Scanner(scanner.rest().substr(2));
      else
        values[*vertex] = scanner.number("a value");
      scanner.end_line();
    }
  } catch (Mistake const& mistake) {
    fail_at(text, name, mistake);
  }
  auto const missing = std::find(given.begin(), given.end(), false);
  if (missing != given.end())
    fail(ErrorKind::input, "{}: no value for vertex {}", name,
         labels.label(static_cast<Vertex>(missing - given.begin())));
  return values;
}

std::vector<Label> parse_vertex_values_npy(std::span<const std::byte> bytes, const std::string& name,
                                           const Labels& labels)
{
  NpyArray const array = parse_npy(bytes, name);
  auto const size = static_cast<std::uint64_t>(labels.largest()) + 1;
  if (array.size != size)
    fail(ErrorKind::input, "{}: has {} values, but the labels of the graph go up to {}, which takes {}", name,
         array.size, labels.largest(), size);
  // -1 as who keeps labels without a sign has it, unless it is a label.
  constexpr std::uint64_t unsigned_no_label = std::numeric_limits<std::uint32_t>::max();
  bool const has_unsigned_ends = array.width == 4 && !array.is_signed && size <= unsigned_no_label;
  auto const value_at = [&](std::uint64_t at) {
    return has_unsigned_ends && array[at] == Label{unsigned_no_label} ? no_label : array[at];
  };
  std::vector<Label> values(labels.size());
  Vertex next = 0;
  for (std::uint64_t at = 0; at < size; ++at) {
    bool const is_vertex = next < labels.size() && labels.label(next) == static_cast<Label>(at);
    if (is_vertex)
      values[next++] = value_at(at);
    else if (value_at(at) != no_label)
      fail(ErrorKind::input, "{}: gives a value to {}, which is not a vertex", name, at);
  }
  return values;
}

}  // namespace brushfire
