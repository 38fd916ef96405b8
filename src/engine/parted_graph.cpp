#include "engine/parted_graph.hpp"

#include "base/error.hpp"
#include "build/block_builder.hpp"
#include "build/part_delegates.hpp"
#include "build/tuple_steps.hpp"
#include "engine/gpu.hpp"
#include "engine/preset.hpp"
#include "exchange/bins.hpp"
#include "exchange/gather.hpp"
#include "exchange/job_wire.hpp"
#include "input/deal_labels.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string>
#include <utility>

namespace brushfire {

namespace {

// BRUSHFIRE_MESSAGE_BYTES of the first rank tunes it to a network: sender and receiver must cut alike.
std::size_t message_bytes()
{
  std::size_t bytes = WireOptions().message_bytes;
  const char* const text = std::getenv("BRUSHFIRE_MESSAGE_BYTES");
  if (std::string const digits = from_first_rank(text != nullptr ? text : ""); !digits.empty()) {
    auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bytes);
    if (error != std::errc() || end != digits.data() + digits.size() || bytes < 64 || bytes > (std::size_t{1} << 30))
      fail(ErrorKind::usage, "BRUSHFIRE_MESSAGE_BYTES={}: must be a whole number from 64 to 2^30", digits);
  }
  return bytes;
}

// Deals out the labels of a file whose ranks each know only their own tuples.
void deal(PartedGraph::Place& place, const TupleShare& tuples, Exchange& exchange, Team team)
{
  DealtGraph dealt = deal_labels(tuples.source, {tuples.first, tuples.size()}, exchange, team);
  if (dealt.tuples == nullptr) {
    place.labels = std::move(dealt.labels);
    return;
  }
  place.names = std::move(dealt.labels);
  place.tuples = std::move(dealt.tuples);
  std::uint64_t most = 0;
  for (int device = 0; device < exchange.devices(); ++device)
    most = std::max<std::uint64_t>(most, place.names.size_of(device));
  auto const devices = static_cast<std::uint64_t>(exchange.devices());
  place.labels = DealtLabels::of_range({0, devices * most}, exchange.devices(), exchange.device());
}

// Delegates by the names that the input has for them, which their own devices tell all.
void name_delegates(PartedGraph::Place& place, Exchange& exchange)
{
  std::vector<std::uint64_t> names(place.part.delegates.size());
  for (Vertex rank = 0; rank < names.size(); ++rank)
    if (FarVertex const home = place.part.delegates[rank].home; device_of(home) == exchange.device())
      names[rank] = static_cast<std::uint64_t>(place.names.label(number_of(home)));
  exchange.sum(names);
  for (Vertex rank = 0; rank < names.size(); ++rank) place.part.delegates.name(rank, static_cast<Label>(names[rank]));
}

// Tuples stand by rank, and in a rank by device. A source of the rank starts with its first device's, one of the device
// with its own.
std::uint64_t tuples_in_front(Exchange& exchange, std::uint64_t own, bool source_of_device)
{
  int const ranks = job_place().ranks, rank = exchange.device() % ranks, index = exchange.device() / ranks;
  auto const counts = gather(exchange, own);
  std::uint64_t before = 0;
  for (int device = 0; device < exchange.devices(); ++device)
    if (device % ranks < rank || (source_of_device && device % ranks == rank && device / ranks < index))
      before += counts[static_cast<std::size_t>(device)];
  return before;
}

std::vector<std::uint32_t> neighbours_of_own(const Block& block, Vertex own, Exchange& exchange)
{
  struct Length {
    Vertex number;
    std::uint32_t entries;
  };
  Bins<Length> lengths(exchange.devices());
  SubgraphView const rows = block.pushed();
  for (Vertex slot = 0; slot < block.sources().slots(); ++slot) {
    if (rows.length(slot) == 0) continue;
    FarVertex const source = block.sources().vertex_at(slot);
    lengths.add(device_of(source), {number_of(source), rows.length(slot)});
  }
  std::vector<std::uint32_t> sums(own);
  send_bins(exchange, lengths, [&](int, std::span<const Length> items) {
    for (const Length& item : items) sums[item.number] += item.entries;
  });
  return sums;
}

}  // namespace

JobGroup::JobGroup(int devices_here, const Options& options, const GpuParts* parts)
    : wire_(wire_of(devices_here, options, parts)),
      group_(devices_here, options.rounds, wire_.get(), options.join_pieces,
             parts != nullptr ? memory_of(*parts) : nullptr)
{
}

std::unique_ptr<Wire> JobGroup::wire_of(int devices_here, const Options& options, const GpuParts* parts)
{
  WireOptions const wire{.message_bytes = message_bytes(), .nonblocking_or = options.nonblocking_masks};
  return parts != nullptr ? make_wire(*parts, wire) : make_wire(devices_here, wire);
}

bool true_on_all_ranks(bool here)
{
  std::uint64_t elsewhere = here ? 0 : 1;
  JobGroup together(1);
  together->run([&](int, Exchange& exchange) { exchange.sum({&elsewhere, 1}); });
  return elsewhere == 0;
}

PartedGraph::PartedGraph(const EdgeSource& source, const Labels* labels, int devices_here, const Options& options,
                         Team team, Progress& progress)
    : preset_(options.preset),
      team_{std::max(1, team.threads / devices_here)},
      places_(static_cast<std::size_t>(devices_here)),
      built_on_gpus_(options.on_gpus ? begin_gpu_parts(devices_here) : nullptr),
      group_(devices_here, {}, built_on_gpus_.get())
{
  devices_ = group_->devices();
  group_->run([&](int index, Exchange& exchange) {
    Place& place = places_[static_cast<std::size_t>(index)];
    TupleShare const share = share_of(source, index, devices_here);
    if (labels != nullptr) {
      place.labels = DealtLabels::of_labels(*labels, exchange.devices(), exchange.device());
    } else if (auto const declared = source.facts().declared) {
      place.labels = DealtLabels::of_range(*declared, exchange.devices(), exchange.device());
    } else {
      deal(place, share, exchange, team_);
      if (index == 0 && options.when_counted) options.when_counted(place.labels.total(), place.tuples != nullptr);
    }
    Progress& heard = index == 0 ? progress : Progress::none();
    TupleShare const tuples = place.tuples == nullptr ? share : share_of(*place.tuples, 0, 1);
    place.tuples_in_front = tuples_in_front(exchange, tuples.size(), place.tuples != nullptr);
    BuiltPart built = build(index, tuples, options, exchange, heard);
    place.part = std::exchange(built.part, {});
    if (place.tuples != nullptr) name_delegates(place, exchange);
    if (built_on_gpus_ != nullptr) finish_on_gpu(*built_on_gpus_, index, place.part, place.input_labels());
    if (index == 0) totals_ = built.totals;
    Label own_largest = no_label;
    if (place.tuples != nullptr && place.names.size() > 0) own_largest = place.names.label(place.names.size() - 1);
    auto const largest = gather(exchange, own_largest);
    if (index == 0) largest_label_ = *std::max_element(largest.begin(), largest.end());
  });
  if (!renumbered() && places_.front().labels.total() > 0)
    largest_label_ = places_.front().labels.label_at(places_.front().labels.total() - 1);
  vertices_ = renumbered() ? places_.front().names.total() : places_.front().labels.total();
}

BuiltPart PartedGraph::build(int index, const TupleShare& tuples, const Options& options, Exchange& exchange,
                             Progress& progress)
{
  Place& place = places_[static_cast<std::size_t>(index)];
  if (built_on_gpus_ == nullptr) return build_on_cpu(place, tuples, options, exchange, progress);
  GpuBuildOptions const on_gpu{options.build.directed, options.build.threshold, options.store_tuples};
  GpuBuiltPart result = build_on_gpu(*built_on_gpus_, index, tuples, place.labels, on_gpu, exchange, team_, progress);
  if (index == 0) generation_seconds_ = result.generation_seconds;
  return std::move(result.built);
}

// All devices come to the same preset: they see the same degrees.
BuiltPart PartedGraph::build_on_cpu(Place& place, const TupleShare& tuples, const Options& options, Exchange& exchange,
                                    Progress& progress)
{
  Preset preset = options.preset;
  bool const directed = options.build.directed;
  if (!cuts_into_blocks(preset)) {
    OwnDegrees counted = count_own_degrees(tuples, place.labels, {directed, counts_at_both_ends(tuples, directed)},
                                           exchange, team_, progress);
    const Degrees& own = counted.degrees;
    if (options.may_cut)
      preset = choose_preset(degrees_of_all(histogram_of(own.out.span(), own.in.span(), team_), exchange), devices_);
    if (!cuts_into_blocks(preset))
      return build_part(tuples, place.labels, options.build, std::move(counted), exchange, team_, progress);
  }
  BlockCut const cut = cut_for(preset, devices_, options.grid);
  if (&place == &places_.front()) {
    preset_ = preset;
    cut_ = cut;
  }
  // The names of a renumbered graph have been dealt out by then.
  if (cut.edges_balanced && place.tuples == nullptr)
    place.labels = place.labels.in_pieces(balanced_bounds(tuples, place.labels, exchange, team_));
  return build_in_blocks(place, tuples, cut, directed, exchange, progress);
}

// What is known of a graph in blocks without its lists stands where a part has it.
BuiltPart PartedGraph::build_in_blocks(Place& place, const TupleShare& tuples, const BlockCut& cut, bool directed,
                                       Exchange& exchange, Progress& progress)
{
  BuiltBlock built = build_block(tuples, place.labels, cut, directed, exchange, team_, progress);
  place.block = std::move(built.block);
  BuiltPart result;
  result.totals = built.totals;
  result.part.devices = exchange.devices();
  result.part.device = exchange.device();
  Layout& layout = result.part.layout;
  layout.vertices = place.labels.size();
  layout.threshold = plain_threshold;
  layout.directed = directed;
  layout.input_degrees = std::move(built.input_degrees);
  return result;
}

void PartedGraph::take_input_degrees(const Section<std::uint32_t>& degrees)
{
  for (Place& place : places_) {
    Buffer<std::uint32_t> own(place.labels.size());
    for (Vertex v = 0; v < own.size(); ++v) own[v] = degrees[place.own_index(v)];
    place.part.layout.input_degrees = Section<std::uint32_t>(std::move(own));
  }
}

TupleShare PartedGraph::tuples_of(int index, const EdgeSource& source) const
{
  const Place& here = place(index);
  if (here.tuples != nullptr) return share_of(*here.tuples, 0, 1, here.tuples_in_front);
  return share_of(source, index, devices_here(), here.tuples_in_front);
}

// Many threads may ask at once; the devices answer them one after another.
void PartedGraph::together(const std::function<void(int, Exchange&)>& body) const
{
  std::lock_guard const lock(asking_);
  group_->run(body);
}

// What own(place, number) says on the device where the vertex lives.
template <typename Own>
std::uint64_t PartedGraph::ask_owner(std::uint64_t index, Own&& own) const
{
  std::uint64_t answer = 0;
  together([&](int here, Exchange& exchange) {
    std::uint64_t said = 0;
    if (auto const number = place(here).own_number(index)) said = own(place(here), *number);
    exchange.sum({&said, 1});
    if (here == 0) answer = said;
  });
  return answer;
}

std::optional<std::uint64_t> PartedGraph::find(Label label) const
{
  if (!renumbered()) return places_.front().labels.find(label);
  std::uint64_t found = 0;  // 1 + the index
  together([&](int here, Exchange& exchange) {
    const DealtLabels& names = place(here).names;
    std::uint64_t said = 0;
    if (names.device_of(label) == exchange.device())
      if (auto const index = names.find(label)) said = *index + 1;
    exchange.sum({&said, 1});
    if (here == 0) found = said;
  });
  return found == 0 ? std::nullopt : std::optional(found - 1);
}

Label PartedGraph::label_at(std::uint64_t index) const
{
  if (!renumbered()) return places_.front().labels.label_at(index);
  return static_cast<Label>(ask_owner(index, [](const Place& here, Vertex number) {
    return number < here.names.size() ? static_cast<std::uint64_t>(here.names.label(number)) : 0;
  }));
}

const GpuParts& PartedGraph::on_gpus() const
{
  if (built_on_gpus_ != nullptr) return *built_on_gpus_;
  std::call_once(copied_to_gpus_, [this] { on_gpus_ = copy_to_gpus(*this); });
  return *on_gpus_;
}

const Part& PartedGraph::on_host(int index) const
{
  if (built_on_gpus_ != nullptr)
    std::call_once(copied_to_host_, [this] {
      for (int here = 0; here < devices_here(); ++here)
        copy_rows_to_host(*built_on_gpus_, here, places_[static_cast<std::size_t>(here)].part);
    });
  return place(index).part;
}

// Of the lists that this device has, or of its vertices where their lists are spread over blocks. All devices ask.
RowLengths PartedGraph::lengths(int index, Exchange& exchange) const
{
  if (cut_) return {{}, neighbours_of_own(place(index).block, place(index).labels.size(), exchange)};
  if (built_on_gpus_ != nullptr) return row_lengths(*built_on_gpus_, index);
  const Part& part = place(index).part;
  RowLengths lengths{std::vector<std::uint32_t>(part.delegates.size()),
                     std::vector<std::uint32_t>(part.layout.vertices)};
  SubgraphView const dd = part.layout.pushed(Subgraph::dd), dn = part.layout.pushed(Subgraph::dn);
  for (Vertex rank = 0; rank < lengths.of_delegates.size(); ++rank)
    lengths.of_delegates[rank] = dd.length(rank) + dn.length(rank);
  SubgraphView const nd = part.layout.pushed(Subgraph::nd);
  for (Vertex v = 0; v < lengths.of_vertices.size(); ++v) lengths.of_vertices[v] = nd.length(v) + part.out.length(v);
  return lengths;
}

std::uint32_t PartedGraph::input_degree(std::uint64_t index) const
{
  return static_cast<std::uint32_t>(
      ask_owner(index, [](const Place& here, Vertex number) { return here.part.layout.input_degrees[number]; }));
}

std::vector<std::uint64_t> PartedGraph::input_degrees(std::uint64_t first, std::uint64_t count) const
{
  std::vector<std::uint64_t> answer;
  together([&](int here, Exchange& exchange) {
    auto const own = place(here).part.layout.input_degrees.span();
    std::vector<std::uint64_t> said(count);
    for (std::uint64_t index = first; index < first + count; ++index)
      if (auto const number = place(here).own_number(index)) said[index - first] = own[*number];
    exchange.sum(said);
    if (here == 0) answer = std::move(said);
  });
  return answer;
}

std::uint64_t PartedGraph::largest_degree_vertex() const
{
  struct Candidate {
    std::uint64_t neighbours = 0, index = 0;
  };
  Candidate largest;
  auto const offer = [](Candidate& best, const Candidate& other) {
    if (other.neighbours > best.neighbours || (other.neighbours == best.neighbours && other.index < best.index))
      best = other;
  };
  together([&](int here, Exchange& exchange) {
    const Delegates& delegates = place(here).part.delegates;
    RowLengths const own_lengths = lengths(here, exchange);
    std::vector<std::uint64_t> of_delegates(own_lengths.of_delegates.begin(), own_lengths.of_delegates.end());
    exchange.sum(of_delegates);  // their lists are spread
    Candidate own{0, place(here).labels.total()};
    for (Vertex rank = 0; rank < of_delegates.size(); ++rank) offer(own, {of_delegates[rank], delegates[rank].index});
    for (Vertex v = 0; v < own_lengths.of_vertices.size(); ++v)
      offer(own, {own_lengths.of_vertices[v], place(here).own_index(v)});
    auto const all = gather(exchange, own);
    for (const Candidate& candidate : all) offer(own, candidate);
    if (here == 0) largest = own;
  });
  return largest.index;
}

std::vector<Label> PartedGraph::all_labels() const
{
  std::vector<Label> all;
  together([&](int here, Exchange& exchange) {
    Bins<Label> names(exchange.devices());
    for (Vertex v = 0; v < place(here).names.size(); ++v) names.add(0, place(here).names.label(v));
    send_bins(exchange, names,
              [&](int, std::span<const Label> labels) { all.insert(all.end(), labels.begin(), labels.end()); });
  });
  std::sort(all.begin(), all.end());
  return all;
}

Labels labels_in_order(const PartedGraph& parts)
{
  auto const all = std::make_shared<const std::vector<Label>>(parts.all_labels());
  return Labels::of_table(Section<Label>(std::span(*all), all));
}

}  // namespace brushfire
