#include "input/writer.hpp"

#include "base/error.hpp"
#include "input/format.hpp"
#include "input/ordered_output.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace brushfire {

namespace {

// The characters of an edge list between two ids, and behind them.
struct Columns {
  char separator;
  std::string_view end;
};

std::optional<Columns> columns_of(Format format)
{
  switch (format) {
    case Format::edge_list:
      return Columns{' ', "\n"};
    case Format::weighted_edge_list:
      return Columns{' ', " 1\n"};
    case Format::csv:
      return Columns{',', "\n"};
    case Format::tsv:
      return Columns{'\t', "\n"};
    default:
      return std::nullopt;
  }
}

void append(std::string& text, Label number)
{
  fmt::format_int const digits(number);
  text.append(digits.data(), digits.size());
}

void append_pair(std::string& text, Label first, Label second, Columns columns)
{
  append(text, first);
  text += columns.separator;
  append(text, second);
  text += columns.end;
}

template <typename T>
void append_bytes(std::string& text, const T* values, std::size_t count)
{
  text.append(reinterpret_cast<const char*>(values), count * sizeof(T));
}

// Ids of a format that counts from `first`: a vertex of label x is x + shift; ids that are no label are
// isolated vertices.
struct Numbering {
  Label first = 0;
  Label count = 0;
  Label shift = 0;

  Label id(const Labels& labels, Vertex vertex) const { return labels.label(vertex) + shift; }
  std::optional<Vertex> vertex(const Labels& labels, std::uint64_t row) const
  {
    return labels.find(first + static_cast<Label>(row) - shift);
  }
};

Numbering numbering_from(Label first, const Labels& labels, const std::filesystem::path& path, Progress& progress)
{
  if (labels.size() == 0) return {first, 0, 0};
  if (labels.largest() / 2 >= labels.size())
    fail(ErrorKind::usage,
         "{}: its format numbers vertices without gaps, but the labels go up to {} and only {} occur; write an edge "
         "list",
         path.string(), labels.largest(), labels.size());
  Numbering numbering{first, 0, 0};
  if (first == 1 && labels.first() == 0) numbering.shift = 1;
  if (first == 0 && labels.first() == 1 && labels.consecutive()) numbering.shift = -1;
  numbering.count = labels.largest() + numbering.shift - first + 1;
  if (numbering.shift != 0)
    progress.note(fmt::format("{}: labels start at {}; written from {}", path.string(), labels.first(), first));
  return numbering;
}

// One job: a graph on its way to a file.
// What no reader would take back is not written.
void require_edges(const std::filesystem::path& path, std::uint64_t edges)
{
  if (edges == 0)
    fail(ErrorKind::usage, "{}: an edge list holds edges, and this graph has none; write .mtx, .sg or .bfg",
         path.string());
}

class GraphWriter {
 public:
  GraphWriter(const GraphListing& graph, const std::filesystem::path& path, Team team, Progress& progress)
      : graph_(graph), labels_(graph.labels()), path_(path), format_(format_of(path)), team_(team), progress_(progress)
  {
    std::uint64_t const vertices = labels_.size();
    per_chunk_ = std::max<std::uint64_t>(1, vertices * entries_per_chunk / (graph.entries() + vertices + 1));
  }

  void write()
  {
    if (auto const columns = columns_of(format_.format)) {
      require_edges(path_, graph_.entries());
      return write_edge_list(*columns);
    }
    switch (format_.format) {
      case Format::matrix_market:
        return write_matrix_market();
      case Format::dimacs:
        return write_dimacs();
      case Format::metis:
        return write_metis();
      case Format::serialized:
        return write_serialized();
      default:
        require_known_format(path_);
    }
  }

 private:
  static constexpr std::uint64_t entries_per_chunk = 1 << 16;
  using Neighbours = void (GraphListing::*)(Vertex, std::vector<Vertex>&) const;

  OrderedOutput open() const { return OrderedOutput(path_, format_.compression, team_); }

  // format(vertex, neighbours, chunk) for every vertex.
  template <typename Body>
  void write_vertices(OrderedOutput& out, Body&& format)
  {
    progress_.begin("writing " + path_.string(), labels_.size(), "vertices");
    out.write_range(labels_.size(), per_chunk_, [&](std::uint64_t first, std::uint64_t last, std::string& chunk) {
      std::vector<Vertex> neighbours;
      for (auto vertex = static_cast<Vertex>(first); vertex < last; ++vertex) {
        graph_.neighbours(vertex, neighbours);
        format(vertex, neighbours, chunk);
      }
      progress_.advance(last - first);
    });
    out.commit();
    progress_.end();
  }

  void write_edge_list(Columns columns)
  {
    auto out = open();
    std::atomic<std::uint64_t> isolated{0};
    write_vertices(out, [&](Vertex vertex, std::vector<Vertex>& neighbours, std::string& chunk) {
      for (Vertex const neighbour : neighbours)
        if (graph_.directed() || vertex < neighbour)
          append_pair(chunk, labels_.label(vertex), labels_.label(neighbour), columns);
      if (neighbours.empty()) graph_.sources(vertex, neighbours);
      if (neighbours.empty()) isolated.fetch_add(1, std::memory_order_relaxed);
    });
    if (isolated > 0)
      progress_.note(
          fmt::format("{}: an edge list cannot hold isolated vertices; {} left out", path_.string(), isolated.load()));
  }

  void write_matrix_market()
  {
    Numbering const numbering = numbering_from(1, labels_, path_, progress_);
    auto out = open();
    bool const directed = graph_.directed();
    out.write(fmt::format("%%MatrixMarket matrix coordinate pattern {}\n{} {} {}\n", directed ? "general" : "symmetric",
                          numbering.count, numbering.count, directed ? graph_.entries() : graph_.entries() / 2));
    write_vertices(out, [&](Vertex vertex, std::vector<Vertex>& neighbours, std::string& chunk) {
      for (Vertex const neighbour : neighbours)
        if (directed || neighbour < vertex)
          append_pair(chunk, numbering.id(labels_, vertex), numbering.id(labels_, neighbour), {' ', "\n"});
    });
  }

  void write_dimacs()
  {
    Numbering const numbering = numbering_from(1, labels_, path_, progress_);
    auto out = open();
    out.write(fmt::format("p sp {} {}\n", numbering.count, graph_.entries()));
    write_vertices(out, [&](Vertex vertex, std::vector<Vertex>& neighbours, std::string& chunk) {
      for (Vertex const neighbour : neighbours) {
        chunk += "a ";
        append_pair(chunk, numbering.id(labels_, vertex), numbering.id(labels_, neighbour), {' ', " 1\n"});
      }
    });
  }

  // neighbours of row(id), for every id the format has; an id that is no label has none.
  template <typename Body>
  void write_rows(OrderedOutput& out, const Numbering& numbering, Neighbours neighbours_of, Body&& format)
  {
    out.write_range(static_cast<std::uint64_t>(numbering.count), per_chunk_,
                    [&](std::uint64_t first, std::uint64_t last, std::string& chunk) {
                      std::vector<Vertex> neighbours;
                      for (std::uint64_t row = first; row < last; ++row) {
                        neighbours.clear();
                        if (auto const vertex = numbering.vertex(labels_, row))
                          (graph_.*neighbours_of)(*vertex, neighbours);
                        format(neighbours, chunk);
                      }
                      progress_.advance(last - first);
                    });
  }

  void write_metis()
  {
    if (graph_.directed())
      fail(ErrorKind::usage, "{}: a METIS file cannot hold a directed graph; write .mtx, .gr or an edge list",
           path_.string());
    Numbering const numbering = numbering_from(1, labels_, path_, progress_);
    auto out = open();
    out.write(fmt::format("{} {}\n", numbering.count, graph_.entries() / 2));
    progress_.begin("writing " + path_.string(), static_cast<std::uint64_t>(numbering.count), "vertices");
    write_rows(out, numbering, &GraphListing::neighbours,
               [&](const std::vector<Vertex>& neighbours, std::string& chunk) {
                 for (Vertex const neighbour : neighbours) {
                   append(chunk, numbering.id(labels_, neighbour));
                   chunk += ' ';  // behind the last one too: without it the reader of GAP loses that neighbour
                 }
                 chunk += '\n';
               });
    out.commit();
    progress_.end();
  }

  void write_serialized()
  {
    Numbering const numbering = numbering_from(0, labels_, path_, progress_);
    if (numbering.count > std::numeric_limits<std::int32_t>::max())
      fail(ErrorKind::usage, "{}: an .sg file holds at most 2^31-1 vertices, not {}", path_.string(), numbering.count);
    auto out = open();
    std::string header(1, graph_.directed() ? '\1' : '\0');
    auto const entries = static_cast<std::int64_t>(graph_.entries());
    append_bytes(header, &entries, 1);
    append_bytes(header, &numbering.count, 1);
    out.write(std::move(header));
    progress_.begin("writing " + path_.string(),
                    static_cast<std::uint64_t>(numbering.count) * (graph_.directed() ? 2 : 1), "vertices");
    write_lists(out, numbering, &GraphListing::neighbours);
    if (graph_.directed()) write_lists(out, numbering, &GraphListing::sources);
    out.commit();
    progress_.end();
  }

  void write_lists(OrderedOutput& out, const Numbering& numbering, Neighbours neighbours_of)
  {
    std::vector<std::int64_t> const offsets = offsets_of(numbering, neighbours_of);
    out.write_range(offsets.size(), entries_per_chunk,
                    [&](std::uint64_t first, std::uint64_t last, std::string& chunk) {
                      append_bytes(chunk, offsets.data() + first, last - first);
                    });
    write_rows(out, numbering, neighbours_of, [&](const std::vector<Vertex>& neighbours, std::string& chunk) {
      for (Vertex const neighbour : neighbours) {
        auto const id = static_cast<std::int32_t>(numbering.id(labels_, neighbour));
        append_bytes(chunk, &id, 1);
      }
    });
  }

  std::vector<std::int64_t> offsets_of(const Numbering& numbering, Neighbours neighbours_of) const
  {
    std::vector<std::int64_t> offsets(static_cast<std::size_t>(numbering.count) + 1);
    team_.for_blocks(offsets.size() - 1, per_chunk_, [&](std::uint64_t first, std::uint64_t last, int) {
      std::vector<Vertex> neighbours;
      for (std::uint64_t row = first; row < last; ++row) {
        neighbours.clear();
        if (auto const vertex = numbering.vertex(labels_, row)) (graph_.*neighbours_of)(*vertex, neighbours);
        offsets[row + 1] = static_cast<std::int64_t>(neighbours.size());
      }
    });
    for (std::size_t row = 1; row < offsets.size(); ++row) offsets[row] += offsets[row - 1];
    return offsets;
  }

  const GraphListing& graph_;
  const Labels& labels_;
  const std::filesystem::path& path_;
  FileFormat format_;
  Team team_;
  Progress& progress_;
  std::uint64_t per_chunk_;  // vertices
};

}  // namespace

void write_graph_file(const GraphListing& graph, const std::filesystem::path& path, Team team, Progress& progress)
{
  GraphWriter(graph, path, team, progress).write();
}

void write_tuples(const EdgeSource& source, const std::filesystem::path& path, Team team, Progress& progress)
{
  FileFormat const format = format_of(path);
  auto const columns = columns_of(format.format);
  if (!columns)
    fail(ErrorKind::usage, "{}: raw tuples are written as .el .wel .txt .csv or .tsv, each also with .gz or .zst",
         path.string());
  constexpr std::uint64_t edges_per_chunk = 1 << 16;
  std::uint64_t const edges = source.facts().edges;
  require_edges(path, edges);
  OrderedOutput out(path, format.compression, team);
  progress.begin("writing " + path.string(), edges, "edges");
  out.write_range(edges, edges_per_chunk, [&](std::uint64_t first, std::uint64_t last, std::string& chunk) {
    std::vector<Edge> block(last - first);
    source.read(first, block);
    for (Edge const& edge : block) append_pair(chunk, edge.source, edge.target, *columns);
    progress.advance(last - first);
  });
  out.commit();
  progress.end();
}

}  // namespace brushfire
