// As on the CPU (traverse/cpu/cpu_stepper.cpp), a level first visits delegates and far targets, each in a stream of its
// own as in Fig. 3 of Pan, Pearce and Owens, and sends what it found; while that is on its way it visits the own normal
// vertices; then it takes in what the others found. In a second round it pulls the delegates of others that are left.
// The host meets the other devices in every level, so it also decides push or pull, from counters that come back with
// the frontier. Everything else stays in device memory: the bits of delegates are the mask, and bins are read where
// they are.
#include "traverse/cuda/part_stepper.hpp"

#include "base/clock.hpp"
#include "device/launch.cuh"
#include "exchange/cuda/device_pieces.hpp"
#include "traverse/cuda/far_deal.cuh"
#include "traverse/cuda/part_arrays.cuh"
#include "traverse/cuda/part_counters.cuh"
#include "traverse/cuda/part_expansion.cuh"
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
  const device::Stream& far_stream() const { return beside_ ? *beside_ : stream_; }
  void begin_level();
  void gather();
  void launch_gather();
  Outbox first_outbox();
  Outbox late_outbox();
  bool deal_far();
  void claim(const Arrivals<Vertex>& arrivals);

  const DevicePart& part_;
  const PartIndex& index_;
  CudaStepperOptions options_;
  bool all_levels_;  // are noted
  const device::Stream& stream_;
  std::optional<device::Stream> beside_;  // while far targets are dealt, where it pays
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
  PartExpansion<Parent> expansion_;

  Limits limits_;
  bool idle_ = false;           // nothing has happened in this level
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
      stream_(stream),
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
      view_(view_of_part<Parent>(part, index, labels)),
      expansion_(view_, index, planning_, arrays_, counters_, options.least_apart, stream)
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
  expansion_.start();
  depth_ = 0;
  claimed_count_ = 0;
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
  planning_.take_frontier(tally);
  expansion_.take_frontier(tally);
  far_lists_ = far_.built().lists(tally.far);
  far_entries_ = far_.built().entries(tally.far);
  claimed_count_ += tally.claimed;
}

template <typename Parent>
void PartOnGpu<Parent>::launch_gather()
{
  if (expansion_.just_queued()) counters_.clear_queued();  // what the level that ends has queued for itself
  PartView<Parent> view = view_;
  view.levels = arrays_.levels.data();
  GatherRequest const request{.far_rows = far_rows_view(part_.out),
                              .far = far_.built(),
                              .leads_far = index_.leads_far.data(),
                              .home_bits = index_.home_bits.data(),
                              .fresh = arrays_.fresh.data(),
                              .level = expansion_.level(),
                              .all_levels = all_levels_,
                              .tally = counters_.tally(),
                              .tally_words = static_cast<std::uint32_t>(counters_.bytes() / sizeof(unsigned)),
                              .to_host = counters_.tally_on_host()};
  device::launch(gather_frontier<Parent>, std::max(1u, expansion_.blocks_to_scan()), gather_threads, stream_, view,
                 request);
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
  expansion_.make_ready();
  bool const expands = expansion_.expand_delegates();
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
  expansion_.pull_late_delegates(late_.bits());
  return {late_.send_found(), {}, false};
}

template <typename Parent>
void PartOnGpu<Parent>::begin_level()
{
  watch_ = Stopwatch();
  record_ = {};
  record_.level = expansion_.level();
  record_.frontier = frontier_;
  record_.edges_checked = far_entries_;
  planning_.choose();
  record_.directions = planning_.plan().directions;
  if (options_.rule == PartRule::adaptive)
    record_.queue = !expansion_.pushes()        ? FrontierQueue::none
                    : planning_.counts().queued ? FrontierQueue::single_scan
                                                : FrontierQueue::double_scan;
  far_pieces_.begin_round();
  late_.begin_level();
}

template <typename Parent>
void PartOnGpu<Parent>::work(Round round)
{
  if (round.index == 0 && expansion_.expand_normals()) idle_ = false;
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
  expansion_.next_level();
  gather();
  const PartTally& tally = *counters_.tally_on_host();
  frontier_ = planning_.counts().frontier[1] + tally.delegates_at_home;
  reached_ += frontier_;
  if (frontier_ > 0) depth_ = expansion_.level();
  record_.edges_checked += tally.checked;
  record_.discovered = frontier_;
  set_traffic(record_, traffic);
  record_.seconds = watch_.seconds();
  trace.add(record_);
  bool const stop =
      tally.target_reached != 0 || (limits_.max_depth && std::int64_t{expansion_.level()} >= *limits_.max_depth);
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
