#include "engine/parted_graph.hpp"

#include <algorithm>
#include <utility>

namespace brushfire {

std::unique_ptr<DeviceGroup> PartedGraph::make_group() const
{
  constexpr int rounds = 1;  // masks and vertices travel together
  return std::make_unique<DeviceGroup>(devices_here(), rounds);
}

PartedGraph::PartedGraph(const EdgeSource& source, const Labels& labels, int devices_here, const BuildOptions& options,
                         Team team, Progress& progress)
    : team_{std::max(1, team.threads / devices_here)}, places_(static_cast<std::size_t>(devices_here))
{
  group_ = make_group();
  devices_ = group_->devices();
  group_->run([&](int index, Exchange& exchange) {
    Place& place = places_[static_cast<std::size_t>(index)];
    place.labels = DealtLabels::of_labels(labels, exchange.devices(), exchange.device());
    Progress& heard = index == 0 ? progress : Progress::none();
    BuiltPart built = build_part(tuples_of(index, source), place.labels, options, exchange, team_, heard);
    place.part = std::move(built.part);
    if (index != 0) return;
    tuples_ = built.tuples;
    self_loops_ = built.self_loops;
    entries_ = built.entries;
    bytes_ = built.bytes;
    subgraph_bytes_ = built.subgraph_bytes;
  });
}

std::uint32_t PartedGraph::input_degree(std::uint64_t index) const
{
  std::uint64_t degree = 0;
  group_->run([&](int here, Exchange& exchange) {
    const Place& place = places_[static_cast<std::size_t>(here)];
    auto const devices = static_cast<std::uint64_t>(exchange.devices());
    std::uint64_t own = 0;
    if (index % devices == static_cast<std::uint64_t>(exchange.device()))
      own = place.part.layout.input_degrees[index / devices];
    exchange.sum({&own, 1});
    if (here == 0) degree = own;
  });
  return static_cast<std::uint32_t>(degree);
}

}  // namespace brushfire
