// A push by several threads finds what a push by one finds, whatever fills its bins: each vertex once, with a parent
// that leads to it.
#include "traverse/cpu/push.hpp"

#include "base/mixed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <vector>

namespace brushfire::cpu {
namespace {

// Rows of any lengths into any number of targets.
struct Lists {
  std::vector<std::uint32_t> starts{0};
  std::vector<std::uint64_t> bases;
  std::vector<Vertex> targets;

  void add(const std::vector<Vertex>& list)
  {
    if (starts.size() % rows_per_base == 1) bases.push_back(targets.size());
    targets.insert(targets.end(), list.begin(), list.end());
    starts.push_back(static_cast<std::uint32_t>(targets.size()));
  }
  SubgraphView view(std::uint64_t count) const
  {
    return {starts.data(),
            starts.data() + 1,
            bases.data(),
            targets.data(),
            0,
            targets.size(),
            static_cast<Vertex>(capacity_for(count) - 1)};
  }
};

Lists random_lists(std::uint64_t count, const std::vector<std::uint64_t>& lengths, bool sorted = false)
{
  Lists lists;
  std::uint64_t number = 0;
  for (std::uint64_t const length : lengths) {
    std::vector<Vertex> list(length);
    for (Vertex& v : list) v = static_cast<Vertex>(mixed(++number) % count);
    if (sorted) std::sort(list.begin(), list.end());
    lists.add(list);
  }
  return lists;
}

void expect_all_found(const Lists& lists, std::uint64_t count, std::uint64_t room, int threads,
                      ListOrder order = ListOrder::any)
{
  SCOPED_TRACE(testing::Message() << threads << " threads, " << count << " targets, " << lists.targets.size()
                                  << " entries, room for " << room);
  Team const team{threads};
  Buffer<Word> visited(words_for(capacity_for(count)));
  std::vector<std::uint32_t> parents(capacity_for(count), no_vertex);
  std::set<Vertex> const before{0, 5, static_cast<Vertex>(count - 1)};
  for (Vertex const v : before) set_bit(visited.data(), v);
  Targets<std::uint32_t> const targets{visited.data(), parents.data(), nullptr, {}, {}, 1, nullptr, count};
  std::vector<Vertex> queue(lists.starts.size() - 1);
  std::iota(queue.begin(), queue.end(), Vertex{0});
  std::vector<Tally> tallies(static_cast<std::size_t>(threads));
  Frontier next(static_cast<Vertex>(count), team);
  PushRoom push_room{{count, room, team}, {lists.targets.size(), team}};
  Push<std::uint32_t>{lists.view(count), {}, targets, push_room, next, tallies, team}.run(queue, lists.targets.size(),
                                                                                          order);

  std::vector<Vertex> expected(lists.targets);
  std::sort(expected.begin(), expected.end());
  expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
  std::erase_if(expected, [&](Vertex v) { return before.contains(v); });
  std::vector<Vertex> found(next.queue().begin(), next.queue().end());
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, expected);
  const Word* const bits = next.bits();
  std::vector<bool> led_to(count);  // by the parent
  for (Vertex const u : queue)
    for (EdgeIndex e = lists.starts[u]; e < lists.starts[u + 1]; ++e)
      if (parents[lists.targets[e]] == u) led_to[lists.targets[e]] = true;
  for (Vertex const v : found) ASSERT_TRUE(test_bit(visited.data(), v) && test_bit(bits, v) && led_to[v]) << v;
  std::uint64_t checked = 0, discovered = 0;
  for (const Tally& tally : tallies) checked += tally.checked, discovered += tally.discovered;
  EXPECT_EQ(checked, lists.targets.size());
  EXPECT_EQ(discovered, expected.size());
}

TEST(PushSearch, SeveralThreadsFindWhatOneFinds)
{
  for (std::uint64_t const count : {6, 64, 1000, 70000, 1500000}) {
    std::vector<std::uint64_t> lengths;
    for (std::uint64_t i = 0; i < 3000; ++i) lengths.push_back(mixed(i) % 23);
    lengths.insert(lengths.begin() + 1000, {9000, 0, 20000});  // long lists are walked in pieces
    Lists const lists = random_lists(count, lengths);
    for (int const threads : {1, 2, 5, 16}) expect_all_found(lists, count, 2 * count, threads);
  }
}

TEST(PushSearch, LongSortedListsAreWalkedByParts)
{
  for (std::uint64_t const count : {6, 64, 1000, 70000, 1500000})
    for (int const threads : {1, 2, 5, 16}) {
      expect_all_found(random_lists(count, {90, 9000, 0, 20000, 1}, true), count, 2 * count, threads,
                       ListOrder::sorted);
      expect_all_found(random_lists(count, {300, 200000, 250}, true), count, 2 * count, threads, ListOrder::sorted);
    }
}

// As an altered file may have them: nothing is found twice, whatever is missed.
TEST(PushSearch, ListsThatShouldBeSortedAndAreNotHarmNothing)
{
  constexpr std::uint64_t count = 5000;
  Lists const lists = random_lists(count, {90, 9000, 0, 20000, 1});
  Team const team{3};
  Buffer<Word> visited(words_for(capacity_for(count)));
  std::vector<std::uint32_t> parents(capacity_for(count), no_vertex);
  Targets<std::uint32_t> const targets{visited.data(), parents.data(), nullptr, {}, {}, 1, nullptr, count};
  std::vector<Vertex> const queue{0, 1, 2, 3, 4};
  std::vector<Tally> tallies(3);
  Frontier next(count, team);
  PushRoom push_room{{count, team}, {lists.targets.size(), team}};
  Push<std::uint32_t>{lists.view(count), {}, targets, push_room, next, tallies, team}.run(queue, lists.targets.size(),
                                                                                          ListOrder::sorted);
  std::set<Vertex> const found(next.queue().begin(), next.queue().end());
  EXPECT_EQ(found.size(), next.size());
  EXPECT_GT(found.size(), 0u);
  std::set<Vertex> const all(lists.targets.begin(), lists.targets.end());
  for (Vertex v = 0; v < count; ++v) {
    ASSERT_EQ(test_bit(visited.data(), v), found.contains(v)) << v;
    ASSERT_TRUE(!found.contains(v) || all.contains(v)) << v;
  }
}

// Of an altered file too, which leads past the last target: to vertices that count as visited.
TEST(PushSearch, ListsThatLeadPastTheTargetsLoseNothing)
{
  constexpr std::uint64_t count = (std::uint64_t{3} << 19) + 1, capacity = capacity_for(count);
  Lists lists = random_lists(count, std::vector<std::uint64_t>(20000, 8));
  for (std::size_t i = 0; i < lists.targets.size(); i += 81)
    lists.targets[i] = static_cast<Vertex>(count + mixed(i) % (capacity - count));
  std::set<Vertex> expected(lists.targets.begin(), lists.targets.end());
  expected.erase(expected.lower_bound(static_cast<Vertex>(count)), expected.end());
  std::vector<Vertex> queue(lists.starts.size() - 1);
  std::iota(queue.begin(), queue.end(), Vertex{0});
  for (int run = 0; run < 10; ++run) {
    Team const team{4};
    Buffer<Word> visited(words_for(capacity));
    for (std::uint64_t v = count; v < capacity; ++v) set_bit(visited.data(), v);
    std::vector<std::uint32_t> parents(capacity, no_vertex);
    Targets<std::uint32_t> const targets{visited.data(), parents.data(), nullptr, {}, {}, 1, nullptr, count};
    std::vector<Tally> tallies(4);
    Frontier next(static_cast<Vertex>(count), team);
    PushRoom push_room{{count, team}, {lists.targets.size(), team}};
    Push<std::uint32_t>{lists.view(count), {}, targets, push_room, next, tallies, team}.run(queue, lists.targets.size(),
                                                                                            ListOrder::any);
    std::set<Vertex> const found(next.queue().begin(), next.queue().end());
    ASSERT_EQ(found.size(), next.size());
    ASSERT_TRUE(found == expected) << found.size() << " of " << expected.size();
  }
}

// One list that leads to more than there are places to note, and many in as many rounds.
TEST(PushSearch, BinsWithoutRoomLoseNothing)
{
  Lists const one = random_lists(2000000, {300000, 7});
  Lists const noted_once = random_lists(900000, {200000, 200000, 7});
  Lists const many = random_lists(50000, std::vector<std::uint64_t>(20000, 3));
  for (int const threads : {2, 3, 16}) {
    expect_all_found(one, 2000000, 512, threads);
    expect_all_found(many, 50000, 4096, threads);
    expect_all_found(noted_once, 900000, 512, threads);
  }
}

}  // namespace
}  // namespace brushfire::cpu
