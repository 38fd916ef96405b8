#include "exchange/mpi/mpi_wire.hpp"

#include "base/room.hpp"
#include "exchange/mpi/check.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <limits>
#include <thread>

namespace brushfire {

namespace {

constexpr std::size_t alignment = 64;
constexpr std::uint64_t on_device_bit = std::uint64_t{1} << 63;  // of a size

std::atomic<bool> torn{false};

int checked_int(std::size_t value, const char* what)
{
  if (value > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    fail(ErrorKind::usage, "{} {} is more than MPI counts", what, value);
  return static_cast<int>(value);
}

// MPI's own waiting never sleeps. This looks as long as a message between ranks of a machine takes, then naps: where
// other programs want the core, who sleeps gets it back at once, and who spins loses it for a time slice.
void await(MPI_Request* requests, int count)
{
  constexpr auto awake = std::chrono::microseconds(100), nap = std::chrono::microseconds(20);
  auto const start = std::chrono::steady_clock::now();
  for (int looks = 1, done = 0;; ++looks) {
    check(MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE));
    if (done != 0) return;
    if (looks % 16 == 0 && std::chrono::steady_clock::now() - start > awake) std::this_thread::sleep_for(nap);
  }
}

void wait_for(std::vector<MPI_Request>& requests)
{
  await(requests.data(), checked_int(requests.size(), "messages:"));
  requests.clear();
}

// MPI promises 32,768 tags, and most have more.
void require_tags(std::size_t wanted)
{
  int* last = nullptr;
  int known = 0;
  check(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&last), &known));
  std::size_t const tags = 1 + static_cast<std::size_t>(known != 0 ? *last : 32767);
  if (wanted > tags)
    fail(ErrorKind::usage, "a rank's devices need a tag for each pair, {}, and this MPI has {}; use fewer devices",
         wanted, tags);
}

}  // namespace

MpiWire::MpiWire(MPI_Comm communicator, int devices_per_rank, const WireOptions& options)
    : communicator_(duplicate(communicator)), devices_(devices_per_rank), options_(options)
{
  check(MPI_Comm_rank(communicator_, &rank_));
  check(MPI_Comm_size(communicator_, &ranks_));
  for (std::size_t const count : {options.message_bytes, options.reduced_words}) {
    if (count == 0) fail(ErrorKind::usage, "a message of nothing moves nothing");
    checked_int(count, "a message of");
  }
  auto const pairs = static_cast<std::size_t>(devices_) * static_cast<std::size_t>(devices_);
  require_tags(pairs);
  sizes_out_.resize(static_cast<std::size_t>(ranks_) * pairs);
  sizes_in_.resize(sizes_out_.size());
}

// After a failure other ranks may be waiting for this one, and freeing may wait for them.
MpiWire::~MpiWire()
{
  if (sizes_arrive_ != MPI_REQUEST_NULL || !moving_.empty() || !reducing_.empty()) torn = true;
  if (!torn && others_come()) MPI_Comm_free(&communicator_);
}

bool MpiWire::any_torn() { return torn; }

// As the rank sees it that has `from` when sending, `to` when receiving; both know the devices by the same numbers.
MpiWire::Pair MpiWire::pair(int from, int to) const
{
  int const tag = from / ranks_ * devices_ + to / ranks_;
  int const peer = from % ranks_ == rank_ ? to % ranks_ : from % ranks_;
  return {
      static_cast<std::size_t>(peer) * static_cast<std::size_t>(devices_ * devices_) + static_cast<std::size_t>(tag),
      peer, tag};
}

// Calls start(first byte, size, request) for every message that the bytes are cut into.
template <typename Start>
void MpiWire::each_message(std::span<const std::byte> bytes, Start&& start)
{
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(bytes.size(), options_.message_bytes)))
    check(start(bytes.data(), static_cast<int>(std::min(bytes.size(), options_.message_bytes)),
                &moving_.emplace_back(MPI_REQUEST_NULL)));
}

void MpiWire::send(std::span<const Parcel> outgoing)
{
  std::fill(sizes_out_.begin(), sizes_out_.end(), 0);
  for (const Parcel& parcel : outgoing)
    sizes_out_[pair(parcel.from, parcel.to).index] = parcel.bytes.size() | (parcel.on_device ? on_device_bit : 0);
  int const pairs = devices_ * devices_;
  check(MPI_Ialltoall(sizes_out_.data(), pairs, MPI_UINT64_T, sizes_in_.data(), pairs, MPI_UINT64_T, communicator_,
                      &sizes_arrive_));
  for (const Parcel& parcel : outgoing) {
    Pair const pair = this->pair(parcel.from, parcel.to);
    each_message(parcel.bytes, [&](const std::byte* first, int size, MPI_Request* request) {
      return MPI_Isend(first, size, MPI_BYTE, pair.peer, pair.tag, communicator_, request);
    });
  }
}

// Where each parcel will lie, by the sizes that have arrived.
void MpiWire::lay_out_arrivals()
{
  auto const goes_to_device = [&](std::uint64_t size) {
    return (size & on_device_bit) != 0 && options_.room_on_device;
  };
  std::size_t on_host = 0, on_device = 0;
  for (std::uint64_t const size : sizes_in_)
    (goes_to_device(size) ? on_device : on_host) += round_up(std::size_t{size & ~on_device_bit}, alignment);
  make_room(inbox_, on_host);
  std::byte* next_on_host = inbox_.data();
  std::byte* next_on_device = on_device != 0 ? options_.room_on_device(on_device) : nullptr;
  arrived_.clear();
  for (int peer = 0; peer < ranks_; ++peer)
    for (int from = 0; from < devices_; ++from)
      for (int to = 0; to < devices_; ++to) {
        Parcel parcel{peer + ranks_ * from, rank_ + ranks_ * to, {}};
        std::uint64_t const size = sizes_in_[pair(parcel.from, parcel.to).index];
        if (size == 0) continue;
        std::byte*& next = goes_to_device(size) ? next_on_device : next_on_host;
        parcel.on_device = (size & on_device_bit) != 0;
        parcel.bytes = {next, size & ~on_device_bit};
        arrived_.push_back(parcel);
        next += round_up(parcel.bytes.size(), alignment);
      }
}

std::span<const Parcel> MpiWire::deliver()
{
  await(&sizes_arrive_, 1);
  lay_out_arrivals();
  for (const Parcel& parcel : arrived_) {
    Pair const pair = this->pair(parcel.from, parcel.to);
    each_message(parcel.bytes, [&](const std::byte* first, int size, MPI_Request* request) {
      return MPI_Irecv(const_cast<std::byte*>(first), size, MPI_BYTE, pair.peer, pair.tag, communicator_, request);
    });
  }
  wait_for(moving_);
  return arrived_;
}

// Calls start(first word, count) for every reduction that the words are cut into.
template <typename Start>
void MpiWire::each_reduction(std::span<std::uint64_t> words, Start&& start)
{
  for (; !words.empty(); words = words.subspan(std::min(words.size(), options_.reduced_words)))
    check(start(words.data(), static_cast<int>(std::min(words.size(), options_.reduced_words))));
}

void MpiWire::start_or(std::span<std::uint64_t> words)
{
  each_reduction(words, [&](std::uint64_t* first, int count) {
    return options_.nonblocking_or ? MPI_Iallreduce(MPI_IN_PLACE, first, count, MPI_UINT64_T, MPI_BOR, communicator_,
                                                    &reducing_.emplace_back(MPI_REQUEST_NULL))
                                   : MPI_Allreduce(MPI_IN_PLACE, first, count, MPI_UINT64_T, MPI_BOR, communicator_);
  });
}

void MpiWire::finish_or() { wait_for(reducing_); }

void MpiWire::sum(std::span<std::uint64_t> values)
{
  each_reduction(values, [&](std::uint64_t* first, int count) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Iallreduce(MPI_IN_PLACE, first, count, MPI_UINT64_T, MPI_SUM, communicator_, &request));
    await(&request, 1);
    return MPI_SUCCESS;
  });
}

std::uint64_t MpiWire::messages_for(std::uint64_t bytes) const
{
  return (bytes + options_.message_bytes - 1) / options_.message_bytes;
}

}  // namespace brushfire
