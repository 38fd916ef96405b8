// Parcels go from device memory to device memory, in one group per round: sizes are settled when they are sent, so that
// all of it moves while devices compute. NCCL has no bitwise OR: every rank joins its share of the words, which all
// send it, and sends it to all.
#include "base/room.hpp"
#include "device/launch.cuh"
#include "device/use_gpu.hpp"
#include "exchange/cuda/place.hpp"
#include "exchange/cuda/staged_wire.hpp"
#include "exchange/job_wire.hpp"
#include "exchange/nccl/nccl_wire.hpp"

#include <brushfire/error.hpp>

#include <nccl.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace brushfire {

namespace {

constexpr std::size_t alignment = 256;

void check(ncclResult_t result, const char* doing)
{
  if (result == ncclSuccess) return;
  throw Error(ErrorKind::failure, std::string("NCCL failed while ") + doing + ": " + ncclGetErrorString(result) +
                                      "; BRUSHFIRE_TRANSPORT=staged does without it");
}

// word i of every rank's share, joined
__global__ void or_shares_thread_per_word(const std::uint64_t* shares, unsigned ranks, std::size_t words,
                                          std::uint64_t* joined)
{
  device::for_each_item(words, [&](std::uint64_t i) {
    std::uint64_t all = 0;
    for (unsigned rank = 0; rank < ranks; ++rank) all |= __ldcg(shares + rank * words + i);
    __stcg(joined + i, all);
  });
}

// The ranks as NCCL knows them.
class Communicator {
 public:
  Communicator(const Wire& plain, int gpu)
  {
    device::UseGpu const use(gpu);
    ncclUniqueId id{};
    if (plain.rank() == 0) check(ncclGetUniqueId(&id), "naming the job");
    std::string const heard = from_first_rank({id.internal, sizeof(id.internal)});
    std::memcpy(id.internal, heard.data(), sizeof(id.internal));
    check(ncclCommInitRank(&handle_, plain.ranks(), id, plain.rank()), "connecting the ranks");
  }
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator()
  {
    if (handle_ == nullptr) return;
    if (std::uncaught_exceptions() == 0)
      (void)ncclCommDestroy(handle_);
    else
      give_up();
  }

  // After a failure others may never do their part of what is on its way.
  void give_up() { (void)ncclCommAbort(std::exchange(handle_, nullptr)); }
  ncclComm_t handle() const { return handle_; }

 private:
  ncclComm_t handle_ = nullptr;
};

// To connect takes a second and some memory: wires that are there at a time share it.
std::shared_ptr<Communicator> connect(Wire& plain, int gpu)
{
  static std::mutex guard;
  static std::weak_ptr<Communicator> last;
  static int gpu_of_last = -1;
  std::lock_guard const lock(guard);
  auto shared = gpu_of_last == gpu ? last.lock() : nullptr;
  std::uint64_t have_one = shared != nullptr ? 1 : 0;
  plain.sum({&have_one, 1});
  if (have_one == static_cast<std::uint64_t>(plain.ranks())) return shared;
  shared = std::make_shared<Communicator>(plain, gpu);
  last = shared;
  gpu_of_last = gpu;
  return shared;
}

class NcclWire final : public cuda::StagedWire {
 public:
  NcclWire(std::unique_ptr<Wire> plain, int gpu) : StagedWire(std::move(plain), gpu), ranks_(connect(*plain_, gpu)) {}
  ~NcclWire() override
  {
    if (moving_ || joining_here_ || !others_come()) ranks_->give_up();
  }

  void send(std::span<const Parcel> outgoing) override;
  std::span<const Parcel> deliver() override;
  void start_or(std::span<std::uint64_t> words) override;
  void finish_or() override;
  std::uint64_t messages_for(std::uint64_t bytes) const override { return bytes != 0 ? 1 : 0; }  // NCCL cuts by itself

 private:
  void pack(std::span<const Parcel> on_gpus) override;
  void hear_sizes();
  template <typename Body>
  void in_one_group(const char* doing, Body&& body);
  void send_to(int rank, const void* from, std::size_t count, ncclDataType_t type);
  void receive_from(int rank, void* to, std::size_t count, ncclDataType_t type);

  std::shared_ptr<Communicator> ranks_;
  std::vector<Parcel> sent_;
  std::vector<std::uint64_t> sizes_;  // of those sent: all that goes over the plain wire of them
  std::vector<Parcel> arrived_;       // first those in the memory of the host
  std::size_t arrived_on_host_ = 0;
  device::Buffer<std::byte> inbox_;
  device::DeviceArena from_other_gpus_;
  device::Buffer<std::uint64_t> shares_;
  bool joining_here_ = false;  // words in device memory, between start_or() and finish_or()
  bool moving_ = false;        // sent, and not delivered
};

template <typename Body>
void NcclWire::in_one_group(const char* doing, Body&& body)
{
  check(ncclGroupStart(), doing);
  try {
    body();
  } catch (...) {
    (void)ncclGroupEnd();  // in an open group nothing could be given up
    throw;
  }
  check(ncclGroupEnd(), doing);
}

void NcclWire::send_to(int rank, const void* from, std::size_t count, ncclDataType_t type)
{
  if (count != 0) check(ncclSend(from, count, type, rank, ranks_->handle(), stream_.handle()), "sending");
}

void NcclWire::receive_from(int rank, void* to, std::size_t count, ncclDataType_t type)
{
  if (count != 0) check(ncclRecv(to, count, type, rank, ranks_->handle(), stream_.handle()), "receiving");
}

// NCCL matches what goes from rank to rank by its order: both sides sort alike.
void sort(std::span<Parcel> parcels)
{
  std::sort(parcels.begin(), parcels.end(),
            [](const Parcel& a, const Parcel& b) { return std::tie(a.from, a.to) < std::tie(b.from, b.to); });
}

void NcclWire::pack(std::span<const Parcel> on_gpus)
{
  sent_.assign(on_gpus.begin(), on_gpus.end());
  sort(sent_);
  sizes_.reserve(sent_.size());  // they are sent from where they are
  from_other_gpus_.give_back();
  for (Parcel& parcel : sent_) {
    std::size_t const bytes = parcel.bytes.size();
    auto const note = std::span(&sizes_.emplace_back(bytes), 1);
    packed_.push_back({parcel.from, parcel.to, std::as_bytes(note), true});
    if (cuda::gpu_of(parcel.bytes.data()) == gpu_) continue;
    std::byte* const copy = from_other_gpus_.take(bytes);
    device::copy_anywhere(copy, parcel.bytes.data(), bytes, stream_);
    parcel.bytes = {copy, bytes};
  }
}

// Where parcels in device memory will lie.
void NcclWire::hear_sizes()
{
  arrived_.clear();
  std::vector<Parcel> notes;
  for (const Parcel& parcel : plain_->deliver()) (parcel.on_device ? notes : arrived_).push_back(parcel);
  arrived_on_host_ = arrived_.size();
  sort(notes);
  std::size_t bytes = 0;
  for (const Parcel& note : notes) {
    std::uint64_t size = 0;
    std::memcpy(&size, note.bytes.data(), sizeof(size));
    // The place follows when all are known.
    arrived_.push_back({note.from, note.to, {static_cast<const std::byte*>(nullptr), size}, true});
    bytes += round_up(std::size_t{size}, alignment);
  }
  make_room(inbox_, bytes);
  std::byte* next = inbox_.data();
  for (Parcel& parcel : std::span(arrived_).subspan(arrived_on_host_)) {
    parcel.bytes = {next, parcel.bytes.size()};
    next += round_up(parcel.bytes.size(), alignment);
  }
}

void NcclWire::send(std::span<const Parcel> outgoing)
{
  device::UseGpu const use(gpu_);
  moving_ = true;
  sent_.clear();
  sizes_.clear();
  StagedWire::send(outgoing);
  hear_sizes();
  auto const arriving = std::span(arrived_).subspan(arrived_on_host_);
  if (sent_.empty() && arriving.empty()) return;
  in_one_group("moving what devices have for each other", [&] {
    for (const Parcel& parcel : sent_)
      send_to(parcel.to % ranks(), parcel.bytes.data(), parcel.bytes.size(), ncclUint8);
    for (const Parcel& parcel : arriving)
      receive_from(parcel.from % ranks(), const_cast<std::byte*>(parcel.bytes.data()), parcel.bytes.size(), ncclUint8);
  });
}

std::span<const Parcel> NcclWire::deliver()
{
  stream_.wait();
  moving_ = false;
  return arrived_;
}

void NcclWire::start_or(std::span<std::uint64_t> words)
{
  joining_here_ = !words.empty() && cuda::is_on_gpu(words.data());
  if (!joining_here_) return StagedWire::start_or(words);
  device::UseGpu const use(gpu_);
  auto const all = static_cast<std::size_t>(ranks());
  auto const share = [&](int rank) {
    std::size_t const first = words.size() * static_cast<std::size_t>(rank) / all;
    return words.subspan(first, words.size() * (static_cast<std::size_t>(rank) + 1) / all - first);
  };
  auto const own = share(rank());
  make_room(shares_, own.size() * all);
  in_one_group("scattering masks", [&] {
    for (int other = 0; other < ranks(); ++other) {
      send_to(other, share(other).data(), share(other).size(), ncclUint64);
      receive_from(other, shares_.data() + static_cast<std::size_t>(other) * own.size(), own.size(), ncclUint64);
    }
  });
  device::launch_over(own.size(), or_shares_thread_per_word, stream_, shares_.data(), static_cast<unsigned>(all),
                      own.size(), own.data());
  in_one_group("gathering masks", [&] {
    for (int other = 0; other < ranks(); ++other) {
      if (other == rank()) continue;
      send_to(other, own.data(), own.size(), ncclUint64);
      receive_from(other, share(other).data(), share(other).size(), ncclUint64);
    }
  });
}

void NcclWire::finish_or()
{
  if (!joining_here_) return StagedWire::finish_or();
  stream_.wait();
  joining_here_ = false;
}

}  // namespace

bool built_with_nccl() { return true; }

std::unique_ptr<Wire> make_nccl_wire(std::unique_ptr<Wire> plain, int gpu)
{
  return std::make_unique<NcclWire>(std::move(plain), gpu);
}

}  // namespace brushfire
