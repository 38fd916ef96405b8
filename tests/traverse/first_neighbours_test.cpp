#include "traverse/cpu/first_neighbours.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace brushfire::cpu {

namespace {

constexpr std::uint64_t words = 50, targets = words * word_bits;
constexpr Vertex sources = 1000;

struct Example {
  std::vector<Vertex> firsts = std::vector<Vertex>(targets);
  std::vector<Word> frontier = std::vector<Word>(words_for(sources));
  std::vector<Label> labels = std::vector<Label>(sources);
  std::vector<std::uint32_t> narrow_labels = std::vector<std::uint32_t>(sources);

  explicit Example(unsigned seed)
  {
    std::mt19937_64 random(seed);
    for (Vertex& first : firsts) first = random() % 4 == 0 ? no_vertex : static_cast<Vertex>(random() % sources);
    for (Word& word : frontier) word = random() & random();
    for (Vertex u = 0; u < sources; ++u) labels[u] = narrow_labels[u] = static_cast<std::uint32_t>(random() >> 33);
    labels[7] = narrow_labels[7] = 0xfffffffe;  // more than 31 bits
  }

  FirstNeighbours view() const { return {firsts.data(), frontier.data(), labels.data(), narrow_labels.data()}; }
};

// Those that this processor has, and the portable one.
std::vector<Vectors> known_vectors()
{
  std::vector<Vectors> all{Vectors::none};
  if (vectors_of_processor() >= Vectors::avx2) all.push_back(Vectors::avx2);
  if (vectors_of_processor() >= Vectors::avx512) all.push_back(Vectors::avx512);
  return all;
}

// Sources have labels, or are their own.
template <typename Parent>
void expect_the_same_answers(bool labelled)
{
  for (unsigned seed = 0; seed < 20; ++seed) {
    Example const example(seed);
    FirstNeighbours asked_in = example.view();
    if (!labelled) asked_in.labels = nullptr, asked_in.narrow_labels = nullptr;
    std::mt19937_64 random(seed);
    for (std::uint64_t w = 0; w < words; ++w) {
      Word waiting = random();
      if (w % 4 == 1) waiting &= random() & random() & random();
      if (w % 4 == 2) waiting = ~Word{0};
      if (w % 4 == 3) waiting = 0;
      for (Vectors const vectors : known_vectors()) {
        SCOPED_TRACE(static_cast<int>(vectors));
        std::vector<Parent> parents(targets, 5);
        Answers const answers =
            VectorKernels<Parent>::of(vectors).ask_first(asked_in, w * word_bits, waiting, parents.data());
        for (std::uint64_t v = 0; v < targets; ++v) {
          Vertex const u = example.firsts[v];
          bool const asked = v / word_bits == w && (waiting & bit_of(v)) != 0 && u != no_vertex;
          bool const found = asked && test_bit(example.frontier.data(), u);
          if (v / word_bits == w) {
            ASSERT_EQ((answers.asked & bit_of(v)) != 0, asked) << v;
            ASSERT_EQ((answers.found & bit_of(v)) != 0, found) << v;
          }
          ASSERT_EQ(parents[v], found ? static_cast<Parent>(labelled ? example.labels[u] : Label{u}) : Parent{5}) << v;
        }
      }
    }
  }
}

template <typename Parent>
void expect_the_same_cleared()
{
  std::mt19937_64 random(3);
  for (Vectors const vectors : known_vectors())
    for (Word const cleared : {Word{0}, Word{1}, ~Word{0}, random(), random()}) {
      std::vector<Parent> parents(3 * word_bits, 5);
      VectorKernels<Parent>::of(vectors).clear(word_bits, cleared, parents.data());
      for (std::uint64_t v = 0; v < parents.size(); ++v) {
        bool const is_cleared = v / word_bits == 1 && (cleared & bit_of(v)) != 0;
        ASSERT_EQ(parents[v], is_cleared ? static_cast<Parent>(no_label) : Parent{5}) << v;
      }
    }
}

}  // namespace

TEST(FirstNeighboursTest, AnswersAreTheSameWithAndWithoutVectors)
{
  for (bool const labelled : {true, false}) {
    expect_the_same_answers<std::int64_t>(labelled);
    expect_the_same_answers<std::int32_t>(labelled);
    expect_the_same_answers<std::uint32_t>(labelled);
  }
}

TEST(FirstNeighboursTest, ClearsTheSameWithAndWithoutVectors)
{
  expect_the_same_cleared<std::int64_t>();
  expect_the_same_cleared<std::int32_t>();
}

TEST(FirstNeighboursTest, EveryWayFindsTheSamePlaceInAList)
{
  for (unsigned seed = 0; seed < 20; ++seed) {
    Example const example(seed);
    std::mt19937_64 random(seed);
    std::vector<Vertex> list(40);
    for (Vertex& u : list) u = static_cast<Vertex>(random() % sources) | Vertex{1} << 20;  // beyond the mask
    constexpr Vertex mask = 1023;
    for (std::uint64_t count = 0; count <= list.size(); ++count) {
      std::uint64_t expected = 0;
      while (expected < count && !test_bit(example.frontier.data(), list[expected] & mask)) ++expected;
      for (Vectors const vectors : known_vectors())
        EXPECT_EQ(find_in_list(vectors)(list.data(), count, mask, example.frontier.data()), expected)
            << static_cast<int>(vectors) << ' ' << count;
    }
  }
}

}  // namespace brushfire::cpu
