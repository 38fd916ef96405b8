// The random numbers of the Graph500 reference: a multiple recursive generator modulo p = 2^31 - 1 with five words of
// state, new = x*z1 + y*z5. Skipping ahead is a product with a power of its 5x5 transition matrix, so any
// edge can be computed without those before it.
#pragma once

#include <array>
#include <cstdint>

namespace brushfire {

class Graph500Random {
 public:
  static constexpr std::uint64_t modulus = 0x7fffffff;
  static constexpr std::uint64_t factor_newest = 107374182;
  static constexpr std::uint64_t factor_oldest = 104480;
  using State = std::array<std::uint64_t, 5>;                  // z1 (newest) ... z5, each below modulus
  using Matrix = std::array<std::array<std::uint64_t, 5>, 5>;  // acts on a State as a column

  Graph500Random(std::uint64_t first_seed, std::uint64_t second_seed);

  // Advances by high*2^128 + middle*2^64 + low outputs.
  void skip(std::uint64_t high, std::uint64_t middle, std::uint64_t low);
  std::uint32_t next();  // 0 ... modulus-1
  double next_double();  // two outputs, in [0, 1]

  const State& state() const { return state_; }
  explicit Graph500Random(const State& state) : state_(state) {}

  static Matrix multiply(const Matrix& left, const Matrix& right);
  static State multiply(const Matrix& matrix, const State& state);
  static Matrix power_of_two_steps(int exponent);  // the matrix that advances by 2^exponent outputs

 private:
  State state_;
};

}  // namespace brushfire
