// Items of one type, sorted by the device they go to, and the round that sends them. A passing use outside the level
// loop: building, validating, asking for parents.
#pragma once

#include "exchange/exchange.hpp"

#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

namespace brushfire {

template <typename Item>
class Bins {
  static_assert(std::is_trivially_copyable_v<Item>);

 public:
  explicit Bins(int devices) : items_(static_cast<std::size_t>(devices)) {}

  void add(int device, const Item& item) { items_[static_cast<std::size_t>(device)].push_back(item); }
  std::vector<Item>& of(int device) { return items_[static_cast<std::size_t>(device)]; }
  int devices() const { return static_cast<int>(items_.size()); }
  void clear()
  {
    for (auto& bin : items_) bin.clear();
  }

  std::span<const Piece> pieces()
  {
    pieces_.clear();
    for (std::size_t device = 0; device < items_.size(); ++device)
      if (!items_[device].empty())
        pieces_.push_back({static_cast<int>(device), std::as_bytes(std::span<const Item>(items_[device]))});
    return pieces_;
  }

 private:
  std::vector<std::vector<Item>> items_;
  std::vector<Piece> pieces_;
};

// Moves what one thread has sorted behind what the others have.
template <typename Item>
void append(Bins<Item>& all, Bins<Item>& of_thread)
{
  for (int device = 0; device < all.devices(); ++device) {
    const auto& items = of_thread.of(device);
    all.of(device).insert(all.of(device).end(), items.begin(), items.end());
  }
  of_thread.clear();
}

template <typename Item>
std::span<const Item> items_of(Piece piece)
{
  return {reinterpret_cast<const Item*>(piece.bytes.data()), piece.bytes.size() / sizeof(Item)};
}

// Sends every bin to its device and calls absorb(sender, items) for what arrives, the own bin included.
template <typename Item, typename Absorb>
void send_copies(Exchange& exchange, Bins<Item>& bins, Absorb&& absorb)
{
  Round const only{0, true};
  exchange.post(only, {bins.pieces(), {}, false});
  exchange.collect(only, [&](Piece piece) { absorb(piece.device, items_of<Item>(piece)); });
}

// The bins are empty afterwards.
template <typename Item, typename Absorb>
void send_bins(Exchange& exchange, Bins<Item>& bins, Absorb&& absorb)
{
  send_copies(exchange, bins, absorb);
  bins.clear();
}

}  // namespace brushfire
