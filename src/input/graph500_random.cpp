#include "input/graph500_random.hpp"

#include <bit>
#include <vector>

namespace brushfire {

namespace {

// steps[e] advances by 2^e outputs; a skip names bits 0 ... 191.
const std::vector<Graph500Random::Matrix>& doubling_steps()
{
  static const auto steps = [] {
    std::vector<Graph500Random::Matrix> result;
    Graph500Random::Matrix step{};
    step[0][0] = Graph500Random::factor_newest;
    step[0][4] = Graph500Random::factor_oldest;
    for (int row = 1; row < 5; ++row) step[row][row - 1] = 1;
    for (int exponent = 0; exponent < 192; ++exponent) {
      result.push_back(step);
      step = Graph500Random::multiply(step, step);
    }
    return result;
  }();
  return steps;
}

}  // namespace

Graph500Random::Graph500Random(std::uint64_t first_seed, std::uint64_t second_seed)
{
  constexpr std::uint64_t low_bits = 0x3fffffff;
  state_ = {(first_seed & low_bits) + 1, ((first_seed >> 30) & low_bits) + 1, (second_seed & low_bits) + 1,
            ((second_seed >> 30) & low_bits) + 1, ((second_seed >> 60) << 4) + (first_seed >> 60) + 1};
}

void Graph500Random::skip(std::uint64_t high, std::uint64_t middle, std::uint64_t low)
{
  int first_exponent = 0;
  for (std::uint64_t word : {low, middle, high}) {
    for (; word != 0; word &= word - 1)
      state_ = multiply(power_of_two_steps(first_exponent + std::countr_zero(word)), state_);
    first_exponent += 64;
  }
}

std::uint32_t Graph500Random::next()
{
  std::uint64_t const fresh = (factor_newest * state_[0] + factor_oldest * state_[4]) % modulus;
  state_ = {fresh, state_[0], state_[1], state_[2], state_[3]};
  return static_cast<std::uint32_t>(fresh);
}

double Graph500Random::next_double()
{
  double const coarse = next() * 4.65661287524579692e-10;
  return coarse + next() * 2.168404346990492787e-19;
}

Graph500Random::Matrix Graph500Random::multiply(const Matrix& left, const Matrix& right)
{
  Matrix product{};
  for (int row = 0; row < 5; ++row)
    for (int column = 0; column < 5; ++column)
      for (int k = 0; k < 5; ++k)
        product[row][column] = (product[row][column] + left[row][k] * right[k][column]) % modulus;
  return product;
}

Graph500Random::State Graph500Random::multiply(const Matrix& matrix, const State& state)
{
  State product{};
  for (int row = 0; row < 5; ++row)
    for (int k = 0; k < 5; ++k) product[row] = (product[row] + matrix[row][k] * state[k]) % modulus;
  return product;
}

Graph500Random::Matrix Graph500Random::power_of_two_steps(int exponent)
{
  return doubling_steps()[static_cast<std::size_t>(exponent)];
}

}  // namespace brushfire
