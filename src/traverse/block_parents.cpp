#include "traverse/block_parents.hpp"

#include "base/buffer.hpp"
#include "exchange/bins.hpp"
#include "exchange/sum_over_devices.hpp"

#include <algorithm>
#include <vector>

namespace brushfire {

namespace {

constexpr std::uint64_t vertices_per_step = 1 << 16;  // of each device; half a MiB on their way to each other

// Calls send(first, last) for runs of the own vertices until those of every device are through.
template <typename Send>
void in_steps(std::uint64_t vertices, Exchange& exchange, Send&& send)
{
  std::uint64_t first = 0;
  while (sum_over_devices(exchange, vertices - first) > 0) {
    std::uint64_t const last = std::min(vertices, first + vertices_per_step);
    send(first, last);
    first = last;
  }
}

// What every device of an extent has for its own vertices, by slot. `receivers` have this device's vertices in theirs.
template <typename Value>
Buffer<Value> values_of(const Extent& extent, std::span<const int> receivers, std::uint64_t own, Exchange& exchange,
                        const auto& value_of)
{
  Buffer<Value> values(extent.slots());
  std::vector<std::uint64_t> heard(static_cast<std::size_t>(exchange.devices()));
  Bins<Value> bins(exchange.devices());
  in_steps(own, exchange, [&](std::uint64_t first, std::uint64_t last) {
    for (int const receiver : receivers)
      for (std::uint64_t v = first; v < last; ++v) bins.add(receiver, value_of(static_cast<Vertex>(v)));
    send_bins(exchange, bins, [&](int sender, std::span<const Value> items) {
      std::uint64_t& place = heard[static_cast<std::size_t>(sender)];
      std::copy(items.begin(), items.end(), values.data() + extent.first(sender) + place);
      place += items.size();
    });
  });
  return values;
}

}  // namespace

void name_parents(std::span<const FarVertex> parents, DealtLabelsView labels, Exchange& exchange,
                  std::span<Label> names)
{
  if (!labels.own_only) {
    for (std::size_t v = 0; v < parents.size(); ++v)
      names[v] = parents[v] == no_parent ? no_label : labels.of(device_of(parents[v]))(number_of(parents[v]));
    return;
  }
  Bins<Vertex> questions(exchange.devices());
  for (FarVertex const parent : parents)
    if (parent != no_parent) questions.add(device_of(parent), number_of(parent));
  Bins<Label> answers(exchange.devices());
  LabelsView const own = labels.of(exchange.device());
  send_bins(exchange, questions, [&](int from, std::span<const Vertex> numbers) {
    for (Vertex const number : numbers) answers.add(from, own(number));
  });
  std::vector<std::vector<Label>> heard(static_cast<std::size_t>(exchange.devices()));
  send_bins(exchange, answers, [&](int from, std::span<const Label> items) {
    heard[static_cast<std::size_t>(from)].assign(items.begin(), items.end());
  });
  std::vector<std::size_t> next(heard.size());  // answers come in the order of the questions
  for (std::size_t v = 0; v < parents.size(); ++v) {
    FarVertex const parent = parents[v];
    names[v] = no_label;
    if (parent == no_parent) continue;
    auto const device = static_cast<std::size_t>(device_of(parent));
    names[v] = heard[device][next[device]++];
  }
}

void choose_smallest_parents(const Block& block, std::span<const std::int32_t> levels, DealtLabelsView labels,
                             Exchange& exchange, std::span<Label> names)
{
  const Extent &sources = block.sources(), &targets = block.targets();
  // The devices of a column have the same sources, those of a row the same targets.
  auto const level_of = [&](Vertex v) { return levels[v]; };
  auto const source_levels = values_of<std::int32_t>(sources, sources.devices(), levels.size(), exchange, level_of);
  auto const target_levels = values_of<std::int32_t>(targets, targets.devices(), levels.size(), exchange, level_of);
  LabelsView const own = labels.of(block.device);
  // Numbers that no vertex has here have no name either.
  auto const name_of = [&](Vertex v) { return levels[v] < 0 ? no_label : own(v); };
  auto const source_names = values_of<Label>(sources, sources.devices(), levels.size(), exchange, name_of);

  Buffer<Label> best(targets.slots());
  std::fill_n(best.data(), best.size(), no_label);
  SubgraphView const rows = block.pushed();
  for (Vertex u = 0; u < sources.slots(); ++u) {
    if (source_levels[u] < 0 || rows.length(u) == 0) continue;
    EntryRange const row = rows.row(u);
    for (EdgeIndex e = row.first; e < row.last; ++e)
      if (Vertex const v = rows.target(e); target_levels[v] == source_levels[u] + 1)
        best[v] = smaller_label(best[v], source_names[u]);
  }

  for (std::size_t v = 0; v < levels.size(); ++v)
    if (levels[v] > 0) names[v] = no_label;
  struct Found {
    std::int64_t number;
    Label parent;
  };
  Bins<Found> found(exchange.devices());
  in_steps(targets.slots(), exchange, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t slot = first; slot < last; ++slot) {
      if (best[slot] == no_label) continue;
      FarVertex const vertex = targets.vertex_at(static_cast<Vertex>(slot));
      found.add(device_of(vertex), {number_of(vertex), best[slot]});
    }
    send_bins(exchange, found, [&](int, std::span<const Found> items) {
      for (const Found& item : items) {
        Label& name = names[static_cast<std::size_t>(item.number)];
        name = smaller_label(name, item.parent);
      }
    });
  });
}

}  // namespace brushfire
