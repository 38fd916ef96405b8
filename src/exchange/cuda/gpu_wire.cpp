#include "exchange/cuda/gpu_wire.hpp"

#include "base/error.hpp"
#include "base/room.hpp"
#include "device/buffer.hpp"
#include "device/gpus.hpp"
#include "device/use_gpu.hpp"
#include "exchange/cuda/direct_wire.hpp"
#include "exchange/cuda/ipc_wire.hpp"
#include "exchange/gather.hpp"
#include "exchange/lone_wire.hpp"
#include "exchange/nccl/nccl_wire.hpp"

#include <brushfire/job.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace brushfire::cuda {

namespace {

// These say why a transport cannot be used, the same on all ranks, or nothing.

std::string why_no_nccl(Wire& plain, int gpu)
{
  if (!built_with_nccl()) return "this program was built without NCCL; build it with BRUSHFIRE_WITH_NCCL=ON";
  auto const names = gather(plain, device::name_of_gpu(gpu));
  for (std::size_t rank = 0; rank < names.size(); ++rank)
    if (auto const first = std::find(names.begin(), names.end(), names[rank]) - names.begin();
        first != static_cast<std::ptrdiff_t>(rank))
      return fmt::format("ranks {} and {} share a GPU, and NCCL wants one for each", first, rank);
  return "";
}

std::string why_no_direct(Wire& plain)
{
  std::uint64_t without = wires_take_device_memory() ? 0 : 1;
  plain.sum({&without, 1});
  return without == 0 ? "" : "this MPI does not say that it takes GPU memory (MPIX_Query_cuda_support)";
}

// What a wire that receives on a GPU is told.
auto room_on(int gpu)
{
  return [gpu, room = std::make_shared<device::Buffer<std::byte>>()](std::size_t bytes) {
    device::UseGpu const use(gpu);
    make_room(*room, bytes);
    return room->data();
  };
}

}  // namespace

GpuWire make_gpu_wire(int devices_per_rank, int gpu, const WireOptions& options)
{
  std::string const wanted = wanted_transport();
  auto plain = make_wire(devices_per_rank, options);
  if (plain == nullptr) {
    if (wanted != "nccl") return {};
    plain = std::make_unique<LoneWire>();
  }
  auto const usable = [&](const std::string& transport, const std::string& problem) {
    if (!problem.empty() && wanted == transport)
      fail(ErrorKind::usage, "BRUSHFIRE_TRANSPORT={}: {}", transport, problem);
    return problem.empty();
  };
  auto const considered = [&](const char* transport) { return wanted == transport || wanted == "auto"; };

  if (considered("nccl") && usable("nccl", why_no_nccl(*plain, gpu)))
    return {"nccl", make_nccl_wire(std::move(plain), gpu)};
  if (considered("mpi") && usable("mpi", why_no_direct(*plain))) {
    WireOptions on_device = options;
    on_device.room_on_device = room_on(gpu);
    return {"mpi", std::make_unique<DirectWire>(make_wire(devices_per_rank, on_device), gpu)};
  }
  if (considered("ipc"))
    if (auto neighbours = find_ipc_neighbours(*plain, gpu); usable("ipc", neighbours.problem))
      return {"ipc", std::make_unique<IpcWire>(std::move(plain), gpu, std::move(neighbours.reached))};
  return {"staged", std::make_unique<StagedWire>(std::move(plain), gpu)};
}

}  // namespace brushfire::cuda
