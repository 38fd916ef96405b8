#include "exchange/device_group.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace brushfire {

namespace {

// A share of `count` words for each of `parts`, in order.
std::pair<std::size_t, std::size_t> share(std::size_t count, std::size_t part, std::size_t parts)
{
  return {count * part / parts, count * (part + 1) / parts};
}

}  // namespace

class DeviceGroup::Member final : public Exchange {
 public:
  Member(DeviceGroup& group, int index) : group_(group), index_(index) {}

  int devices() const override { return group_.devices(); }
  int device() const override { return group_.number_of(index_); }
  int rounds() const override { return group_.rounds_; }
  void post(Round round, const Outbox& outgoing) override;
  void collect(Round round, const std::function<void(Piece)>& absorb) override;
  void sum(std::span<std::uint64_t> values) override;
  Traffic take_traffic() override { return std::exchange(traffic_, {}); }

  const Outbox& posted() const { return posted_; }

 private:
  bool leads() const { return index_ == 0; }
  void count_pieces();
  void start_combining();
  void count_masks();
  void absorb_pieces(const std::function<void(Piece)>& absorb);

  DeviceGroup& group_;
  int index_;
  Outbox posted_;
  std::span<std::uint64_t> summed_;
  Traffic traffic_;
  std::vector<Piece> arriving_;
};

DeviceGroup::DeviceGroup(int devices_here, int rounds, Wire* wire) : wire_(wire), rounds_(rounds)
{
  for (int index = 0; index < devices_here; ++index) members_.push_back(std::make_unique<Member>(*this, index));
}

DeviceGroup::~DeviceGroup() = default;

int DeviceGroup::devices() const { return devices_here() * (wire_ != nullptr ? wire_->ranks() : 1); }

int DeviceGroup::number_of(int index) const
{
  return wire_ == nullptr ? index : wire_->rank() + wire_->ranks() * index;
}

bool DeviceGroup::is_here(int device) const { return wire_ == nullptr || device % wire_->ranks() == wire_->rank(); }

// The last to arrive lets all go. Whoever is here when the group fails, or comes later, leaves by Interrupted.
void DeviceGroup::meet()
{
  std::uint32_t const meeting = meetings_.load(std::memory_order_acquire);
  if (!failed_.load(std::memory_order_acquire)) {
    if (waiting_.fetch_add(1, std::memory_order_acq_rel) + 1 == members_.size()) {
      waiting_.store(0, std::memory_order_relaxed);
      meetings_.fetch_add(1, std::memory_order_release);
      meetings_.notify_all();
    } else {
      while (meetings_.load(std::memory_order_acquire) == meeting) meetings_.wait(meeting, std::memory_order_acquire);
    }
  }
  if (failed_.load(std::memory_order_acquire)) throw Interrupted();
}

void DeviceGroup::fail()
{
  failed_.store(true, std::memory_order_release);
  meetings_.fetch_add(1, std::memory_order_release);
  meetings_.notify_all();
}

void DeviceGroup::run(const std::function<void(int, Exchange&)>& body)
{
  waiting_.store(0);
  failed_.store(false);
  error_ = nullptr;
  auto const guarded = [&](int index) {
    try {
      body(index, *members_[static_cast<std::size_t>(index)]);
    } catch (const Interrupted&) {
      // Another device has the reason.
    } catch (...) {
      std::lock_guard const lock(error_guard_);
      if (!error_) error_ = std::current_exception();
      fail();
    }
  };
  {
    std::vector<std::jthread> others;
    for (int index = 1; index < devices_here(); ++index) others.emplace_back(guarded, index);
    guarded(0);
  }
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void DeviceGroup::send_parcels()
{
  outgoing_.clear();
  for (int index = 0; index < devices_here(); ++index)
    for (const Piece& piece : members_[static_cast<std::size_t>(index)]->posted().pieces)
      if (!is_here(piece.device)) outgoing_.push_back({number_of(index), piece.device, piece.bytes});
  wire_->send(outgoing_);
}

void DeviceGroup::Member::post(Round, const Outbox& outgoing)
{
  posted_ = outgoing;
  count_pieces();
  if (group_.wire_ != nullptr) {
    group_.meet();  // the first device sends for all
    if (leads()) group_.send_parcels();
  }
  if (!posted_.mask.empty()) start_combining();
}

void DeviceGroup::Member::count_pieces()
{
  for (const Piece& piece : posted_.pieces) {
    if (piece.device == device()) continue;
    traffic_.piece_bytes += piece.bytes.size();
    traffic_.messages += group_.is_here(piece.device) ? 1 : group_.wire_->messages_for(piece.bytes.size());
  }
}

void DeviceGroup::Member::collect(Round, const std::function<void(Piece)>& absorb)
{
  if (leads() && group_.wire_ != nullptr) {
    group_.arrived_ = group_.wire_->deliver();
    if (!posted_.mask.empty() && group_.mask_changed_) group_.wire_->finish_or();
  }
  group_.meet();
  if (!posted_.mask.empty() && group_.mask_changed_) {
    std::copy(group_.words_.begin(), group_.words_.end(), posted_.mask.begin());
    count_masks();
  }
  absorb_pieces(absorb);
  group_.meet();  // nobody reuses what another still reads
}

void DeviceGroup::Member::absorb_pieces(const std::function<void(Piece)>& absorb)
{
  arriving_.clear();
  for (int index = 0; index < group_.devices_here(); ++index)
    for (const Piece& piece : group_.members_[static_cast<std::size_t>(index)]->posted_.pieces)
      if (piece.device == device()) arriving_.push_back({group_.number_of(index), piece.bytes});
  for (const Parcel& parcel : group_.arrived_)
    if (parcel.to == device()) arriving_.push_back({parcel.from, parcel.bytes});
  std::sort(arriving_.begin(), arriving_.end(), [](const Piece& a, const Piece& b) { return a.device < b.device; });
  for (const Piece& piece : arriving_) absorb(piece);
}

// The masks of the devices here, each device combining its share of the words; then the first device hands the result
// to the wire. Whether any mask changed at all is settled first, over all ranks.
void DeviceGroup::Member::start_combining()
{
  auto const& members = group_.members_;
  std::size_t const words = posted_.mask.size();
  group_.meet();
  if (leads()) {
    group_.words_.resize(words);
    group_.sums_.assign(1, 0);
    for (const auto& member : members) group_.sums_[0] += member->posted_.mask_changed ? 1 : 0;
    if (group_.wire_ != nullptr) group_.wire_->sum(group_.sums_);
    group_.mask_changed_ = group_.sums_[0] > 0;
  }
  group_.meet();
  if (!group_.mask_changed_) return;
  auto const [first, last] = share(words, static_cast<std::size_t>(index_), members.size());
  for (std::size_t w = first; w < last; ++w) {
    std::uint64_t combined = 0;
    for (const auto& member : members)
      if (member->posted_.mask_changed) combined |= member->posted_.mask[w];
    group_.words_[w] = combined;
  }
  if (group_.wire_ == nullptr) return;
  group_.meet();
  if (leads()) group_.wire_->start_or(group_.words_);
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
  summed_ = values;
  group_.meet();
  if (leads()) {
    group_.sums_.assign(values.size(), 0);
    for (const auto& member : group_.members_)
      for (std::size_t i = 0; i < values.size(); ++i) group_.sums_[i] += member->summed_[i];
    if (group_.wire_ != nullptr) group_.wire_->sum(group_.sums_);
  }
  group_.meet();
  std::copy(group_.sums_.begin(), group_.sums_.end(), values.begin());
  group_.meet();
}

}  // namespace brushfire
