// A graph, built once, immutable, cheap to copy (copies share it), searchable from many threads at once.
#pragma once

#include <brushfire/arrays.hpp>
#include <brushfire/facts.hpp>
#include <brushfire/machine.hpp>
#include <brushfire/progress.hpp>
#include <brushfire/types.hpp>
#include <brushfire/validate.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace brushfire {

struct GraphOptions {
  bool directed = false;
  // Vertices of a higher degree are delegates. Nothing: chosen from the degrees. plain_threshold: no delegates.
  std::optional<std::uint64_t> threshold{};
  int threads = 0;                    // 0: every processor
  Device device = Device::automatic;  // where it is built, and where it is held for searching
  // What it will be searched by. Adaptive has the plain graph; ring, grid and butterfly have it cut into blocks, and
  // only they search it then.
  Preset preset = Preset::automatic;
  std::optional<GridShape> grid{};  // of the devices of all ranks, for the preset of that name; nothing: the squarest
  bool keep_delegates = false;      // automatic never cuts a plain graph, whatever its degrees
  int devices = 1;                  // that share the graph, in each rank
  bool spread = false;              // over all ranks of the job; then all of them open it, and search it together
};

class [[gnu::visibility("hidden")]] GraphData;  // the built graph, private to the library

class Graph {
 public:
  // A file or a generator, as the command line takes it. Checks the memory plan first.
  static Graph open(const std::string& spec, const GraphOptions& options = {}, Progress& progress = Progress::none());
  // The caller's own arrays, read where they are; arrays.hpp says how long they must stay. Throws Error(input) for a
  // negative label, a label that is no vertex, offsets that are out of order.
  static Graph from_edges(const EdgeArrays& edges, const GraphOptions& options = {},
                          Progress& progress = Progress::none());
  static Graph from_csr(const CsrArrays& rows, const GraphOptions& options = {}, Progress& progress = Progress::none());

  const GraphFacts& facts() const;
  std::optional<Vertex> find(Label label) const;
  Label label(Vertex vertex) const;
  std::uint64_t degree(Vertex vertex) const;  // neighbours; out-neighbours of a directed graph
  Label largest_degree_vertex() const;

  // With more than one device: also how that many would share it, by a threshold of theirs or by one that is given.
  GraphSummary summary(int devices = 1, std::optional<std::uint64_t> threshold = {}) const;
  // Verifies the checksums of a graph that is mapped from a .bfg file; nothing to do for others.
  void verify_stored() const;

  const GraphData& data() const { return *data_; }
  explicit Graph(std::shared_ptr<const GraphData> data) : data_(std::move(data)) {}

 private:
  std::shared_ptr<const GraphData> data_;
};

// Whether the text starts like a generator ("kron:", "grid:", ...), right or wrong in the rest; else it is a file.
bool names_generator(std::string_view spec);

// Throws Error(usage) where write_graph() could not write such a file: an ending that names no format.
void require_graph_file(const std::filesystem::path& output);
// `brushfire convert` and `generate`: reads any graph and writes it in the format of `output`'s name.
// With `raw` the tuples are written as they come, self-loops and duplicates included.
void write_graph(const std::string& spec, const std::filesystem::path& output, bool raw, const GraphOptions& options,
                 Progress& progress = Progress::none());

// Judges the parents in `file` (.txt or .npy, as INTERFACE describes them).
Verdict validate_file(const std::string& spec, Label root, const std::filesystem::path& file,
                      const GraphOptions& options, Progress& progress = Progress::none());

}  // namespace brushfire
#pragma GCC visibility pop
