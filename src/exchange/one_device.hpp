// The exchange of a device that is alone: one round, and all it hears is itself.
#pragma once

#include "exchange/exchange.hpp"

namespace brushfire {

class OneDevice final : public Exchange {
 public:
  int devices() const override { return 1; }
  int device() const override { return 0; }
  int rounds() const override { return 1; }
  void post(Round, const Outbox& outgoing) override { pieces_ = outgoing.pieces; }
  bool collect(Round, const std::function<void(Piece)>& absorb) override
  {
    for (const Piece& piece : pieces_) absorb(piece);
    return false;
  }
  void sum(std::span<std::uint64_t>) override {}
  Traffic take_traffic() override { return {}; }

 private:
  std::span<const Piece> pieces_;
};

}  // namespace brushfire
