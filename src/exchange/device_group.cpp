#include "exchange/device_group.hpp"

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/parallel.hpp"
#include "base/watch.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

namespace brushfire {

class DeviceGroup::Member final : public Exchange {
 public:
  // Of so many devices in all ranks, from each of which something may come.
  Member(DeviceGroup& group, int index, int devices) : group_(group), index_(index)
  {
    arriving_.reserve(static_cast<std::size_t>(devices));
  }

  int devices() const override { return group_.devices(); }
  int device() const override { return group_.number_of(index_); }
  int rounds() const override { return group_.rounds_; }
  void post(Round round, const Outbox& outgoing) override;
  bool collect(Round round, const std::function<void(Piece)>& absorb) override;
  void sum(std::span<std::uint64_t> values) override;
  Traffic take_traffic() override { return std::exchange(traffic_, {}); }

  const Outbox& posted() const { return posted_; }
  void restart() { turn_ = 0; }  // after a failure devices are not in step

 private:
  bool leads() const { return index_ == 0; }
  void count_handed();
  void count_sent();
  void count_masks();
  void take_joined_mask();
  void absorb_pieces(const std::function<void(Piece)>& absorb);

  DeviceGroup& group_;
  int index_;
  Outbox posted_;
  // What this device adds to a sum. Two of them take turns: a device that is ahead writes the one for the next sum
  // while others still read this one, and cannot get further ahead than that.
  std::array<std::vector<std::uint64_t>, 2> summands_;
  std::size_t turn_ = 0;
  Traffic traffic_;
  Stopwatch since_post_;
  std::vector<Piece> arriving_;
  std::vector<bool> handed_;  // to which device here something goes
};

DeviceGroup::DeviceGroup(int devices_here, int rounds, Wire* wire, bool join_pieces, std::unique_ptr<Memory> memory)
    : wire_(wire),
      rounds_(rounds),
      memory_(memory != nullptr ? std::move(memory) : std::make_unique<HostMemory>()),
      join_pieces_(join_pieces && wire != nullptr && devices_here > 1),
      watches_(devices_here <= processors())
{
  int const devices = devices_here * (wire != nullptr ? wire->ranks() : 1);
  for (int index = 0; index < devices_here; ++index)
    members_.push_back(std::make_unique<Member>(*this, index, devices));
}

DeviceGroup::~DeviceGroup()
{
  stopping_ = true;
  runs_.fetch_add(1, std::memory_order_release);
  wake_all(runs_);
  for (std::thread& thread : threads_) thread.join();
}

int DeviceGroup::devices() const { return devices_here() * (wire_ != nullptr ? wire_->ranks() : 1); }

int DeviceGroup::number_of(int index) const
{
  return wire_ == nullptr ? index : wire_->rank() + wire_->ranks() * index;
}

int DeviceGroup::index_of(int device) const { return wire_ == nullptr ? device : device / wire_->ranks(); }

bool DeviceGroup::is_here(int device) const { return wire_ == nullptr || device % wire_->ranks() == wire_->rank(); }

// The last to arrive lets all go. Whoever is here when the group fails, or comes later, leaves by Interrupted.
void DeviceGroup::meet()
{
  if (members_.size() == 1) return;
  std::uint32_t const meeting = meetings_.load(std::memory_order_acquire);
  if (!failed_.load(std::memory_order_acquire)) {
    if (waiting_.fetch_add(1, std::memory_order_acq_rel) + 1 == members_.size()) {
      waiting_.store(0, std::memory_order_relaxed);
      meetings_.fetch_add(1, std::memory_order_release);
      wake_all(meetings_);
    } else {
      wait_while(meetings_, meeting, watches_);
    }
  }
  if (failed_.load(std::memory_order_acquire)) throw Interrupted();
}

void DeviceGroup::fail()
{
  failed_.store(true, std::memory_order_release);
  meetings_.fetch_add(1, std::memory_order_release);
  wake_all(meetings_);
}

void DeviceGroup::start_threads()
{
  int index = static_cast<int>(threads_.size()) + 1;
  try {
    for (; index < devices_here(); ++index) threads_.emplace_back([this, index] { serve(index); });
  } catch (const std::system_error& error) {
    brushfire::fail(ErrorKind::memory,
                    "the system grants no thread for device {} of {}: {}; take fewer --devices or --threads, or allow "
                    "more memory or threads",
                    index + 1, devices_here(), error.code().message());
  }
}

void DeviceGroup::serve(int index)
{
  for (std::uint32_t seen = 0;; ++seen) {
    wait_while(runs_, seen, watches_);
    if (stopping_) return;
    run_guarded(index);
    if (running_.fetch_sub(1, std::memory_order_acq_rel) == 1) wake_one(running_);
  }
}

void DeviceGroup::run_guarded(int index)
{
  try {
    (*body_)(index, *members_[static_cast<std::size_t>(index)]);
  } catch (const Interrupted&) {
    // Another device has the reason.
  } catch (...) {
    std::lock_guard const lock(error_guard_);
    if (!error_) error_ = std::current_exception();
    fail();
  }
}

void DeviceGroup::run(const std::function<void(int, Exchange&)>& body)
{
  start_threads();  // all of them, or nobody has begun
  waiting_.store(0);
  failed_.store(false);
  error_ = nullptr;
  body_ = &body;
  for (const auto& member : members_) member->restart();
  running_.store(static_cast<std::uint32_t>(threads_.size()), std::memory_order_relaxed);
  runs_.fetch_add(1, std::memory_order_release);
  wake_all(runs_);
  run_guarded(0);
  for (std::uint32_t left = running_.load(std::memory_order_acquire); left != 0;
       left = running_.load(std::memory_order_acquire))
    wait_while(running_, left, watches_);
  if (error_ == nullptr) return;
  if (wire_ != nullptr) wire_->abandon();
  std::rethrow_exception(std::exchange(error_, nullptr));
}

void DeviceGroup::send_parcels()
{
  outgoing_.clear();
  for (int index = 0; index < devices_here(); ++index)
    for (const Piece& piece : members_[static_cast<std::size_t>(index)]->posted().pieces)
      if (!is_here(piece.device)) outgoing_.push_back({number_of(index), piece.device, piece.bytes});
  if (join_pieces_ && members_.front()->posted().may_join) join_parcels();
  wire_->send(outgoing_);
}

void DeviceGroup::join_parcels()
{
  for_device_.resize(static_cast<std::size_t>(devices()));
  for (auto& parts : for_device_) parts.clear();
  for (const Parcel& parcel : outgoing_) for_device_[static_cast<std::size_t>(parcel.to)].push_back(parcel.bytes);
  outgoing_.clear();
  memory_->forget_rows();
  for (int to = 0; to < devices(); ++to)
    if (auto const& parts = for_device_[static_cast<std::size_t>(to)]; !parts.empty())
      outgoing_.push_back({number_of(index_of(to)), to, memory_->in_a_row(parts)});
}

// By one device alone, when all have posted.
void DeviceGroup::list_masks()
{
  masks_.clear();
  changed_masks_.clear();
  for (const auto& member : members_) {
    masks_.push_back(member->posted().mask);
    if (member->posted().mask_changed) changed_masks_.push_back(member->posted().mask);
  }
  mask_changed_ = !changed_masks_.empty();
}

// Whether any mask changed at all is settled over all ranks before one is sent: that of the devices here.
void DeviceGroup::start_combining()
{
  list_masks();
  std::uint64_t changed = mask_changed_ ? 1 : 0;
  wire_->sum({&changed, 1});
  if (changed == 0) return;
  words_ = memory_->spare_mask(masks_.front().size());
  for (int device = 0; device < devices_here(); ++device) memory_->join(changed_masks_, {&words_, 1}, device);
  mask_changed_ = true;
  wire_->start_or(words_);
}

void DeviceGroup::Member::post(Round, const Outbox& outgoing)
{
  since_post_ = Stopwatch();
  posted_ = outgoing;
  count_handed();
  if (group_.wire_ == nullptr) return;
  group_.meet();  // the first device sends for all
  if (!leads()) return;
  group_.send_parcels();
  if (!posted_.mask.empty()) group_.start_combining();
}

// All that goes to one device here at once is one message: what is for that device itself and, where pieces are joined,
// what it will send on to the devices elsewhere that have its number in their ranks.
void DeviceGroup::Member::count_handed()
{
  bool const joins = group_.join_pieces_ && posted_.may_join;
  handed_.assign(group_.members_.size(), false);
  for (const Piece& piece : posted_.pieces) {
    int const receiver = group_.index_of(piece.device);
    if (receiver == index_ || (!joins && !group_.is_here(piece.device))) continue;
    traffic_.piece_bytes += piece.bytes.size();
    if (handed_[static_cast<std::size_t>(receiver)]) continue;
    handed_[static_cast<std::size_t>(receiver)] = true;
    traffic_.messages += 1;
  }
}

// What the wire took in this device's name, joined or not.
void DeviceGroup::Member::count_sent()
{
  for (const Parcel& parcel : group_.outgoing_) {
    if (parcel.from != device()) continue;
    traffic_.piece_bytes += parcel.bytes.size();
    traffic_.messages += group_.wire_->messages_for(parcel.bytes.size());
  }
}

bool DeviceGroup::Member::collect(Round, const std::function<void(Piece)>& absorb)
{
  Stopwatch const waiting;
  bool const masked = !posted_.mask.empty();
  Wire* const wire = group_.wire_;
  if (leads() && wire != nullptr) {
    group_.arrived_ = wire->deliver();
    if (masked && group_.mask_changed_) wire->finish_or();
  }
  group_.meet();
  count_sent();
  if (masked && wire == nullptr) {
    if (leads()) group_.list_masks();
    group_.meet();
  }
  std::exception_ptr problem;
  try {
    absorb_pieces(absorb);
    if (masked && group_.mask_changed_) take_joined_mask();
  } catch (...) {
    problem = std::current_exception();  // what this device posted goes with its stack, and others still read it
  }
  group_.meet();  // nobody changes what another still reads
  if (problem) std::rethrow_exception(problem);
  traffic_.seconds += since_post_.seconds();
  traffic_.waited_seconds += waiting.seconds();
  return masked && group_.mask_changed_;
}

// What came over the wire, or this device's share of joining the masks here.
void DeviceGroup::Member::take_joined_mask()
{
  Memory& memory = *group_.memory_;
  count_masks();
  if (group_.wire_ != nullptr) {
    memory.copy(posted_.mask.data(), group_.words_.data(), posted_.mask.size_bytes(), index_);
    return;
  }
  memory.join(group_.changed_masks_, group_.masks_, index_);
}

void DeviceGroup::Member::absorb_pieces(const std::function<void(Piece)>& absorb)
{
  arriving_.clear();
  for (int index = 0; index < group_.devices_here(); ++index)
    for (const Piece& piece : group_.members_[static_cast<std::size_t>(index)]->posted_.pieces)
      if (piece.device == device()) arriving_.push_back({group_.number_of(index), piece.bytes});
  for (const Parcel& parcel : group_.arrived_)
    if (parcel.to == device()) arriving_.push_back({parcel.from, parcel.bytes});
  auto const steps_back = [&](const Piece& piece) { return (device() - piece.device + devices()) % devices(); };
  std::sort(arriving_.begin(), arriving_.end(),
            [&](const Piece& a, const Piece& b) { return steps_back(a) < steps_back(b); });
  for (const Piece& piece : arriving_) absorb(piece);
}

// Every mask goes to the first device of its rank and back; those of the first devices to the first of all and back.
void DeviceGroup::Member::count_masks()
{
  std::uint64_t const bytes = posted_.mask.size_bytes();
  if (!leads()) {
    traffic_.mask_bytes += 2 * bytes;
    traffic_.messages += 2;
  } else if (group_.wire_ != nullptr && group_.wire_->rank() != 0) {
    traffic_.mask_bytes += 2 * bytes;
    traffic_.messages += 2 * group_.wire_->messages_for(bytes);
  }
}

void DeviceGroup::Member::sum(std::span<std::uint64_t> values)
{
  turn_ = 1 - turn_;
  summands_[turn_].assign(values.begin(), values.end());
  group_.meet();
  if (group_.wire_ != nullptr && !leads()) {
    group_.meet();
    std::copy(group_.sums_.begin(), group_.sums_.end(), values.begin());
    group_.meet();
    return;
  }
  std::fill(values.begin(), values.end(), 0);
  for (const auto& member : group_.members_)
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += member->summands_[turn_][i];
  if (group_.wire_ == nullptr) return;
  group_.wire_->sum(values);
  group_.sums_.assign(values.begin(), values.end());
  group_.meet();
  group_.meet();
}

}  // namespace brushfire
