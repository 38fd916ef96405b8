// From what the user named to a graph in parts. Every rank takes its share of the tuples: a generator computes them, a
// file is read in part, a stored graph is mapped and listed.
#include "base/checksum.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "build/layout_edges.hpp"
#include "engine/gpu.hpp"
#include "engine/graph_data.hpp"
#include "engine/open.hpp"
#include "engine/parted_graph.hpp"
#include "engine/plan.hpp"
#include "engine/preset.hpp"
#include "exchange/gather.hpp"
#include "exchange/job_wire.hpp"
#include "exchange/sum_over_devices.hpp"
#include "input/file.hpp"
#include "input/generator.hpp"
#include "input/tuple_share.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace brushfire {

namespace {

// A stored graph as tuples, and what else the file knows: labels, and degrees that count duplicates.
class StoredTuples final : public EdgeSource {
 public:
  // Every section is read to build of, and checked first: it is only mapped, and may have been altered.
  StoredTuples(const std::string& spec, Team team) : StoredTuples(spec, open_bfg(spec))
  {
    verify_bfg(*stored_.file, team);
  }

  void read(std::uint64_t first, std::span<Edge> out) const override { edges_.read(first, out); }
  const Labels& labels() const { return stored_.labels; }
  const Layout& layout() const { return stored_.layout; }
  const BfgCounts& counts() const { return stored_.counts; }

 private:
  StoredTuples(const std::string& spec, BfgGraph stored)
      : EdgeSource({}), stored_(std::move(stored)), edges_(spec, stored_.layout, stored_.labels)
  {
    facts_ = edges_.facts();
  }

  BfgGraph stored_;
  LayoutEdges edges_;
};

// What tells copies of a file from one another without reading all of it.
struct FileLooks {
  static constexpr std::uint64_t no_size = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t size = no_size;  // none there, or one that cannot be read
  std::uint64_t sample = 0;      // checksums of blocks all over it, the first and the last among them
};

FileLooks looks_of(const std::string& path)
{
  constexpr std::uint64_t blocks = 256, block_bytes = 4096;  // all of a file up to 1 MiB
  FileLooks looks;
  std::error_code error;
  std::uint64_t const size = std::filesystem::file_size(path, error);
  if (error) return looks;
  std::ifstream file(path, std::ios::binary);
  std::vector<char> block(std::min(size, block_bytes));
  std::uint64_t const last = size - block.size();  // where the last block starts
  std::uint64_t const stride = std::max(block_bytes, last / (blocks - 1));
  for (std::uint64_t at = 0; at < size; at = at < last ? std::min(at + stride, last) : size) {
    file.seekg(static_cast<std::streamoff>(at));
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    looks.sample = std::rotl(looks.sample, 1) ^ checksum(std::as_bytes(std::span(block)));
  }
  if (file) looks.size = size;
  return looks;
}

// Each machine may have a file of its own under the name, and parts of different graphs would be searched as one.
void require_same_file(const std::string& spec)
{
  FileLooks const own = looks_of(spec);
  std::vector<FileLooks> looks;
  JobGroup together(1);
  together->run([&](int, Exchange& exchange) { looks = gather(exchange, own); });
  FileLooks const& first = looks.front();
  auto const other = std::find_if(looks.begin(), looks.end(), [&](const FileLooks& of_rank) {
    return of_rank.size != first.size || of_rank.sample != first.sample;
  });
  if (other == looks.end()) return;
  if (other->size == first.size)
    fail(ErrorKind::input, "{}: rank {} has other content than rank 0; all ranks must see the same file", spec,
         other - looks.begin());
  auto const text = [](std::uint64_t bytes) {
    return bytes == FileLooks::no_size ? "no readable file" : fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
  };
  fail(ErrorKind::input, "{}: {} on rank {} and {} on rank 0; all ranks must see the same file", spec,
       text(other->size), other - looks.begin(), text(first.size));
}

std::shared_ptr<const EdgeSource> of_this_rank(std::shared_ptr<const EdgeSource> whole, bool spread)
{
  if (!spread) return whole;
  JobPlace const place = job_place();
  return std::make_shared<TuplesOfRank>(std::move(whole), place.rank, place.ranks);
}

// A share of a file, once all ranks know that the whole file keeps what it promises.
std::shared_ptr<const EdgeSource> share_of_file(const std::string& spec, Team team, Progress& progress)
{
  JobPlace const place = job_place();
  std::shared_ptr<FileShare> share = open_edge_file_share(spec, {place.rank, place.ranks}, team, progress);
  Tally all;
  JobGroup together(1);
  together->run([&](int, Exchange& exchange) { all = sum_over_devices(exchange, share->tally()); });
  share->settle(all);
  return share;
}

struct PartsInput {
  std::shared_ptr<const EdgeSource> source;  // of this rank
  std::shared_ptr<const StoredTuples> stored;
};

PartsInput open_input(const std::string& spec, const GraphOptions& options, Progress& progress)
{
  Team const team = Team::of(options.threads);
  bool const spread = spreads(options);
  if (spread) require_same_file(spec);
  if (names_stored_graph(spec)) {
    auto stored = std::make_shared<const StoredTuples>(spec, team);
    if (options.directed && !stored->layout().directed)
      fail(ErrorKind::usage, "{}: holds an undirected graph; --directed needs one that was converted with --directed",
           spec);
    return {of_this_rank(stored, spread), stored};
  }
  std::error_code ignored;
  if (spread && std::filesystem::exists(spec, ignored)) return {share_of_file(spec, team, progress), nullptr};
  return {of_this_rank(open_tuples(spec, team, progress), spread), nullptr};
}

// Ranks that share the graph ask together.
bool on_all_ranks(const GraphOptions& options, bool here) { return spreads(options) ? true_on_all_ranks(here) : here; }

// Where a graph is built, and what it takes there by all that is known of it so far.
struct BuildPlace {
  const EdgeFacts& facts;
  PlanRequest request;
  bool copied_to_gpus;  // blocks, which are built on the host

  bool on_gpus() const { return request.device == Device::cuda; }
  // Throws Error(memory) for more vertices than fit.
  void require_fit_of(std::uint64_t vertices, bool sparse_labels)
  {
    request.vertices = vertices;
    request.sparse_labels = sparse_labels;
    require_fit(make_plan(facts, request));
    PlanRequest copied = request;
    copied.device = Device::cuda;
    if (copied_to_gpus) require_fit(make_plan(facts, copied));
  }
};

// On GPUs only where every rank has one: they build together.
BuildPlace decide_place(const EdgeFacts& facts, const GraphOptions& options, bool store_tuples)
{
  bool const blocks = cuts_into_blocks(options.preset);
  bool const on_gpus = on_all_ranks(options, !blocks && builds_on_gpu(options, facts.edges, store_tuples));
  bool const copied_to_gpus = on_all_ranks(options, blocks && choose_device(options.device) == Device::cuda);
  PlanRequest request = request_for(options);
  request.device = on_gpus ? Device::cuda : Device::cpu;
  request.keep_tuples_on_gpu = store_tuples;
  request.directed = options.directed || facts.directed;
  if (on_gpus || copied_to_gpus) request.devices_on_gpu = devices_on_a_gpu(options.devices);
  return {facts, std::move(request), copied_to_gpus};
}

// Whether automatic is free to choose a preset that cuts a plain graph, and the memory would hold what that keeps.
bool may_cut(const BuildPlace& place, const GraphOptions& options)
{
  if (place.on_gpus() || options.preset != Preset::automatic || options.threshold || options.keep_delegates)
    return false;
  PlanRequest request = place.request;
  request.preset = Preset::butterfly;
  return on_all_ranks(options, choose_device(options.device) == Device::cpu && make_plan(place.facts, request).fits());
}

GraphFacts facts_of(const GraphData& data, const PartedGraph& parts, const PartsInput& input)
{
  EdgeFacts all = input.source->facts();
  all.edges = parts.tuples();
  LayoutFacts const layout{0, parts.delegates(), parts.threshold(), parts.directed(), parts.entries(), parts.bytes()};
  BfgCounts const counts =
      input.stored != nullptr ? input.stored->counts() : tuple_counts(all, parts.self_loops(), parts.directed());
  GraphFacts facts = facts_of(data, layout, all.name, counts);
  facts.vertices = parts.vertices();
  facts.preset = parts.preset();
  facts.devices = parts.devices_here();
  facts.subgraph_bytes = parts.subgraph_bytes();
  return facts;
}

Graph build(PartsInput input, const GraphOptions& options, Progress& progress, double generation_seconds,
            bool store_tuples)
{
  Team const team = Team::of(options.threads);
  const EdgeFacts& facts = input.source->facts();
  BuildPlace place = decide_place(facts, options, store_tuples);
  place.require_fit_of(facts.declared ? facts.declared->count : 0, false);

  Stopwatch const watch;
  auto data = std::make_shared<GraphData>();
  // One rank has all labels; several have them only where a file that all of them map does.
  bool const knows_labels = input.stored != nullptr || !spreads(options);
  if (knows_labels) {
    data->labels = input.stored != nullptr ? input.stored->labels() : Labels::of_source(*input.source, team);
    place.require_fit_of(data->labels.size(), !data->labels.consecutive());
  }
  PartedGraph::Options const wanted{.build = {place.request.directed, place.request.threshold},
                                    .on_gpus = place.on_gpus(),
                                    .preset = options.preset,
                                    .grid = options.grid,
                                    .may_cut = may_cut(place, options),
                                    .store_tuples = store_tuples,
                                    .when_counted = std::bind_front(&BuildPlace::require_fit_of, &place)};
  auto parts = std::make_shared<PartedGraph>(*input.source, knows_labels ? &data->labels : nullptr, options.devices,
                                             wanted, team, progress);
  if (input.stored != nullptr) parts->take_input_degrees(input.stored->layout().input_degrees);

  data->facts = facts_of(*data, *parts, input);
  data->facts.ranks = place.request.ranks;
  data->facts.generation_seconds = generation_seconds + parts->generation_seconds();
  data->facts.construction_seconds = watch.seconds() - parts->generation_seconds();
  data->hold(std::shared_ptr<const PartedGraph>(std::move(parts)));
  data->source = std::move(input.source);
  data->options = options;
  return Graph(std::move(data));
}

}  // namespace

bool spreads(const GraphOptions& options) { return options.spread && job_place().ranks > 1; }
bool wants_parts(const GraphOptions& options)
{
  return options.devices > 1 || spreads(options) || cuts_into_blocks(options.preset);
}

Graph open_in_parts(const std::string& spec, const GraphOptions& options, Progress& progress)
{
  Stopwatch const watch;
  PartsInput input = open_input(spec, options, progress);
  double const opening = watch.seconds();
  return build(std::move(input), options, progress, opening, false);
}

Graph build_in_parts(std::shared_ptr<const EdgeSource> source, const GraphOptions& options, Progress& progress,
                     double generation_seconds, bool store_tuples)
{
  return build({std::move(source), nullptr}, options, progress, generation_seconds, store_tuples);
}

}  // namespace brushfire
