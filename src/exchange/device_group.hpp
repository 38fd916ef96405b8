// The devices of one process, and through a wire those of other ranks. Every device has a thread of its own; they meet
// before anything that one of them wrote is read by another. The first of them speaks for all on the wire: the two
// phases of Pan, Pearce and Owens (section V.A).
#pragma once

#include "base/watch.hpp"
#include "exchange/exchange.hpp"
#include "exchange/memory.hpp"
#include "exchange/wire.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace brushfire {

class DeviceGroup {
 public:
  // `rounds` per level. Without a wire the devices here are all there are; a wire must outlive the group. With
  // `join_pieces` what may be joined goes over the wire in one parcel for each device there, from the device here that
  // has the same number in its rank: the local all-to-all of Pan, Pearce and Owens (section V.B). What is posted lies
  // in `memory`, or without one in that of the host.
  DeviceGroup(int devices_here, int rounds, Wire* wire = nullptr, bool join_pieces = false,
              std::unique_ptr<Memory> memory = nullptr);
  ~DeviceGroup();

  int devices_here() const { return static_cast<int>(members_.size()); }
  int devices() const;

  // Calls body(index, exchange) for every device here, each on a thread of its own, always the same, and returns when
  // all have. When one throws, the others are woken where they wait for each other; the first exception is rethrown.
  void run(const std::function<void(int, Exchange&)>& body);

 private:
  class Member;
  struct Interrupted {};

  int number_of(int index) const;  // of a device here among all
  int index_of(int device) const;  // in its rank
  bool is_here(int device) const;
  void start_threads();
  void serve(int index);
  void run_guarded(int index);
  void meet();
  void fail();
  void send_parcels();
  void join_parcels();
  void list_masks();
  void start_combining();

  Wire* wire_;
  int rounds_;
  std::unique_ptr<Memory> memory_;
  std::vector<std::unique_ptr<Member>> members_;
  bool join_pieces_;
  std::vector<Parcel> outgoing_;
  std::vector<std::vector<std::span<const std::byte>>> for_device_;  // what is joined, by receiver
  std::span<const Parcel> arrived_;
  std::vector<std::uint64_t> sums_;
  std::vector<Memory::Mask> masks_, changed_masks_;  // of the devices here
  Memory::Mask words_;                               // what the wire joins: those that changed here, and then all
  bool mask_changed_ = false;                        // of any device anywhere
  std::atomic<std::uint32_t> waiting_{0};
  WatchedNumber meetings_{0};
  std::atomic<bool> failed_{false};
  std::mutex error_guard_;
  std::exception_ptr error_;

  // The first device is on the thread of the caller.
  bool watches_;  // there are processors enough to wait awake
  const std::function<void(int, Exchange&)>* body_ = nullptr;
  WatchedNumber runs_{0};
  WatchedNumber running_{0};  // threads
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace brushfire
