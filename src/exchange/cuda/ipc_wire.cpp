#include "exchange/cuda/ipc_wire.hpp"

#include "base/error.hpp"
#include "base/room.hpp"
#include "device/check.hpp"
#include "device/use_gpu.hpp"
#include "exchange/gather.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>

#include <unistd.h>

namespace brushfire::cuda {

namespace {

using Handle = std::array<std::byte, 64>;
static_assert(sizeof(Handle) == sizeof(cudaIpcMemHandle_t));

constexpr std::size_t alignment = 256;
constexpr std::size_t page = std::size_t{2} << 20;  // smaller memory would be lent together with its neighbours'
// An outbox takes at most this share of the GPU's memory, of which there are two for each rank and wire.
constexpr std::size_t outboxes_in_gpu = 128;

// Of all processes on this machine since it was started; 0 when it does not tell.
std::array<std::uint64_t, 2> machine_id()
{
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string text;
  file >> text;
  std::array<std::uint64_t, 2> id{};
  std::erase(text, '-');
  if (text.size() != 32 || text.find_first_not_of("0123456789abcdef") != text.npos) return id;
  for (std::size_t half = 0; half < 2; ++half) id[half] = std::stoull(text.substr(16 * half, 16), nullptr, 16);
  return id;
}

cudaError_t lend(const void* start, Handle& handle)
{
  cudaIpcMemHandle_t lent{};
  cudaError_t const status = cudaIpcGetMemHandle(&lent, const_cast<void*>(start));
  if (status != cudaSuccess) (void)cudaGetLastError();
  handle = std::bit_cast<Handle>(lent);
  return status;
}

cudaError_t map(const Handle& handle, void*& start)
{
  cudaError_t const status =
      cudaIpcOpenMemHandle(&start, std::bit_cast<cudaIpcMemHandle_t>(handle), cudaIpcMemLazyEnablePeerAccess);
  if (status != cudaSuccess) (void)cudaGetLastError();
  return status;
}

// Whether what another rank wrote to its memory can be read here.
cudaError_t try_reading(const Handle& handle, std::uint64_t expected)
{
  void* start = nullptr;
  cudaError_t status = map(handle, start);
  if (status != cudaSuccess) return status;
  std::uint64_t found = 0;
  status = cudaMemcpy(&found, start, sizeof(found), cudaMemcpyDeviceToHost);
  if (status != cudaSuccess) (void)cudaGetLastError();
  (void)cudaIpcCloseMemHandle(start);
  return status == cudaSuccess && found != expected ? cudaErrorInvalidValue : status;
}

}  // namespace

IpcNeighbours find_ipc_neighbours(Wire& plain, int gpu)
{
  struct Offer {
    std::array<std::uint64_t, 2> machine;
    std::uint64_t token;
    std::uint64_t status;
    Handle handle;
  };
  device::UseGpu const use(gpu);
  device::Stream const stream;
  auto const rank = static_cast<std::size_t>(plain.rank());
  Offer own{machine_id(), static_cast<std::uint64_t>(getpid()) << 32 | rank, cudaSuccess, {}};
  device::Buffer<std::uint64_t> written(page / sizeof(std::uint64_t));
  written.upload({&own.token, 1}, stream);
  stream.wait();
  own.status = lend(written.data(), own.handle);
  auto const offers = gather(plain, own);

  IpcNeighbours neighbours{std::vector<bool>(offers.size()), ""};
  struct Outcome {
    std::uint64_t neighbours = 0, status = cudaSuccess;
  } outcome{0, own.status};
  for (std::size_t other = 0; other < offers.size(); ++other) {
    if (other == rank || offers[other].machine != own.machine || own.machine == decltype(own.machine){}) continue;
    neighbours.reached[other] = true;
    ++outcome.neighbours;
    if (outcome.status == cudaSuccess) outcome.status = offers[other].status;
    if (outcome.status == cudaSuccess) outcome.status = try_reading(offers[other].handle, offers[other].token);
  }
  bool any = false;
  for (const Outcome& its : gather(plain, outcome)) {  // nobody takes away what another still looks at
    any = any || its.neighbours > 0;
    if (its.status != cudaSuccess && neighbours.problem.empty())
      neighbours.problem = fmt::format("ranks cannot map each other's GPU memory: {}",
                                       cudaGetErrorString(static_cast<cudaError_t>(its.status)));
  }
  if (!any && neighbours.problem.empty()) neighbours.problem = "no two ranks are on one machine";
  return neighbours;
}

IpcWire::Mapping::Mapping(const std::array<std::byte, 64>& handle)
{
  device::check(map(handle, start_), "mapping the memory of another rank");
}

IpcWire::Mapping::~Mapping()
{
  if (start_ != nullptr) (void)cudaIpcCloseMemHandle(start_);
}

IpcWire::IpcWire(std::unique_ptr<Wire> plain, int gpu, std::vector<bool> reached)
    : StagedWire(std::move(plain), gpu), reached_(std::move(reached)), mapped_(reached_.size())
{
}

// Nobody may take memory away that another has mapped. After a failure others may not come, and the job ends anyway.
IpcWire::~IpcWire()
{
  mapped_.clear();
  if (moving_ || !others_come()) return;
  try {
    std::uint64_t nothing = 0;
    plain_->sum({&nothing, 1});
  } catch (...) {
    // The job ends: those who wait for this rank are told.
  }
}

// False when there is none: then the parcels go by the host.
bool IpcWire::make_room(Outbox& outbox, std::size_t bytes)
{
  if (bytes <= outbox.room.size()) return true;
  std::size_t free = 0, total = 0;
  device::check(cudaMemGetInfo(&free, &total), "asking for its memory");
  std::size_t const most = total / outboxes_in_gpu, wanted = round_up(std::min(bytes + bytes / 2, most), page);
  if (bytes > most || wanted > free / 4) return false;
  device::Buffer<std::byte> larger(wanted);
  Handle handle;
  device::check(lend(larger.data(), handle), "lending memory to another rank");
  outbox.replaced = std::exchange(outbox.room, std::move(larger));
  outbox.handle = handle;
  outbox.number = ++outboxes_made_;
  return true;
}

void IpcWire::add_note(int from, int to, std::size_t first, std::size_t bytes)
{
  const Outbox& outbox = outboxes_[turn_];
  const Note& note = notes_.emplace_back(Note{outbox.handle, turn_, outbox.number, first, bytes});
  packed_.push_back({from, to, std::as_bytes(std::span(&note, 1)), true});
}

void IpcWire::pack(std::span<const Parcel> on_gpus)
{
  turn_ = 1 - turn_;
  Outbox& outbox = outboxes_[turn_];
  outbox.replaced = {};  // since this one was last used all have heard of its successor
  std::size_t bytes = 0;
  for (const Parcel& parcel : on_gpus)
    if (is_neighbour(parcel.to)) bytes += round_up(parcel.bytes.size(), alignment);
  std::uint64_t const number_before = outbox.number;
  // A round that also has pieces in the memory of the host, which none has yet, would want two parcels between devices.
  bool const has_room = packed_.empty() && make_room(outbox, bytes);

  notes_.clear();
  notes_.reserve(on_gpus.size() + reached_.size());  // they are sent from where they are
  std::vector<bool> told(reached_.size());
  std::size_t next = 0;
  for (const Parcel& parcel : on_gpus) {
    if (!has_room || !is_neighbour(parcel.to)) {
      packed_.push_back(staged(parcel));
      continue;
    }
    device::copy_anywhere(outbox.room.data() + next, parcel.bytes.data(), parcel.bytes.size(), stream_);
    add_note(parcel.from, parcel.to, next, parcel.bytes.size());
    next += round_up(parcel.bytes.size(), alignment);
    told[static_cast<std::size_t>(parcel.to % ranks())] = true;
  }
  if (outbox.number == number_before) return;
  for (int other = 0; other < ranks(); ++other)  // whoever gets nothing has the old one mapped all the same
    if (is_neighbour(other) && !told[static_cast<std::size_t>(other)]) add_note(rank(), other, 0, 0);
}

const std::byte* IpcWire::place_of(const Note& note, int rank)
{
  Mapped& mapped = mapped_[static_cast<std::size_t>(rank)][note.box];
  if (mapped.number != note.number) {
    mapped.mapping = Mapping();  // the old one goes first
    mapped.mapping = Mapping(note.handle);
    mapped.number = note.number;
  }
  return mapped.mapping.start() + note.first;
}

void IpcWire::send(std::span<const Parcel> outgoing)
{
  moving_ = true;
  StagedWire::send(outgoing);
}

std::span<const Parcel> IpcWire::deliver()
{
  device::UseGpu const use(gpu_);
  arrived_.clear();
  for (const Parcel& parcel : plain_->deliver()) {
    if (!parcel.on_device) {
      arrived_.push_back(parcel);
      continue;
    }
    Note note;
    std::memcpy(&note, parcel.bytes.data(), sizeof(note));
    const std::byte* const start = place_of(note, parcel.from % ranks());
    if (note.bytes != 0) arrived_.push_back({parcel.from, parcel.to, {start, note.bytes}, true});
  }
  moving_ = false;
  return arrived_;
}

}  // namespace brushfire::cuda
