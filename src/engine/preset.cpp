#include "engine/preset.hpp"

#include "base/error.hpp"
#include "base/saturating.hpp"
#include "exchange/schedule.hpp"

#include <algorithm>

namespace brushfire {

namespace {

// The rectangle that is nearest to a square, with at least as many columns as rows.
GridShape squarest(int devices)
{
  int rows = 1;
  for (int divisor = 2; divisor * divisor <= devices; ++divisor)
    if (devices % divisor == 0) rows = divisor;
  return {rows, devices / rows};
}

}  // namespace

// Measured in docs/choosing.md. Edges between vertices that are no hubs are sent one by one and never pulled. They are
// divided among the devices, while hearing of all vertices as bits costs each device the same however many there are:
// so it is cheaper past one such edge of a vertex for every four devices. But every device is told of every level then,
// which meshes and roads, with few edges and many levels, are better without. What devices keep grows with the graph,
// not with their share of it, so a large grid keeps to rows and columns.
Preset choose_preset(const DegreeHistogram& degrees, int devices)
{
  constexpr double least_entries = 6;                           // of each vertex that has any
  double const most_entries_sent = devices / 4.0;               // likewise
  constexpr double replicated_bytes = 13, most_replicated = 4;  // of each vertex; times the lists of a device
  DegreeHistogram::Bin const not_isolated = degrees.above(0);
  auto const vertices = static_cast<double>(not_isolated.vertices);
  auto const entries = static_cast<double>(not_isolated.degree_sum);
  double const sent = separation_at(choose_threshold_of_parts(degrees, devices), degrees).normal_entries;
  if (devices < 2 || entries <= least_entries * vertices || sent <= most_entries_sent * vertices)
    return Preset::automatic;
  double const lists = entries * sizeof(Vertex) / devices;
  return replicated_bytes * vertices <= most_replicated * lists ? Preset::butterfly : Preset::grid;
}

BlockCut cut_for(Preset preset, int devices, const std::optional<GridShape>& grid)
{
  GridShape const by_source{1, devices}, by_target{devices, 1};
  switch (preset) {
    case Preset::ring:
      return {.push = by_target, .pull = std::nullopt};
    case Preset::butterfly:
      return {.push = by_source, .pull = by_target, .edges_balanced = true};
    case Preset::grid: {
      GridShape const shape = grid.value_or(squarest(devices));
      if (shape.rows * shape.columns != devices)
        fail(ErrorKind::usage, "a grid of {}x{} has {} devices, and there are {}; choose another --grid", shape.rows,
             shape.columns, shape.rows * shape.columns, devices);
      return {.push = shape, .pull = shape};
    }
    default:
      fail(ErrorKind::failure, "the preset {} does not cut a graph into blocks", name_of(preset));
  }
}

BlockSizes block_sizes(const BlockCut& cut, const PlanRequest& request)
{
  auto const share = [&](int devices) { return request.vertices / static_cast<std::uint64_t>(devices) + 64; };
  // A column has the vertices of as many devices as there are rows.
  return {.own = share(cut.push.rows * cut.push.columns),
          .sources = share(cut.push.columns),
          .targets = share(cut.push.rows),
          .wide_parents = request.wide_parents,
          .fanout = request.fanout,
          .threads = std::max(1, Team::of(request.threads).threads / request.devices_here)};
}

BlockBytes predict_block_bytes(const BlockCut& cut, const PlanRequest& request, std::uint64_t entries)
{
  auto const here = static_cast<std::uint64_t>(request.devices_here);
  BlockSizes const sizes = block_sizes(cut, request);
  bool const rows_twice = cut.pull && (request.directed || request.preset == Preset::grid);
  std::uint64_t const rows = sizes.sources + (!rows_twice                      ? 0
                                              : request.preset == Preset::grid ? sizes.targets
                                                                               : sizes.own);
  // What is pulled is ranked: how often each of its sources occurs, ranks, slots by rank, room to sort.
  std::uint64_t const ranked = !cut.pull ? 0 : request.preset == Preset::grid ? sizes.sources : sizes.targets;
  std::uint64_t const ranking = saturating_product(ranked, 4 * sizeof(Vertex));
  std::uint64_t const search = request.preset == Preset::ring        ? predict_ring_stepper_bytes(sizes)
                               : request.preset == Preset::butterfly ? predict_butterfly_stepper_bytes(sizes)
                                                                     : predict_grid_stepper_bytes(sizes);
  return {
      .entries = saturating_product(entries, (rows_twice ? 2 : 1) * sizeof(Vertex)),
      .rows = saturating_product(here * rows, sizeof(std::uint32_t) + 1),
      .building = saturating_product(here, saturating_sum({saturating_product(rows, sizeof(std::uint32_t)), ranking})),
      .search = saturating_product(here, search)};
}

int rounds_for(Preset preset, int devices, int fanout)
{
  int const rounds = preset == Preset::ring        ? LeftRightSchedule(devices).rounds()
                     : preset == Preset::butterfly ? ButterflySchedule(devices, fanout).rounds()
                                                   : 2;
  return std::max(1, rounds);
}

const char* exchange_name(Preset preset) { return cuts_into_blocks(preset) ? name_of(preset) : "direct"; }

const char* partition_name(Preset preset) { return preset == Preset::grid ? "2d" : "1d"; }

std::unique_ptr<TreeStepper> make_block_stepper(Preset preset, const BlockPlace& place,
                                                const CpuStepperOptions& options, Team team)
{
  if (preset == Preset::ring) return make_ring_stepper(place, options, team);
  if (preset == Preset::grid) return make_grid_stepper(place, options, team);
  return make_butterfly_stepper(place, options, team);
}

}  // namespace brushfire
