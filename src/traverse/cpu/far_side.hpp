// What a part has to do with other devices while it searches: targets of its normal vertices that live elsewhere are
// sent to their owners, who learn their parents when the search is over.
//
// Until then such a vertex has the device that found it for a parent. Its parent there is a normal neighbour one level
// up, and the own list says who can be meant: often one alone, else that device is asked for levels; and for labels
// where each device knows only its own.
#pragma once

#include "base/labels_view.hpp"
#include "build/part.hpp"
#include "exchange/bins.hpp"
#include "traverse/cpu/frontier.hpp"
#include "traverse/cpu/search_index.hpp"

#include <brushfire/types.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace brushfire::cpu {

// The finder of a vertex, in place of its parent: a number below every label.
template <typename Parent>
constexpr Parent found_by(int device)
{
  return static_cast<Parent>(no_label - 1 - device);
}
constexpr bool is_finder(Label parent) { return parent < no_label; }
constexpr int finder_of(Label parent) { return static_cast<int>(no_label - 1 - parent); }

// The targets of a frontier, sorted by device. Room for all there are is taken once.
class FarTargets {
 public:
  FarTargets(const Part& part, bool uniquify);

  // On the way it writes down the level, which is the frontier's, of every vertex that has targets: others may ask.
  std::span<const Piece> collect(const Frontier& frontier, std::int32_t level, std::int32_t* levels,
                                 std::uint64_t& checked);

 private:
  const Part& part_;
  bool uniquify_;               // send none twice in a level
  Buffer<Word> have_any_;       // vertices with a list: few do where hubs are separated
  std::vector<Vertex> walked_;  // of the frontier, those that have
  Bins<Vertex> bins_;
};

// Replaces the finder of each of `vertices` by a parent. With `smallest` it is the smallest label one level up, those
// of neighbours elsewhere and the one in `parents` compared. Every device calls it.
struct FarChoice {
  bool smallest = false;
  int senders = 1;  // a finder may be any device that equals it modulo this
};
template <typename Parent>
void settle_far_parents(const Part& part, DealtLabelsView labels, const std::int32_t* levels, Parent* parents,
                        std::span<const Vertex> vertices, FarChoice choice, Exchange& exchange)
{
  const FarRows& rows = part.incoming();
  auto const for_each_candidate = [&](Vertex v, auto&& body) {
    int const finder = choice.smallest ? 0 : finder_of(parents[v]) % choice.senders;
    for (FarVertex const u : rows.row(v))
      if (choice.smallest || device_of(u) % choice.senders == finder) body(u);
  };
  auto const own_label = labels.of(part.device);

  std::vector<Vertex> asking;
  Bins<Vertex> questions(exchange.devices());
  for (Vertex const v : vertices) {
    std::size_t count = 0;
    FarVertex only = 0;
    for_each_candidate(v, [&](FarVertex u) {
      ++count;
      only = u;
    });
    if (count == 1 && !choice.smallest && !labels.own_only) {
      parents[v] = static_cast<Parent>(labels.of(device_of(only))(number_of(only)));
      continue;
    }
    asking.push_back(v);
    for_each_candidate(v, [&](FarVertex u) { questions.add(device_of(u), number_of(u)); });
  }

  Bins<std::int32_t> answers(exchange.devices());
  Bins<Label> names(exchange.devices());
  send_bins(exchange, questions, [&](int from, std::span<const Vertex> numbers) {
    for (Vertex const number : numbers) {
      answers.add(from, levels[number]);
      if (labels.own_only) names.add(from, own_label(number));
    }
  });
  auto const devices = static_cast<std::size_t>(exchange.devices());
  std::vector<std::vector<std::int32_t>> heard(devices);
  std::vector<std::vector<Label>> named(devices);
  send_bins(exchange, answers, [&](int from, std::span<const std::int32_t> items) {
    heard[static_cast<std::size_t>(from)].assign(items.begin(), items.end());
  });
  if (labels.own_only)
    send_bins(exchange, names, [&](int from, std::span<const Label> items) {
      named[static_cast<std::size_t>(from)].assign(items.begin(), items.end());
    });

  std::vector<std::size_t> next(devices);  // answers come in the order of the questions
  for (Vertex const v : asking) {
    Label best = choice.smallest && !is_finder(parents[v]) ? Label{parents[v]} : no_label;
    for_each_candidate(v, [&](FarVertex u) {
      auto const device = static_cast<std::size_t>(device_of(u));
      std::size_t const at = next[device]++;
      if (heard[device][at] + 1 != levels[v]) return;
      best = smaller_label(best, labels.own_only ? named[device][at] : labels.of(device_of(u))(number_of(u)));
    });
    parents[v] = static_cast<Parent>(best);
  }
}

// Every device that found a delegate sends its parent to the device where the delegate lives, which keeps the smallest.
template <typename Parent>
class DelegateParents {
 public:
  DelegateParents(const Part& part, const SearchIndex& index)
      : index_(index), devices_(part.delegates.size()), found_(part.devices)
  {
    for (Vertex rank = 0; rank < devices_.size(); ++rank) devices_[rank] = device_of(part.delegates[rank].home);
  }

  // By rank, of the delegates in `found`; the others' are not read. Every device calls it; afterwards those of the own
  // delegates are right.
  void settle(const Buffer<Word>& found, Parent* parents, Exchange& exchange)
  {
    for (std::size_t w = 0; w < found.size(); ++w) {
      for_each_bit(index_.own_delegates[w] & ~found[w], w * word_bits,
                   [&](std::uint64_t rank) { parents[rank] = static_cast<Parent>(no_label); });
      for_each_bit(index_.other_delegates[w] & found[w], w * word_bits, [&](std::uint64_t rank) {
        if (parents[rank] != no_label) found_.add(devices_[rank], {static_cast<Parent>(rank), parents[rank]});
      });
    }
    send_bins(exchange, found_, [&](int, std::span<const Found> items) {
      for (const Found& item : items)
        parents[item.rank] = static_cast<Parent>(smaller_label(parents[item.rank], item.parent));
    });
  }

 private:
  struct Found {
    Parent rank;  // as wide as the parent: no byte is sent that nobody wrote
    Parent parent;
  };
  const SearchIndex& index_;
  Buffer<int> devices_;  // where each delegate lives, by rank
  Bins<Found> found_;    // keeps its room from search to search
};

}  // namespace brushfire::cpu
