// As on the CPU (traverse/cpu/cpu_stepper.cpp), a level first visits delegates and far targets, each in a stream of its
// own as in Fig. 3 of Pan, Pearce and Owens, and sends what it found; while that is on its way it visits the own normal
// vertices; then it takes in what the others found. In a second round it pulls the delegates of others that are left.
// The host meets the other devices in every level, so it also decides push or pull, from counters that come back with
// the frontier. Everything else stays in device memory: the bits of delegates are the mask, and bins are read where
// they are.
#include "traverse/cuda/part_stepper.hpp"

#include "base/clock.hpp"
#include "device/gpus.hpp"
#include "device/launch.cuh"
#include "exchange/cuda/device_pieces.hpp"
#include "traverse/cuda/far_deal.cuh"
#include "traverse/cuda/part_arrays.cuh"
#include "traverse/cuda/part_counters.cuh"
#include "traverse/cuda/part_gather.cuh"
#include "traverse/cuda/part_late.cuh"
#include "traverse/cuda/part_level.cuh"
#include "traverse/cuda/part_planning.cuh"
#include "traverse/cuda/part_settling.cuh"

#include <brushfire/error.hpp>

#include <algorithm>
#include <optional>
#include <vector>

namespace brushfire {

namespace {

using namespace cuda;

template <typename Parent>
class PartOnGpu final : public PartStepper {
 public:
  PartOnGpu(const DevicePart& part, const PartIndex& index, DealtLabelsView labels, const CudaStepperOptions& options,
            const device::Stream& stream);

  static std::uint64_t predict_bytes(const PartSearchCounts& counts);

  LevelCounters start(std::uint64_t root, const Limits& limits) override;
  Outbox outbox(Round round) override { return round.index == 0 ? first_outbox() : late_outbox(); }
  void work(Round round) override;
  void absorb(Round round, Piece arrived) override
  {
    if (round.index == 0)
      arrivals_.add(arrived);
    else
      late_.add(arrived);
    idle_ = false;
  }
  void masks_joined(Round) override { idle_ = false; }
  LevelCounters finish_level(Trace& trace, const Traffic& traffic) override;
  void finish(Exchange& exchange) override;
  TreeFacts facts() const override { return {reached_, depth_, 8 * sizeof(Parent)}; }
  TreeOnHost result() const override;
  device::ParentsOnDevice parents_on_device() const override
  {
    if constexpr (sizeof(Parent) == sizeof(std::int64_t))
      return {arrays_.parents.data(), nullptr, vertices_};
    else
      return {nullptr, arrays_.parents.data(), vertices_};
  }

 private:
  std::uint32_t slot_of(std::uint64_t vertex) const;
  bool lives_here(std::uint64_t vertex) const
  {
    return vertex % static_cast<std::uint64_t>(part_.devices) == static_cast<std::uint64_t>(part_.device);
  }
  unsigned blocks_for(std::uint64_t items, std::uint64_t per_block) const;
  const device::Stream& far_stream() const { return beside_ ? *beside_ : stream_; }
  void begin_level();
  void gather();
  void launch_gather();
  void queue_frontier();
  void cut_long_lists();
  Outbox first_outbox();
  Outbox late_outbox();
  bool expand_delegates();
  bool expand_normals();
  void pull_late_delegates();
  void launch_expand(const PartView<Parent>& view, const LevelPlan& plan, const HomeTiles& homes, std::uint32_t* late,
                     PartTally* on_host);
  bool pulls_apart(const LevelPlan& plan) const;
  void pull_apart(const LevelPlan& plan);
  bool deal_far();
  void claim(const Arrivals<Vertex>& arrivals);

  const DevicePart& part_;
  const PartIndex& index_;
  CudaStepperOptions options_;
  bool all_levels_;  // are noted
  const device::Stream& stream_;
  std::optional<device::Stream> beside_;  // while far targets are dealt, where it pays
  unsigned multiprocessors_;
  Vertex const vertices_, delegates_;
  PartPlanning planning_;

  PartArrays<Parent> arrays_;
  PartCounters counters_;
  FarDeal far_;
  DevicePieces far_pieces_;
  ArrivalsTaker<Vertex> arrivals_;
  LateDelegates late_;
  PartSettling<Parent> settling_;
  PartView<Parent> view_;

  Limits limits_;
  PartCursor cursor_{};
  bool idle_ = false;           // nothing has happened in this level
  std::uint64_t frontier_ = 0;  // vertices of it that live here
  std::uint64_t reached_ = 0;
  std::int64_t depth_ = 0;
  std::uint64_t far_lists_ = 0, far_entries_ = 0;
  unsigned claimed_count_ = 0;
  bool pulled_normals_ = false;  // in this search
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
      stream_(stream),
      multiprocessors_(device::multiprocessors()),
      vertices_(part.layout.vertices),
      delegates_(part.layout.delegates),
      planning_(index, vertices_, delegates_, {options.direction, options.rule, {}}),
      arrays_(part, index, options.rule != PartRule::cheapest, stream),
      counters_(part.devices, stream),
      far_(part, options.uniquify, counters_.counts(), stream),
      far_pieces_(stream),
      arrivals_(far_pieces_, Taken::for_later, [this](const Arrivals<Vertex>& arrivals) { claim(arrivals); }),
      late_(part, arrays_.mine.size(), arrays_.visited.data(), arrays_.mine.data(), counters_, stream),
      settling_(part, index, labels, options, far_, counters_, stream),
      view_(view_of_part<Parent>(part, index, labels))
{
  arrays_.show(view_);
  // The stream beside costs more than it gains where many share a GPU: 8 devices on one H200 took 1.6 times as long.
  if (options.sharing <= 2) beside_.emplace();
  stream_.wait();
}

template <typename Parent>
std::uint64_t PartOnGpu<Parent>::predict_bytes(const PartSearchCounts& counts)
{
  std::uint64_t const landed = DevicePieces::predict_bytes(bytes_of<Vertex>(counts.far_entries), counts.devices);
  return saturating_sum({PartArrays<Parent>::predict_bytes(counts), PartCounters::predict_bytes(counts.devices),
                         FarDeal::predict_bytes(counts), counts.pieces_land ? landed : 0,
                         LateDelegates::predict_bytes(counts), PartSettling<Parent>::predict_bytes(counts)});
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
  return device::blocks_for(items, per_block, std::uint64_t{multiprocessors_} * part_shape.blocks);
}

template <typename Parent>
LevelCounters PartOnGpu<Parent>::start(std::uint64_t root, const Limits& limits)
{
  far_stream().wait();  // for a search that failed, of which pieces may be left too
  stream_.wait();
  arrivals_.drop();
  late_.restart();
  limits_ = limits;
  on_host_ = false;
  view_.root = slot_of(root);
  view_.target = limits.target ? slot_of(*limits.target) : no_vertex;
  planning_.start();
  cursor_ = {};
  depth_ = 0;
  claimed_count_ = 0;
  pulled_normals_ = false;
  // -1, no_label and unreached, in every width.
  arrays_.parents.fill_bytes(0xff, stream_);
  if (all_levels_) arrays_.levels.fill_bytes(0xff, stream_);
  counters_.clear();
  device::launch_over(view_.words, start_thread_per_word<Parent>, stream_, view_, arrays_.mine.data());
  idle_ = view_.root == no_vertex;
  gather();
  reached_ = frontier_ = lives_here(root) ? 1 : 0;
  bool const stop = limits.target == root || limits.max_depth == 0;
  return {frontier_, stop ? 1u : 0u};
}

// Learns about what is new, and queues it where it is little: a wide frontier is queued if it is pushed at all.
template <typename Parent>
void PartOnGpu<Parent>::gather()
{
  if (idle_)
    *counters_.tally_on_host() = {};
  else
    launch_gather();
  const PartTally& tally = *counters_.tally_on_host();
  cursor_.queue_count = tally.queued;
  cursor_.longs_count = tally.queued_longs;
  cursor_.just_queued = false;
  planning_.take_frontier(tally);
  cursor_.frontier_entries = planning_.frontier_entries();
  far_lists_ = far_.built().lists(tally.far);
  far_entries_ = far_.built().entries(tally.far);
  claimed_count_ += tally.claimed;
}

template <typename Parent>
void PartOnGpu<Parent>::launch_gather()
{
  if (cursor_.just_queued) counters_.clear_queued();  // what the level that ends has queued for itself
  PartView<Parent> view = view_;
  view.levels = arrays_.levels.data();
  GatherRequest const request{.far_rows = far_rows_view(part_.out),
                              .far = far_.built(),
                              .leads_far = index_.leads_far.data(),
                              .home_bits = index_.home_bits.data(),
                              .fresh = arrays_.fresh.data(),
                              .level = cursor_.level,
                              .all_levels = all_levels_,
                              .tally = counters_.tally(),
                              .tally_words = static_cast<std::uint32_t>(counters_.bytes() / sizeof(unsigned)),
                              .to_host = counters_.tally_on_host()};
  device::launch(gather_frontier<Parent>, std::max(1u, 2 * blocks_for(view_.words, 2 * gather_threads)), gather_threads,
                 stream_, view, request);
  stream_.wait();
}

// In the first round delegates are pulled where they live: what is found there need not be asked for elsewhere, nor
// its parent be sent.
template <typename Parent>
Outbox PartOnGpu<Parent>::first_outbox()
{
  counters_.tally_on_host()->found_delegates = 0;
  begin_level();
  bool const deals = deal_far();
  queue_frontier();
  cut_long_lists();
  bool const expands = expand_delegates();
  if (expands)
    device::launch_over(view_.normal_base / 32, note_mine_thread_per_word, stream_, arrays_.visited.data(),
                        arrays_.before.data(), std::uint64_t{view_.normal_base / 32}, arrays_.mine.data());
  idle_ = !deals && !expands;
  if (deals) far_stream().wait();  // those who read the bins know the other stream only
  if (expands) stream_.wait();
  bool const found = expands && counters_.tally_on_host()->found_delegates != 0;
  // The bits of delegates are the first words of all.
  std::span<std::uint64_t> const mask(reinterpret_cast<std::uint64_t*>(arrays_.visited.data()), view_.normal_base / 64);
  if (far_lists_ != 0)
    far_pieces_.add_bins(far_.numbers(), sizeof(Vertex), part_.out.entries_before, counters_.counts_read());
  return {far_pieces_.pieces(), mask, found, true};
}

// In the second everybody looks for those that are left. They are few, and go to all by rank.
template <typename Parent>
Outbox PartOnGpu<Parent>::late_outbox()
{
  bool const claims = arrivals_.finish();  // a wire may want the room where they lie for what it moves now
  if (!planning_.plan().kinds[0].pulls) {
    if (claims) stream_.wait();
    return {};
  }
  pull_late_delegates();
  return {late_.send_found(), {}, false};
}

template <typename Parent>
void PartOnGpu<Parent>::begin_level()
{
  watch_ = Stopwatch();
  record_ = {};
  record_.level = cursor_.level;
  record_.frontier = frontier_;
  record_.edges_checked = far_entries_;
  planning_.choose();
  record_.directions = planning_.plan().directions;
  if (options_.rule == PartRule::adaptive) record_.queue = FrontierQueue::none;
  far_pieces_.begin_round();
  late_.begin_level();
}

template <typename Parent>
void PartOnGpu<Parent>::work(Round round)
{
  if (round.index == 0 && expand_normals()) idle_ = false;
}

// A wide frontier, once it is known that it is pushed.
template <typename Parent>
void PartOnGpu<Parent>::queue_frontier()
{
  LevelPlan const plans[] = {planning_.plan_for(0), planning_.plan_for(1)};
  if (!plans[0].pushes && !plans[1].pushes) return;
  if (record_.queue)
    record_.queue = planning_.counts().queued ? FrontierQueue::single_scan : FrontierQueue::double_scan;
  if (planning_.counts().queued) return;
  std::uint32_t first_that_pushes = no_vertex;
  for (int kind = 0; kind < 2; ++kind)
    if (plans[kind].pushes) first_that_pushes = std::min(first_that_pushes, plans[kind].pulled_below[kind]);
  cursor_.just_queued = true;
  device::launch(cuda::queue_frontier<Parent>, 2 * blocks_for(view_.words, 2 * gather_threads), gather_threads, stream_,
                 view_, arrays_.fresh.data(), first_that_pushes, counters_.tally());
}

template <typename Parent>
void PartOnGpu<Parent>::cut_long_lists()
{
  LevelPlan plan = planning_.plan_for(0);
  LevelPlan const of_normals = planning_.plan_for(1);
  std::uint64_t const longs = cursor_.just_queued ? arrays_.longs.size() : cursor_.longs_count;
  if (longs == 0 || (!plan.pushes && !of_normals.pushes)) return;
  plan.pulled_below[1] = of_normals.pulled_below[1];
  device::launch(cut_lists_warp_per_list<Parent>, blocks_for(longs, part_shape.warps()), part_shape.threads, stream_,
                 view_, cursor_, plan, counters_.tally());
}

// Targets that are delegates, before their bits are joined: the device pulls those that live here, and pushes all.
// Whether there was anything to do.
template <typename Parent>
bool PartOnGpu<Parent>::expand_delegates()
{
  LevelPlan const plan = planning_.plan_for(0);
  PartView<Parent> view = view_;
  bool const pulls_normals = planning_.plan().kinds[0].pulls_normals;
  if (pulls_normals) {
    device::launch_over(std::uint64_t{delegates_} * warp_threads, pull_normals_warp_per_delegate<Parent>, stream_,
                        view_, counters_.tally(), counters_.tally_on_host());
    view.out.splits = arrays_.splits_of_delegates.data();
  }
  if (!plan.pulls && !plan.pushes) return pulls_normals;
  HomeTiles const homes{index_.home_tiles.data(), index_.home_tile_count, index_.home_bits.data()};
  launch_expand(view, plan, homes, nullptr, counters_.tally_on_host());
  return true;
}

template <typename Parent>
bool PartOnGpu<Parent>::expand_normals()
{
  LevelPlan plan = planning_.plan_for(1);
  bool const anything = plan.pulls || plan.pushes;
  if (pulls_apart(plan)) {
    pull_apart(plan);
    plan.pulls = false;
  }
  if (plan.pulls || plan.pushes) launch_expand(view_, plan, {}, nullptr, nullptr);
  return anything;
}

// Delegates of others that nobody has found.
template <typename Parent>
void PartOnGpu<Parent>::pull_late_delegates()
{
  LevelPlan plan = planning_.plan_for(0);
  plan.pushes = false;
  launch_expand(view_, plan, {}, late_.bits(), nullptr);
}

template <typename Parent>
void PartOnGpu<Parent>::launch_expand(const PartView<Parent>& view, const LevelPlan& plan, const HomeTiles& homes,
                                      std::uint32_t* late, PartTally* on_host)
{
  // A small frontier is pushed by few.
  unsigned const blocks = blocks_for(plan.pulls ? view_.slots : cursor_.frontier_entries + cursor_.queue_count,
                                     cursor_.just_queued ? 1 : part_shape.threads);
  device::launch(expand_frontier<Parent>, std::max(1u, blocks), part_shape.threads, stream_, view, cursor_, plan, homes,
                 late, counters_.tally(), on_host);
}

// Later pulls find few who wait, and gain nothing from it. Here it takes one launch more, where a device alone needs
// three: fewer vertices are worth it.
template <typename Parent>
bool PartOnGpu<Parent>::pulls_apart(const LevelPlan& plan) const
{
  std::uint64_t const enough = std::max<std::uint64_t>(options_.least_apart / 4, 1);
  return plan.pulls && !pulled_normals_ && planning_.counts().waiting[1] >= enough;
}

template <typename Parent>
void PartOnGpu<Parent>::pull_apart(const LevelPlan& plan)
{
  pulled_normals_ = true;
  std::uint32_t const shares = shares_of_normals(view_.words - view_.normal_base / 32);
  device::launch(ask_firsts_of_part<Parent>, blocks_for_shares(shares, ask_firsts_shape), ask_firsts_shape.threads,
                 stream_, view_, plan, counters_.tally());
  device::launch(walk_open_lists_of_part<Parent>, blocks_for_shares(shares, walk_open_shape), walk_open_shape.threads,
                 stream_, view_, cursor_.level, plan, counters_.tally());
}

// The host has waited for the frontier since anything was put into the other stream. What both write at the same time
// are different vertices: here normal ones, there delegates.
template <typename Parent>
bool PartOnGpu<Parent>::deal_far()
{
  if (far_lists_ == 0) return false;
  device::launch(deal_far_targets<Parent>, far_.blocks_for(far_entries_), deal_threads, far_stream(), view_,
                 far_.lists(far_lists_, part_.out), far_entries_, far_.target_bins(far_stream()), part_.device,
                 &counters_.tally()->blocks_dealt, counters_.counts_on_host());
  return true;
}

template <typename Parent>
void PartOnGpu<Parent>::claim(const Arrivals<Vertex>& arrivals)
{
  device::launch_over((arrivals.total() + claims_per_thread - 1) / claims_per_thread, claim_arrived_by_block<Parent>,
                      stream_, view_, arrivals, claimed_count_, arrays_.claimed.data(), counters_.tally());
}

template <typename Parent>
LevelCounters PartOnGpu<Parent>::finish_level(Trace& trace, const Traffic& traffic)
{
  planning_.frontier_is_expanded();
  arrivals_.finish();
  late_.hear();
  ++cursor_.level;
  gather();
  const PartTally& tally = *counters_.tally_on_host();
  frontier_ = planning_.counts().frontier[1] + tally.delegates_at_home;
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
  PartView<Parent> view = view_;
  view.levels = arrays_.levels.data();
  settling_.settle(view, arrays_.mine.data(), arrays_.claimed.data(), claimed_count_, exchange);
}

template <typename Parent>
TreeOnHost PartOnGpu<Parent>::result() const
{
  if (!on_host_) {
    parents_on_host_ = device::to_vector(arrays_.parents, vertices_, stream_);
    parents_on_host_.reserve(1);  // a view of nothing has a width too
    if (options_.levels) levels_on_host_ = device::to_vector(arrays_.levels, vertices_, stream_);
    on_host_ = true;
  }
  return {ParentsView(parents_on_host_.data(), vertices_), levels_on_host_};
}

}  // namespace

std::uint64_t predict_part_stepper_bytes(const PartSearchCounts& counts, bool wide_parents)
{
  return wide_parents ? PartOnGpu<std::int64_t>::predict_bytes(counts) : PartOnGpu<std::int32_t>::predict_bytes(counts);
}

std::unique_ptr<PartStepper> make_part_stepper(const DevicePart& part, const cuda::PartIndex& index,
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
