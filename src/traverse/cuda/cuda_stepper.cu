// The stepper behind the preset `auto` on a GPU: one cooperative launch runs a whole search, or as many levels as the
// log holds, and returns a record for each. Kernels of their own have the first pull of a large graph (first_pull.cuh)
// and a tail (trickle.cuh).
#include "traverse/cuda/cuda_stepper.hpp"

#include "base/saturating.hpp"
#include "device/gpus.hpp"
#include "device/launch.cuh"
#include "traverse/cuda/first_pull.cuh"
#include "traverse/cuda/search_index.hpp"
#include "traverse/cuda/search_kernel.cuh"
#include "traverse/cuda/smallest_parents.hpp"

#include <brushfire/error.hpp>

#include <algorithm>
#include <limits>
#include <type_traits>

namespace brushfire {

namespace {

using namespace cuda;

constexpr unsigned levels_per_launch = 4096;

template <typename Parent>
__global__ void settle_alone(device::LabelsOnDevice labels, Vertex root, Parent* parents, std::int32_t* levels)
{
  parents[root] = static_cast<Parent>(labels.table == nullptr ? labels.first + root : labels.table[root]);
  if (levels != nullptr) levels[root] = 0;
}

template <typename Parent>
class SearchOnGpu final : public CudaStepper {
 public:
  SearchOnGpu(const DeviceLayout& layout, const SearchIndex& index, device::LabelsOnDevice labels,
              const CudaStepperOptions& options, const device::Stream& stream)
      : layout_(layout),
        labels_(labels),
        options_(options),
        stream_(stream),
        index_(index),
        parents_(layout.vertices),
        delegate_parents_(layout.delegates),
        levels_(options.levels || options.deterministic ? layout.vertices : 0),
        visited_(index_.never.size()),
        before_(index_.never.size()),
        queue_(layout.rows()),
        longs_(index.long_lists + 1),
        pieces_(pieces_capacity(layout.all_entries(), index.pieces)),
        tallies_(3),
        lean_boards_(2),
        cursor_(1),
        open_(index_.never.size()),
        plan_(1),
        lean_cursor_(1),
        log_(levels_per_launch),
        log_on_host_(levels_per_launch),
        summary_(1)
  {
    choose_grid();
    // Reading what no search has written yet is harmless in a gather, but not for a checker of initialised memory.
    before_.fill_bytes(0, stream);
    delegate_parents_.fill_bytes(0, stream);
    stream.wait();
  }

  LevelCounters start(std::uint64_t root, const Limits& limits) override
  {
    root_ = index_.slot_of(static_cast<Vertex>(root));
    alone_ = !index_.has_row(static_cast<Vertex>(root));
    target_ = limits.target ? index_.slot_of(static_cast<Vertex>(*limits.target)) : no_vertex;
    constexpr std::int64_t deepest = std::numeric_limits<std::int32_t>::max();
    max_depth_ = static_cast<std::int32_t>(std::min(limits.max_depth.value_or(deepest), deepest));
    resumes_ = false;
    trickles_from_ = first_trickling_level;
    bool const nothing_to_do = max_depth_ == 0 || limits.target == root;
    if (alone_)
      search_alone(static_cast<Vertex>(root), !nothing_to_do);
    else if (nothing_to_do)
      run();  // clears, and settles the root
    return {1, nothing_to_do};
  }

  void work(Round) override
  {
    if (!alone_) run();
  }

  LevelCounters finish_level(Trace& trace, const Traffic&) override
  {
    for (const LevelLog& level : log_on_host_.span().first(summary_[0].logged)) trace.add(record_of(level));
    bool const finished = summary_[0].finished;
    return {finished ? 0u : 1u, finished};
  }

  void finish(Exchange&) override
  {
    if (!options_.deterministic) return;
    if constexpr (std::is_same_v<Parent, std::int64_t>)
      choose_smallest_parents(layout_, labels_, levels_.data(), parents_.data(), nullptr, stream_);
    else
      choose_smallest_parents(layout_, labels_, levels_.data(), nullptr, parents_.data(), stream_);
    stream_.wait();
  }

  DeviceTree tree() const override
  {
    DeviceTree tree;
    if constexpr (std::is_same_v<Parent, std::int64_t>)
      tree.parents.wide = parents_.data();
    else
      tree.parents.narrow = parents_.data();
    tree.parents.size = parents_.size();
    tree.levels = options_.levels ? levels_.data() : nullptr;
    tree.reached = summary_[0].reached;
    tree.depth = summary_[0].level;
    tree.first_pull_was_apart = summary_[0].pulled_apart;
    return tree;
  }

 private:
  auto kernel() const { return may_be_lean() ? search_levels<Parent, true> : search_levels<Parent, false>; }

  KernelShape shape() const { return may_be_lean() ? search_shape<true> : search_shape<false>; }

  // Lean levels only push, and know no delegates; where the mean list is longer than theirs they are not looked for.
  bool may_be_lean() const
  {
    return layout_.delegates == 0 && layout_.out.targets.size() / lean_list <= layout_.vertices &&
           options_.narrow_entries != 0 && options_.direction != Direction::pull;
  }

  // As many blocks as the GPU holds at one time: a barrier over the grid needs all of them running.
  void choose_grid()
  {
    int per_multiprocessor = 0;
    device::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, kernel(), shape().threads, 0),
                  "asking how many blocks it holds");
    if (per_multiprocessor == 0) throw Error(ErrorKind::failure, "this GPU cannot hold a block of the search kernel");
    multiprocessors_ = device::multiprocessors();
    blocks_ = multiprocessors_ * static_cast<unsigned>(per_multiprocessor);
    // CUDA loads a kernel when it is first asked about: not inside the clock of the first search.
    cudaFuncAttributes attributes;
    device::check(cudaFuncGetAttributes(&attributes, ask_firsts<Parent>), "loading a kernel");
    device::check(cudaFuncGetAttributes(&attributes, walk_open_lists<Parent>), "loading a kernel");
  }

  // A root without edges has no row: it is its own tree.
  void search_alone(Vertex root, bool logs)
  {
    parents_.fill_bytes(0xff, stream_);  // -1
    if (levels_.size() != 0) levels_.fill_bytes(0xff, stream_);
    device::launch_over(1, settle_alone<Parent>, stream_, labels_, root, parents_.data(),
                        levels_.size() != 0 ? levels_.data() : nullptr);
    stream_.wait();
    log_on_host_[0] = {};
    log_on_host_[0].frontier = 1;
    summary_[0] = {.reached = 1,
                   .level = 0,
                   .logged = logs ? 1u : 0u,
                   .finished = true,
                   .pulling = false,
                   .pulled_apart = false,
                   .trickles = false};
  }

  void run()
  {
    if (resumes_ && summary_[0].trickles) {
      trickle();
      return;
    }
    SearchView<Parent> view = make_view();
    bool const may_pull_apart = view.least_apart <= view.searchable_normals;
    launch_search(view, resumes_ ? Launch::resumes : Launch::begins);
    if (may_pull_apart) launch_first_pull(view);  // without asking whether there is one: the host takes longer
    stream_.wait();
    while (summary_[0].pulling) {
      launch_first_pull(view);
      stream_.wait();
    }
    resumes_ = true;
  }

  void launch_search(SearchView<Parent>& view, Launch how)
  {
    LaunchSummary* summary = summary_.data();
    LevelLog* log = log_on_host_.data();
    unsigned most_levels = levels_per_launch;
    void* arguments[] = {&view, &how, &most_levels, &summary, &log};
    device::check(
        cudaLaunchCooperativeKernel(kernel(), dim3(blocks_), dim3(shape().threads), arguments, 0, stream_.handle()),
        "launching the search");
  }

  void launch_first_pull(SearchView<Parent>& view)
  {
    auto const blocks = [&](KernelShape shape) {
      return blocks_of_first_pull(view.words, view.normal_base / 32, shape);
    };
    device::launch(ask_firsts<Parent>, blocks(ask_firsts_shape), ask_firsts_shape.threads, stream_, view);
    device::launch(walk_open_lists<Parent>, blocks(walk_open_shape), walk_open_shape.threads, stream_, view);
    launch_search(view, Launch::continues);
  }

  void trickle()
  {
    device::launch(trickle_warp_per_frontier<Parent>, 1, warp_threads, stream_, make_view(), levels_per_launch,
                   summary_.data(), log_on_host_.data());
    stream_.wait();
    bool const worth_it = summary_[0].logged >= least_trickle;
    trickles_from_ = summary_[0].level + (worth_it ? 0 : levels_until_next_try);
  }

  SearchView<Parent> make_view()
  {
    SearchView<Parent> view{};
    show_graph(view, layout_, index_);
    view.homes = index_.homes.data();
    view.ranks_of_homes = index_.ranks_of_homes.data();
    view.labels = labels_;
    view.searchable_delegates = static_cast<std::uint32_t>(index_.searchable_delegates);
    view.searchable_normals = static_cast<std::uint32_t>(index_.searchable_normals);
    for (std::size_t kind = 0; kind < 2; ++kind) {
      std::copy(index_.entries_of_class[kind].begin(), index_.entries_of_class[kind].end(),
                view.entries_of_class[kind]);
      view.entries_per_normal[kind] = static_cast<double>(index_.entries_of_class[kind][normal_class]) /
                                      static_cast<double>(std::max<std::uint64_t>(index_.searchable_normals, 1));
    }
    view.measure_normals = layout_.delegates == 0 || layout_.directed || layout_.threshold >= long_list;
    view.parents = parents_.data();
    view.delegate_parents = delegate_parents_.data();
    view.levels = levels_.size() != 0 ? levels_.data() : nullptr;
    view.visited = visited_.data();
    view.before = before_.data();
    view.queue = queue_.data();
    view.longs = longs_.data();
    view.pieces = pieces_.data();
    view.tallies = tallies_.data();
    view.lean_boards = lean_boards_.data();
    view.open = open_.data();
    view.plan = plan_.data();
    // Others measure all lists, which the kernels of a first pull do vertex after vertex.
    view.least_apart = view.measure_normals ? no_vertex : options_.least_apart;
    view.cursor = cursor_.data();
    view.lean_cursor = lean_cursor_.data();
    view.log = log_.data();
    view.forced = options_.direction ? static_cast<int>(*options_.direction) : -1;
    view.narrow_entries = options_.narrow_entries;
    view.most_surely_pushed = options_.direction == Direction::push
                                  ? std::numeric_limits<std::uint64_t>::max()
                                  : view.policy.most_entries_surely_pushed(view.words);
    view.lean = may_be_lean();
    view.trickles_from = trickles_from_;
    view.multiprocessors = multiprocessors_;
    view.root = root_;
    view.target = target_;
    view.max_depth = max_depth_;
    return view;
  }

  static LevelRecord record_of(const LevelLog& level)
  {
    auto const direction = [&](Subgraph kind) {
      bool const to_normals = kind == Subgraph::dn || kind == Subgraph::nn;
      bool const from_normals = kind == Subgraph::nd || kind == Subgraph::nn;
      ClassLimit const limit = level.pulled_below[to_normals ? 1 : 0];
      return (from_normals ? limit > normal_class : limit > 0) ? Direction::pull : Direction::push;
    };
    LevelRecord record;
    record.level = level.level;
    for (Subgraph const kind : {Subgraph::dd, Subgraph::dn, Subgraph::nd, Subgraph::nn})
      record.directions[index_of(kind)] = direction(kind);
    record.frontier = level.frontier;
    record.edges_checked = level.checked;
    record.discovered = level.discovered;
    record.seconds = static_cast<double>(level.nanoseconds) * 1e-9;
    return record;
  }

  const DeviceLayout& layout_;
  device::LabelsOnDevice labels_;
  CudaStepperOptions options_;
  const device::Stream& stream_;
  const SearchIndex& index_;
  device::Buffer<Parent> parents_;
  device::Buffer<Parent> delegate_parents_;
  device::Buffer<std::int32_t> levels_;
  device::Buffer<std::uint32_t> visited_, before_;
  device::Buffer<std::uint32_t> queue_;
  device::Buffer<std::uint32_t> longs_;
  device::Buffer<ListPiece> pieces_;
  device::Buffer<LevelTally> tallies_;
  device::Buffer<LeanBoard> lean_boards_;
  device::Buffer<Cursor> cursor_;
  device::Buffer<std::uint32_t> open_;
  device::Buffer<LevelPlan> plan_;
  device::Buffer<LeanCursor> lean_cursor_;
  device::Buffer<LevelLog> log_;
  device::PinnedBuffer<LevelLog> log_on_host_;
  device::PinnedBuffer<LaunchSummary> summary_;
  std::uint32_t root_ = 0, target_ = no_vertex;
  std::int32_t max_depth_ = 0;
  unsigned blocks_ = 0, multiprocessors_ = 0;
  bool resumes_ = false;
  std::int32_t trickles_from_ = 0;
  bool alone_ = false;  // the root has no edges
};

}  // namespace

std::unique_ptr<CudaStepper> make_cuda_stepper(const DeviceLayout& layout, const SearchIndex& index,
                                               device::LabelsOnDevice labels, const CudaStepperOptions& options,
                                               const device::Stream& stream)
{
  if (std::uint64_t{layout.vertices} + layout.delegates + 64 >= no_vertex ||
      layout.delegates >= 1u << (normal_class - 1))
    throw Error(ErrorKind::memory, "the graph has more rows than one GPU can number; choose a smaller graph");
  if (options.wide_parents) return std::make_unique<SearchOnGpu<std::int64_t>>(layout, index, labels, options, stream);
  return std::make_unique<SearchOnGpu<std::int32_t>>(layout, index, labels, options, stream);
}

std::uint64_t predict_cuda_stepper_bytes(std::uint64_t vertices, std::uint64_t delegates, std::uint64_t entries,
                                         bool wide_parents, bool levels)
{
  std::uint64_t const rows = saturating_sum({vertices, delegates});
  std::uint64_t const parent = wide_parents ? sizeof(std::int64_t) : sizeof(std::int32_t);
  std::uint64_t const words = SearchIndex::words(vertices, delegates);
  return saturating_sum({SearchIndex::predict_bytes(vertices, delegates), bytes_of<std::uint32_t>(rows),
                         saturating_product(3, bytes_of<std::uint32_t>(words)),
                         saturating_product(vertices, parent + (levels ? sizeof(std::int32_t) : 0)),
                         saturating_product(delegates, parent),
                         saturating_product(longs_capacity(entries), sizeof(std::uint32_t)),
                         saturating_product(pieces_capacity(entries), sizeof(cuda::ListPiece)), 1 << 20});
}

}  // namespace brushfire
