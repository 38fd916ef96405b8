// As on the CPU (traverse/cpu/cpu_stepper.cpp), a level first visits delegates and far targets and sends what it found;
// while that is on its way it visits the own normal vertices; then it takes in what the others found. The host meets
// the other devices twice in a level, so it also decides push or pull, from counters that come back with the frontier.
// Everything else stays in device memory: the bits of delegates are the mask, and bins are read where they are.
#include "traverse/cuda/part_stepper.hpp"

#include "base/clock.hpp"
#include "device/launch.cuh"
#include "exchange/cuda/device_pieces.hpp"
#include "traverse/cuda/far_deal.cuh"
#include "traverse/cuda/part_counters.cuh"
#include "traverse/cuda/part_gather.cuh"
#include "traverse/cuda/part_level.cuh"
#include "traverse/cuda/part_settling.cuh"
#include "traverse/part_policy.hpp"

#include <brushfire/error.hpp>

#include <algorithm>
#include <vector>

namespace brushfire {

namespace {

using namespace cuda;

template <typename Parent>
class PartOnGpu final : public TreeStepper {
 public:
  PartOnGpu(const DevicePart& part, const PartIndex& index, DealtLabelsView labels, const CudaStepperOptions& options,
            const device::Stream& stream);

  LevelCounters start(std::uint64_t root, const Limits& limits) override;
  Outbox outbox(Round) override;
  void work(Round) override { expand(1); }
  void absorb(Round, Piece arrived) override;
  LevelCounters finish_level(Trace& trace, const Traffic& traffic) override;
  void finish(Exchange& exchange) override;
  TreeOnHost result() const override;

 private:
  SearchView<Parent> make_view();
  std::uint32_t slot_of(std::uint64_t vertex) const;
  bool lives_here(std::uint64_t vertex) const
  {
    return vertex % static_cast<std::uint64_t>(part_.devices) == static_cast<std::uint64_t>(part_.device);
  }
  unsigned blocks_for(std::uint64_t items, std::uint64_t per_block) const;
  void gather();
  LevelPlan plan_for(std::size_t kind) const;
  void cut_long_lists();
  bool expand(std::size_t kind);
  bool deal_far();
  void claim_arrived();

  const DevicePart& part_;
  const PartIndex& index_;
  CudaStepperOptions options_;
  bool all_levels_;  // are noted
  PartPolicy policy_;
  const device::Stream& stream_;
  unsigned multiprocessors_ = 1;
  Vertex const vertices_, delegates_;

  device::Buffer<Parent> parents_, delegate_parents_;
  device::Buffer<std::int32_t> levels_;  // of the own vertices, then of the delegates
  device::Buffer<std::uint32_t> visited_, before_, queue_, longs_;
  device::Buffer<ListPiece> pieces_;
  device::Buffer<std::uint32_t> splits_of_delegates_;  // where no normal vertex leads to a delegate: nd is not pushed
  device::Buffer<Vertex> claimed_;                     // found by other devices
  PartCounters counters_;
  FarDeal far_;
  DevicePieces pieces_out_;
  Arrivals arrivals_{};
  PartSettling<Parent> settling_;
  SearchView<Parent> view_{};

  Limits limits_;
  Cursor cursor_{};  // level, queues and entries of the frontier
  PartCounts counts_;
  PartPlan plan_;
  std::uint64_t frontier_ = 0;  // vertices of it that live here
  std::uint64_t reached_ = 0;
  std::int64_t depth_ = 0;
  std::uint64_t far_lists_ = 0, far_entries_ = 0;
  unsigned claimed_count_ = 0;
  LevelRecord record_;
  Stopwatch watch_;

  mutable bool on_host_ = false;
  mutable std::vector<Parent> parents_on_host_;
  mutable std::vector<std::int32_t> levels_on_host_;
};

template <typename Parent>
PartOnGpu<Parent>::PartOnGpu(const DevicePart& part, const PartIndex& index, DealtLabelsView labels,
                             const CudaStepperOptions& options, const device::Stream& stream)
    : part_(part),
      index_(index),
      options_(options),
      all_levels_(notes_all_levels(part, options)),
      policy_{options.direction, options.as_published, {}},
      stream_(stream),
      vertices_(part.layout.vertices),
      delegates_(part.layout.delegates),
      parents_(vertices_),
      delegate_parents_(delegates_),
      levels_(part.layout.rows()),
      visited_(index.search.never.size()),
      before_(index.search.never.size()),
      queue_(part.layout.rows()),
      longs_(longs_capacity(part.layout.out.targets.size())),
      pieces_(pieces_capacity(part.layout.out.targets.size())),
      splits_of_delegates_(options.as_published && delegates_ != 0 ? part.layout.rows() : 0),
      claimed_(vertices_),
      counters_(part.devices, stream),
      far_(part, options.uniquify, counters_.counts(), stream),
      pieces_out_(stream),
      settling_(part, index, labels, options, far_, counters_, stream)
{
  int current = 0, multiprocessors = 0;
  device::check(cudaGetDevice(&current), "asking for the current device");
  device::check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, current),
                "counting its multiprocessors");
  multiprocessors_ = static_cast<unsigned>(multiprocessors);
  if (splits_of_delegates_.size() != 0) {
    const DeviceAdjacency& out = part.layout.out;
    device::copy_on_device(splits_of_delegates_.data(), out.splits.data(), delegates_ * sizeof(std::uint32_t), stream_);
    device::copy_on_device(splits_of_delegates_.data() + delegates_, out.starts.data() + delegates_,
                           vertices_ * sizeof(std::uint32_t), stream_);
  }
  view_ = make_view();
  stream_.wait();
}

// All that kernels of a device alone look at, and are asked for here.
template <typename Parent>
SearchView<Parent> PartOnGpu<Parent>::make_view()
{
  SearchView<Parent> view{};
  view.out = rows_view(part_.layout.out, delegates_);
  view.in = rows_view(part_.layout.pulled(), delegates_);
  view.firsts = index_.search.firsts.data();
  view.never = index_.search.never.data();
  view.delegate_vertices = part_.layout.delegate_vertices.data();
  view.labels = {part_.labels.data(), 0};
  view.delegates = delegates_;
  view.vertices = vertices_;
  view.slots = index_.search.normal_base + vertices_;
  view.words = static_cast<std::uint32_t>(index_.search.never.size());
  view.normal_base = index_.search.normal_base;
  view.entries_in = part_.layout.pulled().targets.size();
  view.parents = parents_.data();
  view.delegate_parents = delegate_parents_.data();
  view.levels = nullptr;  // noted when the frontier is gathered
  view.visited = visited_.data();
  view.before = before_.data();
  view.queue = queue_.data();
  view.longs = longs_.data();
  view.pieces = pieces_.data();
  view.root = view.target = no_vertex;
  return view;
}

// no_vertex for a vertex that this device knows nothing of.
template <typename Parent>
std::uint32_t PartOnGpu<Parent>::slot_of(std::uint64_t vertex) const
{
  if (auto const rank = part_.delegates->rank_of(vertex)) return *rank;
  if (!lives_here(vertex)) return no_vertex;
  return index_.search.normal_base + static_cast<Vertex>(vertex / static_cast<std::uint64_t>(part_.devices));
}

template <typename Parent>
unsigned PartOnGpu<Parent>::blocks_for(std::uint64_t items, std::uint64_t per_block) const
{
  std::uint64_t const most = std::uint64_t{multiprocessors_} * blocks_per_multiprocessor;
  return static_cast<unsigned>(std::min((items + per_block - 1) / per_block, most));
}

template <typename Parent>
LevelCounters PartOnGpu<Parent>::start(std::uint64_t root, const Limits& limits)
{
  limits_ = limits;
  on_host_ = false;
  view_.root = slot_of(root);
  view_.target = limits.target ? slot_of(*limits.target) : no_vertex;
  counts_ = {};
  for (std::size_t kind = 0; kind < 2; ++kind) {
    counts_.unexplored[kind] = index_.search.entries_of_class[kind];
    counts_.waiting[kind] = kind == 0 ? index_.search.searchable_delegates : index_.search.searchable_normals;
    counts_.vertices[kind] = kind == 0 ? delegates_ : vertices_;
  }
  plan_ = {};
  cursor_ = {};
  depth_ = 0;
  claimed_count_ = 0;
  // -1, no_label and unreached, in every width.
  parents_.fill_bytes(0xff, stream_);
  delegate_parents_.fill_bytes(0xff, stream_);
  if (all_levels_) levels_.fill_bytes(0xff, stream_);
  counters_.clear();
  device::launch_over(view_.words, start_thread_per_word<Parent>, stream_, view_);
  gather();
  reached_ = frontier_ = lives_here(root) ? 1 : 0;
  bool const stop = limits.target == root || limits.max_depth == 0;
  return {frontier_, stop ? 1u : 0u};
}

// Makes a queue of what is new, and learns about it.
template <typename Parent>
void PartOnGpu<Parent>::gather()
{
  SearchView<Parent> view = view_;
  view.levels = levels_.data();
  GatherRequest const request{far_rows_view(part_.out),
                              far_.built(),
                              index_.home_bits.data(),
                              cursor_.level,
                              all_levels_,
                              counters_.tally(),
                              static_cast<std::uint32_t>(counters_.bytes() / sizeof(unsigned)),
                              counters_.tally_on_host()};
  device::launch(gather_frontier<Parent>, std::max(1u, blocks_for(view_.words, block_threads)), block_threads, stream_,
                 view, request);
  stream_.wait();
  const PartTally& tally = *counters_.tally_on_host();
  cursor_.queue_count = tally.queued;
  cursor_.longs_count = tally.queued_longs;
  cursor_.frontier_entries = 0;
  for (std::size_t kind = 0; kind < 2; ++kind) {
    counts_.waiting[kind] -= tally.left_waiting[kind];
    counts_.frontier[kind] = tally.frontier[kind];
    std::copy_n(tally.entries[kind], source_classes, counts_.in_frontier[kind].begin());
    for (std::uint64_t const entries : counts_.in_frontier[kind]) cursor_.frontier_entries += entries;
  }
  far_lists_ = far_.built().lists(tally.far);
  far_entries_ = far_.built().entries(tally.far);
  claimed_count_ += tally.claimed;
}

template <typename Parent>
Outbox PartOnGpu<Parent>::outbox(Round)
{
  watch_ = Stopwatch();
  record_ = {};
  record_.level = cursor_.level;
  record_.frontier = frontier_;
  record_.edges_checked = far_entries_;
  plan_ = policy_.choose(counts_, plan_.directions);
  record_.directions = plan_.directions;
  pieces_out_.begin_round();
  arrivals_ = {};
  cut_long_lists();
  bool const works = expand(0) | deal_far();
  bool const found_delegates = works && counters_.read().found_delegates != 0;
  if (far_lists_ != 0)
    pieces_out_.add_bins(far_.numbers(), sizeof(Vertex), part_.out.entries_before, counters_.counts_read());
  // The bits of delegates are the first words of all.
  std::span<std::uint64_t> const mask(reinterpret_cast<std::uint64_t*>(visited_.data()), view_.normal_base / 64);
  return {pieces_out_.pieces(), mask, found_delegates, true};
}

// What the kernels are told to do for one kind of target; the other is left alone.
template <typename Parent>
LevelPlan PartOnGpu<Parent>::plan_for(std::size_t kind) const
{
  const KindPlan& its = plan_.kinds[kind];
  LevelPlan plan{};
  plan.pulled_below[0] = plan.pulled_below[1] = no_vertex;
  if (its.pulls) plan.limits[kind] = its.limit;
  if (its.pulls || its.pushes) plan.pulled_below[kind] = first_slot_not_pulled(its.limit, delegates_);
  plan.pulls = its.pulls;
  plan.pushes = its.pushes;
  return plan;
}

template <typename Parent>
void PartOnGpu<Parent>::cut_long_lists()
{
  LevelPlan plan = plan_for(0);
  LevelPlan const of_normals = plan_for(1);
  if (cursor_.longs_count == 0 || (!plan.pushes && !of_normals.pushes)) return;
  plan.pulled_below[1] = of_normals.pulled_below[1];
  device::launch(cut_lists_warp_per_list<Parent>, blocks_for(cursor_.longs_count, block_warps), block_threads, stream_,
                 view_, cursor_, plan, counters_.tally());
}

// Whether there was anything to do.
template <typename Parent>
bool PartOnGpu<Parent>::expand(std::size_t kind)
{
  LevelPlan const plan = plan_for(kind);
  SearchView<Parent> view = view_;
  bool const pulls_normals = plan_.kinds[kind].pulls_normals;
  if (pulls_normals) {
    device::launch_over(std::uint64_t{delegates_} * warp_threads, pull_normals_warp_per_delegate<Parent>, stream_,
                        view_, cursor_.level + 1, counters_.tally());
    view.out.splits = splits_of_delegates_.data();
  }
  if (!plan.pulls && !plan.pushes) return pulls_normals;
  device::launch(expand_frontier<Parent>, multiprocessors_ * blocks_per_multiprocessor, block_threads, stream_, view,
                 cursor_, plan, kind == 0, counters_.tally());
  return true;
}

template <typename Parent>
bool PartOnGpu<Parent>::deal_far()
{
  if (far_lists_ == 0) return false;
  device::launch(deal_far_targets<Parent>, far_.blocks_for(far_entries_), deal_threads, stream_, view_,
                 far_.lists(far_lists_, part_.out), far_entries_, far_.far_bins(), part_.device, cursor_.level + 1,
                 far_.clear_sent(), far_.numbers_before(), far_.numbers());
  return true;
}

template <typename Parent>
void PartOnGpu<Parent>::absorb(Round, Piece arrived)
{
  if (arrivals_.count == arrivals_at_a_time) claim_arrived();
  unsigned const next = arrivals_.count;
  arrivals_.numbers[next] = static_cast<const Vertex*>(pieces_out_.land(arrived));
  arrivals_.ends[next] = arrivals_.total() + arrived.bytes.size() / sizeof(Vertex);
  arrivals_.devices[next] = arrived.device;
  ++arrivals_.count;
}

template <typename Parent>
void PartOnGpu<Parent>::claim_arrived()
{
  device::launch_over(arrivals_.total(), claim_arrived_warp_per_32<Parent>, stream_, view_, arrivals_, claimed_count_,
                      claimed_.data(), counters_.tally());
  arrivals_ = {};
}

template <typename Parent>
LevelCounters PartOnGpu<Parent>::finish_level(Trace& trace, const Traffic& traffic)
{
  for (std::size_t kind = 0; kind < 2; ++kind)
    for (std::size_t its_class = 0; its_class < source_classes; ++its_class)
      counts_.unexplored[kind][its_class] -= counts_.in_frontier[kind][its_class];
  claim_arrived();
  ++cursor_.level;
  gather();
  const PartTally& tally = *counters_.tally_on_host();
  frontier_ = std::uint64_t{tally.frontier[1]} + tally.delegates_at_home;
  reached_ += frontier_;
  if (frontier_ > 0) depth_ = cursor_.level;
  record_.edges_checked += tally.checked;
  record_.discovered = frontier_;
  set_traffic(record_, traffic);
  record_.seconds = watch_.seconds();
  trace.add(record_);
  bool const stop =
      tally.target_reached != 0 || (limits_.max_depth && std::int64_t{cursor_.level} >= *limits_.max_depth);
  return {frontier_, stop ? 1u : 0u};
}

template <typename Parent>
void PartOnGpu<Parent>::finish(Exchange& exchange)
{
  SearchView<Parent> view = view_;
  view.levels = levels_.data();
  settling_.settle(view, claimed_.data(), claimed_count_, exchange);
}

template <typename Parent>
TreeOnHost PartOnGpu<Parent>::result() const
{
  if (!on_host_) {
    parents_on_host_ = device::to_vector(parents_, vertices_, stream_);
    parents_on_host_.reserve(1);  // a view of nothing has a width too
    if (options_.levels) levels_on_host_ = device::to_vector(levels_, vertices_, stream_);
    on_host_ = true;
  }
  return {ParentsView(parents_on_host_.data(), vertices_), levels_on_host_, reached_, depth_};
}

}  // namespace

std::unique_ptr<TreeStepper> make_part_stepper(const DevicePart& part, const cuda::PartIndex& index,
                                               DealtLabelsView labels, const CudaStepperOptions& options,
                                               const device::Stream& stream)
{
  if (part.layout.rows() + 64 >= no_vertex || part.layout.delegates >= 1u << (normal_class - 1))
    throw Error(ErrorKind::memory, "a part has more rows than one GPU can number; use more devices");
  if (part.devices > static_cast<int>(most_devices))
    throw Error(ErrorKind::usage, "GPUs search together as at most 1024 devices; use fewer devices");
  if (options.wide_parents) return std::make_unique<PartOnGpu<std::int64_t>>(part, index, labels, options, stream);
  return std::make_unique<PartOnGpu<std::int32_t>>(part, index, labels, options, stream);
}

}  // namespace brushfire
