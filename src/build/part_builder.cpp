#include "build/part_builder.hpp"

#include "base/error.hpp"
#include "build/degrees.hpp"
#include "build/part_delegates.hpp"
#include "build/rows.hpp"
#include "build/tuple_steps.hpp"
#include "exchange/bins.hpp"
#include "exchange/sum_over_devices.hpp"

#include <brushfire/graph.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

namespace brushfire {

namespace {

class PartBuilder {
 public:
  PartBuilder(const TupleShare& tuples, const DealtLabels& labels, const BuildOptions& options, Exchange& exchange,
              Team team, Progress& progress)
      : tuples_(tuples),
        labels_(labels),
        options_(options),
        exchange_(exchange),
        team_(team),
        progress_(progress),
        both_ends_(counts_at_both_ends(tuples, options.directed))
  {
  }

  BuiltPart build(OwnDegrees counted);

 private:
  void choose_delegates();
  template <typename Body>
  void for_each_entry(const char* stage, bool incoming, Body&& take,
                      const std::function<void(std::span<const FarEntry>)>& take_far);
  struct End {
    std::uint32_t device;  // where it lives
    Vertex number;         // there
    const Delegates::Ranked* delegate;
  };
  End end_of(Label label) const;
  void add_entry(End from, End to, Bins<NearEntry>& entries, Bins<FarEntry>& far_entries) const;
  void build_rows(bool incoming, Adjacency& rows, FarRows& far_rows);
  void count_everything();

  const TupleShare& tuples_;
  const DealtLabels& labels_;
  const BuildOptions& options_;
  Exchange& exchange_;
  Team team_;
  Progress& progress_;
  bool both_ends_;
  Degrees degrees_;
  BuiltPart built_;
};

void PartBuilder::choose_delegates()
{
  Layout& layout = built_.part.layout;
  layout.threshold = options_.threshold
                         ? *options_.threshold
                         : agree_on_threshold(histogram_of(degrees_.out.span(), degrees_.in.span(), team_), exchange_);
  std::vector<Delegates::Member> own;
  for (Vertex v = 0; v < labels_.size(); ++v) {
    if (degrees_.total(v) <= layout.threshold) continue;
    Label const label = labels_.label(v);
    own.push_back({labels_.index_of(label), degrees_.total(v), far_vertex(exchange_.device(), v), label});
  }
  built_.part.delegates = agree_on_delegates(own, labels_.size(), exchange_);
  layout.delegates = built_.part.delegates.size();
  layout.delegate_vertices = numbers_at_home(built_.part.delegates, exchange_.device());
}

PartBuilder::End PartBuilder::end_of(Label label) const
{
  std::uint64_t const index = labels_.index_of(label);
  Home const home = labels_.dealing().home_of(index);
  End const end{home.device, home.number, built_.part.delegates.find(index)};
  if (end.delegate != nullptr) __builtin_prefetch(end.delegate);
  return end;
}

// Algorithm 1: an entry lies where its normal end lives, the source first; between delegates where the one of lower
// degree lives, and of equal ones the first. So both directions of an edge that has a delegate are on one device, which
// hears of it once.
void PartBuilder::add_entry(End from, End to, Bins<NearEntry>& entries, Bins<FarEntry>& far_entries) const
{
  if (from.delegate == nullptr && to.delegate == nullptr) {
    far_entries.add(static_cast<int>(from.device), {from.number, to.number, to.device});
    if (both_ends_) far_entries.add(static_cast<int>(to.device), {to.number, from.number, from.device});
    return;
  }
  auto const slot = [&](End end) {
    return end.delegate != nullptr ? end.delegate->rank : built_.part.delegates.size() + end.number;
  };
  std::uint32_t device = from.delegate == nullptr ? from.device : to.device;
  if (from.delegate != nullptr && to.delegate != nullptr) {
    auto const [lower, higher] = from.delegate->rank < to.delegate->rank ? std::pair(from, to) : std::pair(to, from);
    device = keeper_of({lower.device, lower.delegate->degree}, {higher.device, higher.delegate->degree});
  }
  entries.add(static_cast<int>(device), {slot(from), slot(to)});
}

template <typename Body>
void PartBuilder::for_each_entry(const char* stage, bool incoming, Body&& take,
                                 const std::function<void(std::span<const FarEntry>)>& take_far)
{
  Bins<NearEntry> entries(exchange_.devices());
  Bins<FarEntry> far_entries(exchange_.devices());
  for_each_step(tuples_, exchange_, team_, progress_, stage, [&](std::span<const Edge> edges) {
    // Looked up a few at a time before they are added: so the cache misses of some overlap.
    std::array<std::pair<End, End>, 128> ends;
    for (; !edges.empty(); edges = edges.subspan(std::min(edges.size(), ends.size()))) {
      std::size_t count = 0;
      for (auto const [from, to] : edges.first(std::min(edges.size(), ends.size())))
        if (from != to) ends[count++] = {end_of(incoming ? to : from), end_of(incoming ? from : to)};
      for (auto const& [from, to] : std::span(ends).first(count)) add_entry(from, to, entries, far_entries);
    }
    send_bins(exchange_, entries, [&](int, std::span<const NearEntry> items) { take(items); });
    send_bins(exchange_, far_entries, [&](int, std::span<const FarEntry> items) { take_far(items); });
  });
}

void PartBuilder::build_rows(bool incoming, Adjacency& rows, FarRows& far_rows)
{
  constexpr std::uint64_t grain = 1 << 13;
  Vertex const delegates = built_.part.delegates.size();
  Buffer<std::uint32_t> ends(std::uint64_t{delegates} + labels_.size());  // counts, then cursors, then row ends
  Buffer<std::uint32_t> far_ends(labels_.size());
  for_each_entry(
      "counting rows", incoming,
      [&](std::span<const NearEntry> items) {
        for (const NearEntry& entry : items) {
          ++ends[entry.row];
          if (both_ends_) ++ends[entry.target];
        }
      },
      [&](std::span<const FarEntry> items) {
        for (const FarEntry& entry : items) ++far_ends[entry.row];
      });
  RowStarts starts = place_rows(ends.span()), far_starts = place_rows(far_ends.span());
  Buffer<Vertex> targets(starts.entries);
  Buffer<FarVertex> far_targets(far_starts.entries);
  std::copy_n(starts.starts.data(), ends.size(), ends.data());
  std::copy_n(far_starts.starts.data(), far_ends.size(), far_ends.data());
  for_each_entry(
      "placing edges", incoming,
      [&](std::span<const NearEntry> items) {
        team_.for_blocks(items.size(), grain, [&](std::uint64_t first, std::uint64_t last, int) {
          Drops<Vertex> drops(ends.span(), starts.bases.span(), targets.span());
          for (const NearEntry& entry : items.subspan(first, last - first)) {
            drops.add(entry.row, entry.target);
            if (both_ends_) drops.add(entry.target, entry.row);
          }
          drops.finish();
        });
      },
      [&](std::span<const FarEntry> items) {
        team_.for_blocks(items.size(), grain, [&](std::uint64_t first, std::uint64_t last, int) {
          Drops<FarVertex> drops(far_ends.span(), far_starts.bases.span(), far_targets.span());
          for (const FarEntry& entry : items.subspan(first, last - first))
            drops.add(entry.row, far_vertex(static_cast<int>(entry.device), entry.target));
          drops.finish();
        });
      });

  progress_.begin("sorting lists", 0, "");
  auto const bits = static_cast<int>(std::bit_width(std::uint64_t{delegates} + labels_.size()));
  auto const far_bits = 32 + static_cast<int>(std::bit_width(static_cast<unsigned>(exchange_.devices())));
  sort_rows<Vertex>(targets.span(), starts.starts.span(), ends.span(), starts.bases.span(), delegates, bits, team_);
  targets.shrink(close_gaps<Vertex>(targets.span(), starts.starts.span(), ends.span(), starts.bases.span(), team_));
  sort_rows<FarVertex>(far_targets.span(), far_starts.starts.span(), far_ends.span(), far_starts.bases.span(), 0,
                       far_bits, team_);
  far_targets.shrink(close_gaps<FarVertex>(far_targets.span(), far_starts.starts.span(), far_ends.span(),
                                           far_starts.bases.span(), team_));
  Buffer<std::uint32_t> splits(delegates);  // the normal rows hold delegates only
  split_rows(targets.span(), starts.starts.span(), starts.bases.span(), delegates, splits.span(), team_);
  progress_.end();

  rows = {Section<std::uint32_t>(std::move(starts.starts)), Section<std::uint32_t>(std::move(splits)),
          Section<std::uint64_t>(std::move(starts.bases)), Section<Vertex>(std::move(targets))};
  far_rows = {std::move(far_starts.starts), std::move(far_starts.bases), std::move(far_targets)};
}

void PartBuilder::count_everything()
{
  const Part& part = built_.part;
  PartTotals& totals = built_.totals;
  for (Subgraph const kind : {Subgraph::dd, Subgraph::dn, Subgraph::nd})
    totals.entries[index_of(kind)] = part.layout.entries(kind);
  totals.entries[index_of(Subgraph::nn)] = part.out.targets.size();
  totals.bytes = part.bytes();
  totals.subgraph_bytes = part.subgraph_bytes();
  totals = sum_over_devices(exchange_, totals);
}

BuiltPart PartBuilder::build(OwnDegrees counted)
{
  Part& part = built_.part;
  part.devices = exchange_.devices();
  part.device = exchange_.device();
  Layout& layout = part.layout;
  layout.vertices = labels_.size();
  layout.directed = options_.directed;
  built_.totals.tuples = counted.tuples;
  built_.totals.self_loops = counted.degrees.self_loops;
  degrees_ = std::move(counted.degrees);
  choose_delegates();
  build_rows(false, layout.out, part.out);
  if (options_.directed)
    build_rows(true, layout.in, part.in);
  else
    layout.in = layout.out;
  layout.input_degrees = Section<std::uint32_t>(std::move(degrees_.out));
  count_everything();
  return std::move(built_);
}

}  // namespace

BuiltPart build_part(const TupleShare& tuples, const DealtLabels& labels, const BuildOptions& options,
                     OwnDegrees counted, Exchange& exchange, Team team, Progress& progress)
{
  return PartBuilder(tuples, labels, options, exchange, team, progress).build(std::move(counted));
}

}  // namespace brushfire
