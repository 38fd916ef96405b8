// The exchange of a device that is alone: one round, nothing to move, every sum is its own.
#pragma once

#include "exchange/exchange.hpp"

namespace brushfire {

class OneDevice final : public Exchange {
 public:
  int rounds() const override { return 1; }
  void post(Round, std::span<const Piece>) override {}
  void collect(Round, const std::function<void(Piece)>&) override {}
  void sum(std::span<std::uint64_t>) override {}
};

}  // namespace brushfire
