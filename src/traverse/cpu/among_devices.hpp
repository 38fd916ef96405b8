// What a CPU adds to a search when it is one of several devices: the rounds of a level, and parents at the end.
//
// It first visits delegates and sends what it found: a mask of delegates, vertices that live elsewhere. While that is
// on its way it visits its own normal vertices; then it takes in what the others found. Its pull asks for the delegates
// that live here only: their edges to greater hubs are here (Algorithm 1), so most find a parent at once, while the
// others would walk their lists of lesser neighbours in vain. Those are asked for in a second round, when the mask has
// settled nearly all of them; the few found then are sent to all by rank.
#pragma once

#include "base/bits.hpp"
#include "base/buffer.hpp"
#include "traverse/cpu/far_side.hpp"
#include "traverse/cpu/targets.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

namespace brushfire::cpu {

template <typename Parent>
class AmongDevices {
 public:
  AmongDevices(const Part& part, const SearchIndex& index, DealtLabelsView labels, bool uniquify, int senders)
      : part_(part),
        index_(index),
        labels_(labels),
        senders_(senders > 0 ? senders : part.devices),
        far_targets_(part, uniquify),
        delegate_parents_(part, index),
        mask_(words_for(part.delegates.size())),
        visited_before_(mask_.size()),
        found_here_(mask_.size()),
        found_anywhere_(mask_.size())
  {
  }

  void restart()
  {
    found_elsewhere_.clear();
    std::fill_n(found_here_.data(), found_here_.size(), Word{0});
    std::fill_n(found_anywhere_.data(), found_anywhere_.size(), Word{0});
  }

  bool was_found(Vertex rank) const { return test_bit(found_anywhere_.data(), rank); }

  // The number of a vertex on this device, if it lives here.
  std::optional<Vertex> own_number(std::uint64_t vertex) const
  {
    auto const devices = static_cast<std::uint64_t>(part_.devices);
    if (vertex % devices != static_cast<std::uint64_t>(part_.device)) return std::nullopt;
    return static_cast<Vertex>(vertex / devices);
  }

  // First round: the delegates found, and the far targets of the normal vertices in the frontier.
  // The levels of those that others may ask about are written, those of unreached vertices stay.
  Outbox first_round(const Frontier& normals, std::int32_t level, std::int32_t* levels, Frontier& found,
                     std::uint64_t& checked)
  {
    if (found.size() > 0)
      std::memcpy(mask_.data(), found.bits(), mask_.bytes());
    else
      std::fill_n(mask_.data(), mask_.size(), Word{0});
    add_to(found_here_);
    return {far_targets_.collect(normals, level, levels, checked), mask_.span(), found.size() > 0, true};
  }

  // Vertices that live here and that another device found.
  void claim_arrived(Piece arrived, const Targets<Parent>& targets, std::int32_t* levels, Frontier& next, Tally& tally)
  {
    Claims<Parent> claims(targets, next, tally);
    for (Vertex const v : items_of<Vertex>(arrived)) {
      if (test_bit(targets.visited, v)) continue;
      set_bit(targets.visited, v);
      targets.settle(v, found_by<Parent>(arrived.device));
      levels[v] = targets.level;
      claims.add(v);
      found_elsewhere_.push_back(v);
    }
  }

  // Delegates that others found in this round join the frontier, unless this part has no edge of theirs. Returns how
  // many of all that were found live here: a delegate is counted there.
  std::uint64_t take_mask(const Targets<Parent>& targets, Frontier& next, Tally& tally)
  {
    std::uint64_t at_home = 0;
    add_to(found_anywhere_);
    for (std::size_t w = 0; w < mask_.size(); ++w) {
      if (mask_[w] == 0) continue;
      at_home += static_cast<std::uint64_t>(std::popcount(mask_[w] & index_.own_delegates[w]));
      if (targets.levels != nullptr)
        for_each_bit(mask_[w], w * word_bits, [&](std::uint64_t rank) { targets.levels[rank] = targets.level; });
      Word const fresh = mask_[w] & ~targets.visited[w];
      for_each_bit(fresh, w * word_bits,
                   [&](std::uint64_t rank) { targets.count_entries(static_cast<Vertex>(rank), tally); });
      if (fresh == 0) continue;
      next.add_word(w, fresh);
      tally.discovered += static_cast<std::uint64_t>(std::popcount(fresh));
      targets.visited[w] |= fresh;
    }
    return at_home;
  }

  // Second round: the delegates found since it began, by rank, to all.
  void begin_second_round(const Buffer<Word>& visited)
  {
    std::memcpy(visited_before_.data(), visited.data(), visited_before_.bytes());
  }
  Outbox second_round(const Buffer<Word>& visited)
  {
    late_ranks_.clear();
    for (std::size_t w = 0; w < mask_.size(); ++w) {
      mask_[w] = visited[w] & ~visited_before_[w];
      for_each_bit(mask_[w], w * word_bits,
                   [&](std::uint64_t rank) { late_ranks_.push_back(static_cast<Vertex>(rank)); });
    }
    add_to(found_here_);
    pieces_for_all_.clear();
    for (int device = 0; device < part_.devices && !late_ranks_.empty(); ++device)
      if (device != part_.device)
        pieces_for_all_.push_back({device, std::as_bytes(std::span<const Vertex>(late_ranks_))});
    return {pieces_for_all_, {}, false};
  }
  void hear_late(Piece arrived)
  {
    for (Vertex const rank : items_of<Vertex>(arrived)) set_bit(mask_.data(), rank);
  }

  // Parents that only another device knows. With `smallest` every parent is the smallest there is here, and any vertex
  // with a far neighbour may have a smaller one.
  void settle(const std::int32_t* levels, Parent* delegate_parents, Parent* parents, bool smallest, Exchange& exchange)
  {
    delegate_parents_.settle(smallest ? found_anywhere_ : found_here_, delegate_parents, exchange);
    if (smallest) {
      found_elsewhere_.clear();
      for (Vertex v = 0; v < part_.layout.vertices; ++v)
        if (levels[v] > 0 && part_.incoming().length(v) > 0) found_elsewhere_.push_back(v);
    }
    FarParents<Parent>{part_, labels_, levels, parents, smallest, senders_}.settle(found_elsewhere_, exchange);
  }

 private:
  void add_to(Buffer<Word>& found) const
  {
    for (std::size_t w = 0; w < mask_.size(); ++w) found[w] |= mask_[w];
  }

  const Part& part_;
  const SearchIndex& index_;
  DealtLabelsView labels_;
  int senders_;  // what arrives from a device may come from any that equals it modulo this
  FarTargets far_targets_;
  DelegateParents<Parent> delegate_parents_;
  Buffer<Word> mask_;            // delegates found in this round
  Buffer<Word> visited_before_;  // delegates, at the start of the second round
  Buffer<Word> found_here_;      // in this search, or on any device
  Buffer<Word> found_anywhere_;
  std::vector<Vertex> late_ranks_;  // of those found in the second round
  std::vector<Piece> pieces_for_all_;
  std::vector<Vertex> found_elsewhere_;  // vertices that others have found
};

}  // namespace brushfire::cpu
