#include "build/cuda/device_builder.hpp"

#include "base/saturating.hpp"
#include "build/builder.hpp"
#include "build/cuda/count_entries.hpp"
#include "build/cuda/device_rows.hpp"
#include "build/cuda/device_slots.hpp"
#include "build/cuda/empty_rows.hpp"

#include <algorithm>

namespace brushfire {

DeviceBuilt build_on_device(const DeviceEdges& edges, Vertex vertices, const DeviceBuildOptions& options,
                            const device::Stream& stream, Progress& progress)
{
  DeviceBuilt built;
  DeviceLayout& layout = built.layout;
  layout.vertices = vertices;
  layout.directed = options.directed;

  DeviceDegrees degrees = count_degrees(edges, vertices, options, stream, progress);
  built.self_loops = degrees.self_loops;
  layout.threshold = options.threshold ? *options.threshold : choose_threshold(degrees, stream);
  DeviceSlots slots = assign_slots(degrees, layout.threshold, stream);
  layout.delegates = slots.delegates;

  RowsHold const out_rows{true, !options.directed && !options.listed_twice};
  layout.out = build_rows(edges, slots, out_rows, degrees.out, as_many_keys_as_fit, stream, progress);
  if (options.directed)
    layout.in = build_rows(edges, slots, {false, true}, degrees.in, as_many_keys_as_fit, stream, progress);
  layout.delegate_vertices = std::move(slots.delegate_vertices);
  layout.input_degrees = std::move(degrees.out);
  layout.entries = count_entries(layout, stream);
  slots = {};  // makes room
  if (layout.delegates != 0) drop_empty_rows(layout, stream);
  return built;
}

std::uint64_t most_delegates_on_device(std::uint64_t vertices, std::optional<std::uint64_t> threshold)
{
  std::uint64_t const most = most_delegates(vertices, threshold);
  return threshold ? most : std::min(most, most_chosen_delegates);
}

DeviceBuildBytes predict_device_build_bytes(std::uint64_t vertices, std::uint64_t edges,
                                            const DeviceBuildOptions& options)
{
  std::uint64_t const delegates = most_delegates_on_device(vertices, options.threshold);
  std::uint64_t const rows = saturating_sum({vertices, delegates, 1});
  std::uint64_t const directions = options.directed ? 2 : 1;
  std::uint64_t const row_entries = saturating_product(edges, options.directed || options.listed_twice ? 1 : 2);
  DeviceBuildBytes bytes;
  bytes.entries = saturating_product(row_entries, directions * sizeof(Vertex));
  // Starts and splits, an eighth of a byte of a base, a quarter of a byte of a word.
  bytes.rows = saturating_product(rows, directions * 2 * sizeof(std::uint32_t) + 1);
  bytes.degrees = saturating_product(saturating_sum({vertices, delegates}), sizeof(std::uint32_t));
  std::uint64_t const slots = saturating_product(vertices, directions * sizeof(std::uint32_t));  // and in-degrees
  std::uint64_t const offsets = saturating_product(rows, sizeof(EdgeIndex));
  std::uint64_t const keys = saturating_product(std::min(row_entries, least_keys), bytes_per_key);
  std::uint64_t const ranking = saturating_product(delegates, bytes_to_rank_a_delegate);
  std::uint64_t const dropping = saturating_product(rows, 3 * sizeof(std::uint32_t) + 1);  // new rows, and degrees
  bytes.temporary =
      saturating_sum({slots, std::max({ranking, saturating_sum({offsets, keys}), dropping}), scratch_bytes});
  return bytes;
}

}  // namespace brushfire
