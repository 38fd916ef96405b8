// Parts are built in this process, never read from a file: nothing is checked here.
#include "build/cuda/device_part.hpp"

#include "build/cuda/count_entries.hpp"

#include <algorithm>
#include <numeric>

namespace brushfire {

namespace {

// Sums of all before, and of all.
std::vector<std::uint64_t> sums_before(std::vector<std::uint64_t> counts)
{
  counts.insert(counts.begin(), 0);
  std::partial_sum(counts.begin(), counts.end(), counts.begin());
  return counts;
}

// The rows of normal vertices hold delegates only, which a part does not say row by row, and a layout does.
DeviceAdjacency copy_rows(const Adjacency& rows, std::uint64_t delegates, const device::Stream& stream)
{
  auto const starts = rows.starts.span();
  std::vector<std::uint32_t> splits;
  if (delegates != 0) {
    splits.assign(rows.splits.span().begin(), rows.splits.span().end());
    splits.insert(splits.end(), starts.begin() + static_cast<std::ptrdiff_t>(delegates) + 1, starts.end());
  }
  return {device::make_buffer(starts, stream), device::make_buffer(std::span<const std::uint32_t>(splits), stream),
          device::make_buffer(rows.bases.span(), stream), device::make_buffer(rows.targets.span(), stream)};
}

DeviceFarRows copy_far_rows(const FarRows& rows, int devices, const device::Stream& stream)
{
  std::vector<std::uint64_t> entries(static_cast<std::size_t>(devices)), numbers(static_cast<std::size_t>(devices));
  for (FarVertex const target : rows.targets.span()) {
    auto const device = static_cast<std::size_t>(device_of(target));
    ++entries[device];
    numbers[device] = std::max(numbers[device], std::uint64_t{number_of(target)} + 1);
  }
  return {device::make_buffer(rows.starts.span(), stream), device::make_buffer(rows.bases.span(), stream),
          device::make_buffer(rows.targets.span(), stream), sums_before(std::move(entries)),
          sums_before(std::move(numbers))};
}

DeviceLayout copy_layout(const Layout& layout, const device::Stream& stream)
{
  DeviceLayout copy;
  copy.vertices = layout.vertices;
  copy.delegates = layout.delegates;
  copy.threshold = layout.threshold;
  copy.directed = layout.directed;
  copy.delegate_vertices = vertices_of_delegates(layout.vertices, layout.delegates, stream);
  copy.out = copy_rows(layout.out, layout.delegates, stream);
  if (layout.directed) copy.in = copy_rows(layout.in, layout.delegates, stream);
  copy.entries = count_entries(copy, stream);
  return copy;
}

template <typename T>
Buffer<T> copy_to_host(const device::Buffer<T>& from, const device::Stream& stream)
{
  Buffer<T> values(from.size());
  from.download(values.span(), stream);
  stream.wait();
  return values;
}

Adjacency copy_rows_to_host(const DeviceAdjacency& rows, std::uint64_t delegates, const device::Stream& stream)
{
  Buffer<std::uint32_t> splits(delegates);
  if (delegates != 0) rows.splits.download(splits.span(), stream);
  stream.wait();
  return {Section(copy_to_host(rows.starts, stream)), Section(std::move(splits)),
          Section(copy_to_host(rows.bases, stream)), Section(copy_to_host(rows.targets, stream))};
}

FarRows copy_far_rows_to_host(const DeviceFarRows& rows, const device::Stream& stream)
{
  return {copy_to_host(rows.starts, stream), copy_to_host(rows.bases, stream), copy_to_host(rows.targets, stream)};
}

}  // namespace

device::Buffer<Vertex> vertices_of_delegates(Vertex vertices, Vertex delegates, const device::Stream& stream)
{
  std::vector<Vertex> behind(delegates);
  std::iota(behind.begin(), behind.end(), vertices);
  return device::make_buffer(std::span<const Vertex>(behind), stream);
}

void copy_rows_to_host(const DevicePart& on_device, Part& part, const device::Stream& stream)
{
  const DeviceLayout& layout = on_device.layout;
  part.layout.out = copy_rows_to_host(layout.out, layout.delegates, stream);
  part.layout.in = layout.directed ? copy_rows_to_host(layout.in, layout.delegates, stream) : part.layout.out;
  part.out = copy_far_rows_to_host(on_device.out, stream);
  if (layout.directed) part.in = copy_far_rows_to_host(on_device.in, stream);
}

DevicePart copy_to_device(const Part& part, DealtLabelsView all_labels, Vertex labelled, const device::Stream& stream)
{
  DevicePart copy;
  copy.layout = copy_layout(part.layout, stream);
  copy.out = copy_far_rows(part.out, part.devices, stream);
  if (part.layout.directed) copy.in = copy_far_rows(part.in, part.devices, stream);
  name_vertices(copy, part, all_labels, labelled, stream);
  return copy;
}

void name_vertices(DevicePart& on_device, const Part& part, DealtLabelsView all_labels, Vertex labelled,
                   const device::Stream& stream)
{
  LabelsView const own = all_labels.of(part.device);
  Vertex const vertices = part.layout.vertices, delegates = part.layout.delegates;
  std::vector<Label> labels(std::uint64_t{vertices} + delegates, no_label);
  std::vector<FarVertex> homes(delegates);
  std::vector<std::uint64_t> living(static_cast<std::size_t>(part.devices));
  for (Vertex v = 0; v < std::min(vertices, labelled); ++v) labels[v] = own(v);
  for (Vertex rank = 0; rank < delegates; ++rank) {
    labels[std::uint64_t{vertices} + rank] = part.delegates[rank].label;
    homes[rank] = part.delegates[rank].home;
    ++living[static_cast<std::size_t>(device_of(homes[rank]))];
  }
  on_device.labels = device::make_buffer(std::span<const Label>(labels), stream);
  on_device.homes = device::make_buffer(std::span<const FarVertex>(homes), stream);
  on_device.homes_before = sums_before(std::move(living));
  on_device.delegates = &part.delegates;
  on_device.devices = part.devices;
  on_device.device = part.device;
}

}  // namespace brushfire
