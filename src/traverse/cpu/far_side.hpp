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

// Replaces finders by parents. With `smallest` a parent is the smallest label one level up, those of neighbours
// elsewhere and the one in `parents` compared.
template <typename Parent>
struct FarParents {
  const Part& part;
  DealtLabelsView labels;
  const std::int32_t* levels;
  Parent* parents;
  bool smallest = false;
  int senders = 1;  // a finder may be any device that equals it modulo this
  Bins<Vertex> questions{part.devices}, askers{part.devices};
  Bins<std::int32_t> answers{part.devices};
  Bins<Label> names{part.devices};  // labels, where each device knows only its own

  // Of `vertices`. Every device calls it.
  void settle(std::span<const Vertex> vertices, Exchange& exchange)
  {
    for (Vertex const v : vertices) ask(v);
    send_copies(exchange, questions, [this](int from, std::span<const Vertex> numbers) { answer(from, numbers); });
    send_bins(exchange, answers, [this](int from, std::span<const std::int32_t> heard) { choose(from, heard); });
    if (labels.own_only)
      send_bins(exchange, names, [this](int from, std::span<const Label> heard) { choose_by_name(from, heard); });
  }

 private:
  void ask(Vertex v)
  {
    int const finder = smallest ? 0 : finder_of(parents[v]) % senders;
    auto const row = part.incoming().row(v);
    auto const may_be_meant = [&](FarVertex u) { return smallest || device_of(u) % senders == finder; };
    if (!smallest && !labels.own_only && std::count_if(row.begin(), row.end(), may_be_meant) == 1) {
      FarVertex const only = *std::find_if(row.begin(), row.end(), may_be_meant);
      parents[v] = static_cast<Parent>(labels.of(device_of(only))(number_of(only)));
      return;
    }
    for (FarVertex const u : row) {
      if (!may_be_meant(u)) continue;
      questions.add(device_of(u), number_of(u));
      askers.add(device_of(u), v);
    }
    if (is_finder(parents[v])) parents[v] = static_cast<Parent>(no_label);
  }

  void answer(int device, std::span<const Vertex> numbers)
  {
    answers.of(device).reserve(numbers.size());
    for (Vertex const number : numbers) answers.add(device, levels[number]);
    if (!labels.own_only) return;
    for (Vertex const number : numbers) names.add(device, labels.of(part.device)(number));
  }

  // Answers come in the order of the questions.
  void choose(int device, std::span<const std::int32_t> heard)
  {
    LabelsView const label = labels.of(device);
    for (std::size_t i = 0; i < heard.size(); ++i)
      if (Vertex& v = askers.of(device)[i]; heard[i] + 1 != levels[v])
        v = no_vertex;
      else if (!labels.own_only)
        offer(v, label(questions.of(device)[i]));
  }
  void choose_by_name(int device, std::span<const Label> heard)
  {
    for (std::size_t i = 0; i < heard.size(); ++i)
      if (Vertex const v = askers.of(device)[i]; v != no_vertex) offer(v, heard[i]);
  }
  void offer(Vertex v, Label parent) { parents[v] = static_cast<Parent>(smaller_label(parents[v], parent)); }
};

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
