// Blocks are built in this process, never read from a file: nothing is checked here.
#include "build/cuda/device_block.hpp"

namespace brushfire {

namespace {

DeviceAdjacency copy_rows(const Adjacency& rows, const device::Stream& stream)
{
  return {device::make_buffer(rows.starts.span(), stream),
          {},
          device::make_buffer(rows.bases.span(), stream),
          device::make_buffer(rows.targets.span(), stream)};
}

}  // namespace

DeviceBlock copy_to_device(const Block& block, const device::Stream& stream)
{
  DeviceBlock copy;
  copy.push = copy_rows(block.push, stream);
  copy.shares_rows = block.shares_rows();
  if (!copy.shares_rows) copy.own_pull = copy_rows(block.pull, stream);
  return copy;
}

DeviceExtent::DeviceExtent(const Extent& extent, const device::Stream& stream)
    : devices(device::make_buffer(extent.devices(), stream)), firsts(device::make_buffer(extent.firsts(), stream))
{
}

}  // namespace brushfire
