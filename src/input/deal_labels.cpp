#include "input/deal_labels.hpp"

#include "exchange/bins.hpp"
#include "input/edge_blocks.hpp"
#include "input/labels.hpp"
#include "input/stored_edges.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace brushfire {

namespace {

// What every device says, in their order.
std::vector<std::uint64_t> gathered(Exchange& exchange, std::uint64_t own)
{
  std::vector<std::uint64_t> all(static_cast<std::size_t>(exchange.devices()));
  all[static_cast<std::size_t>(exchange.device())] = own;
  exchange.sum(all);
  return all;
}

// A block of tuples with the labels that occur in it.
struct Block {
  std::vector<Edge> edges;
  Labels labels;

  Block(const EdgeSource& source, EdgeRange range, Team team) : edges(range.count)
  {
    team.for_blocks(range.count, edges_per_block, [&](std::uint64_t first, std::uint64_t last, int) {
      source.read(range.first + first, std::span(edges).subspan(first, last - first));
    });
    std::vector<StoredPiece> pieces;
    pieces.emplace_back(edges);
    labels = Labels::of_source(StoredEdges({}, std::move(pieces)), team);
  }
};

// The same number of blocks on every device; those of a device that has fewer are empty.
template <typename Body>
void for_each_block(const EdgeSource& source, EdgeRange range, std::uint64_t tuples_per_block, Exchange& exchange,
                    Team team, Body&& body)
{
  auto const blocks = gathered(exchange, (range.count + tuples_per_block - 1) / tuples_per_block);
  std::uint64_t const most = *std::max_element(blocks.begin(), blocks.end());
  for (std::uint64_t block = 0; block < most; ++block) {
    std::uint64_t const first = std::min(block * tuples_per_block, range.count);
    std::uint64_t const last = std::min(first + tuples_per_block, range.count);
    body(Block(source, {range.first + first, last - first}, team));
  }
}

template <typename Take>
void for_each_label(const Labels& labels, int devices, Take&& take)
{
  for (Vertex vertex = 0; vertex < labels.size(); ++vertex) {
    Label const label = labels.label(vertex);
    take(vertex, label, owner_of(label, devices));
  }
}

// A set of labels that grows by many at a time. What arrives waits until it is as much as there is, so that the set is
// copied only when it doubles.
class GrowingSet {
 public:
  void add(std::span<const Label> labels)
  {
    waiting_.insert(waiting_.end(), labels.begin(), labels.end());
    if (waiting_.size() > std::max<std::size_t>(set_.size(), 1 << 20)) merge();
  }
  std::vector<Label> take()
  {
    merge();
    return std::move(set_);
  }

 private:
  void merge()
  {
    std::sort(waiting_.begin(), waiting_.end());
    waiting_.erase(std::unique(waiting_.begin(), waiting_.end()), waiting_.end());
    std::vector<Label> merged;
    merged.reserve(set_.size() + waiting_.size());
    std::set_union(set_.begin(), set_.end(), waiting_.begin(), waiting_.end(), std::back_inserter(merged));
    set_ = std::move(merged);
    waiting_.clear();
  }

  std::vector<Label> set_;
  std::vector<Label> waiting_;
};

// The labels of this device, rising.
Buffer<Label> own_labels(const EdgeSource& source, EdgeRange range, std::uint64_t tuples_per_block, Exchange& exchange,
                         Team team)
{
  GrowingSet own;
  Bins<Label> bins(exchange.devices());
  for_each_block(source, range, tuples_per_block, exchange, team, [&](const Block& block) {
    for_each_label(block.labels, exchange.devices(), [&](Vertex, Label label, int device) { bins.add(device, label); });
    send_bins(exchange, bins, [&](int, std::span<const Label> labels) { own.add(labels); });
  });
  auto const labels = own.take();
  Buffer<Label> table(labels.size());
  std::copy(labels.begin(), labels.end(), table.data());
  return table;
}

// The run that all labels of all devices make, if they do.
std::optional<LabelRange> consecutive_range(std::span<const Label> own, std::uint64_t total, Exchange& exchange)
{
  if (total == 0) return LabelRange{};
  auto const first = gathered(exchange, static_cast<std::uint64_t>(own.empty() ? largest_label : own.front()));
  auto const largest = gathered(exchange, static_cast<std::uint64_t>(own.empty() ? 0 : own.back()));
  std::uint64_t const low = *std::min_element(first.begin(), first.end());
  std::uint64_t const high = *std::max_element(largest.begin(), largest.end());
  if (high - low != total - 1) return std::nullopt;
  return LabelRange{static_cast<Label>(low), total};
}

// Asks the owners for the numbers of all labels of a block, and returns their indices.
std::vector<std::uint64_t> indices_of(const Labels& labels, const DealtLabels& dealt, Exchange& exchange)
{
  int const devices = exchange.devices();
  Bins<Label> questions(devices);
  for_each_label(labels, devices, [&](Vertex, Label label, int device) { questions.add(device, label); });
  Bins<Vertex> answers(devices);
  send_bins(exchange, questions, [&](int from, std::span<const Label> asked) {
    for (Label const label : asked) answers.add(from, dealt.number_of(label));
  });
  std::vector<std::vector<Vertex>> numbers(static_cast<std::size_t>(devices));
  send_bins(exchange, answers, [&](int from, std::span<const Vertex> answered) {
    numbers[static_cast<std::size_t>(from)].assign(answered.begin(), answered.end());
  });

  // Answers come in the order of the questions, which is that of the labels.
  std::vector<std::uint64_t> indices(labels.size());
  std::vector<std::size_t> next(static_cast<std::size_t>(devices));
  for_each_label(labels, devices, [&](Vertex vertex, Label, int device) {
    auto const owner = static_cast<std::size_t>(device);
    indices[vertex] = std::uint64_t{numbers[owner][next[owner]++]} * static_cast<std::uint64_t>(devices) + owner;
  });
  return indices;
}

std::unique_ptr<const EdgeSource> renumbered(const EdgeSource& source, EdgeRange range, const DealtLabels& dealt,
                                             std::uint64_t tuples_per_block, Exchange& exchange, Team team)
{
  std::vector<StoredPiece> pieces;
  for_each_block(source, range, tuples_per_block, exchange, team, [&](Block block) {
    auto const indices = indices_of(block.labels, dealt, exchange);
    auto const index_of = [&](Label label) { return static_cast<Label>(indices[block.labels.vertex(label)]); };
    team.for_blocks(block.edges.size(), edges_per_block, [&](std::uint64_t first, std::uint64_t last, int) {
      for (Edge& edge : std::span(block.edges).subspan(first, last - first))
        edge = {index_of(edge.source), index_of(edge.target)};
    });
    if (!block.edges.empty()) pieces.emplace_back(block.edges);
  });
  EdgeFacts facts = source.facts();
  facts.bytes_held = 0;  // counted anew
  return std::make_unique<StoredEdges>(std::move(facts), std::move(pieces));
}

}  // namespace

DealtGraph deal_labels(const EdgeSource& source, EdgeRange range, Exchange& exchange, Team team,
                       std::uint64_t tuples_per_block)
{
  int const devices = exchange.devices();
  int const device = exchange.device();
  if (source.facts().declared) return {DealtLabels::of_range(*source.facts().declared, devices, device), nullptr};

  Buffer<Label> own = own_labels(source, range, tuples_per_block, exchange, team);
  auto const sizes = gathered(exchange, own.size());
  std::uint64_t total = 0;
  for (std::uint64_t const size : sizes) total += size;
  if (auto const run = consecutive_range(own.span(), total, exchange))
    return {DealtLabels::of_range(*run, devices, device), nullptr};

  DealtLabels labels = DealtLabels::of_own_table(Section<Label>(std::move(own)), sizes, device);
  auto tuples = renumbered(source, range, labels, tuples_per_block, exchange, team);
  return {std::move(labels), std::move(tuples)};
}

std::vector<Label> indices_of(const DealtLabels& names, const DealtLabels& indices, ParentsView labels,
                              Exchange& exchange)
{
  Bins<Label> questions(exchange.devices());
  for (std::uint64_t v = 0; v < labels.size(); ++v)
    if (labels[v] != no_label) questions.add(names.device_of(labels[v]), labels[v]);
  Bins<Label> answers(exchange.devices());
  send_bins(exchange, questions, [&](int from, std::span<const Label> asked) {
    for (Label const label : asked) answers.add(from, static_cast<Label>(names.find(label).value_or(indices.total())));
  });
  std::vector<std::vector<Label>> heard(static_cast<std::size_t>(exchange.devices()));
  send_bins(exchange, answers, [&](int from, std::span<const Label> items) {
    heard[static_cast<std::size_t>(from)].assign(items.begin(), items.end());
  });
  std::vector<Label> result(labels.size(), no_label);
  std::vector<std::size_t> next(heard.size());  // answers come in the order of the questions
  for (std::uint64_t v = 0; v < labels.size(); ++v)
    if (labels[v] != no_label) {
      auto const device = static_cast<std::size_t>(names.device_of(labels[v]));
      result[v] = heard[device][next[device]++];
    }
  return result;
}

}  // namespace brushfire
