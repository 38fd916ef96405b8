// Long searches of graphs without hubs (grids, roads) by several threads: thousands of levels of some thousand
// vertices.
//
// The vertices are dealt out to as many parts as there are threads, in stripes. A part alone claims, settles and
// expands the vertices of its stripes, by bits of its own: the lines that it writes stay in the caches of one core, and
// nothing is atomic but the meeting at the end of a level. What it finds in another's stripes it tells that part, once
// in a search, which takes it in before it expands the next level: only then that level's frontier is complete.
//
// A part is begun by its thread, or by the caller, who finds it not begun when his own is done: a thread that the
// system has not scheduled is not waited for, as in every loop of a Team.
#pragma once

#include "base/bits.hpp"
#include "base/buffer.hpp"
#include "base/fill.hpp"
#include "base/labels_view.hpp"
#include "base/parallel.hpp"
#include "base/watch.hpp"
#include "build/layout.hpp"
#include "traverse/cpu/short_lists.hpp"
#include "traverse/cpu/targets.hpp"

#include <brushfire/types.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

namespace brushfire::cpu {

// What a level did, in all parts.
struct StripedLevel {
  std::uint64_t frontier = 0;  // vertices expanded
  std::uint64_t found = 0;     // of their own
  std::uint64_t told = 0;      // to others, who may know them already
  std::uint64_t checked = 0;
};

enum class NextLevel : std::uint8_t { none, alone, together };  // small ones are not worth waking anybody

template <typename Parent>
class StripedLevels {
 public:
  StripedLevels(Vertex vertices, Team team)
      : team_(team),
        words_(words_for(vertices)),
        words_per_stripe_(std::bit_ceil(words_ / (most_stripes_per_part * parts_for(team)) + 1)),
        stripe_shift_(static_cast<unsigned>(std::countr_zero(words_per_stripe_ * word_bits))),
        parts_(parts_for(team)),
        owners_(words_for(capacity_for(vertices)) / words_per_stripe_ + 1)
  {
    for (std::size_t stripe = 0; stripe < owners_.size(); ++stripe)
      owners_[stripe] = static_cast<std::uint8_t>(stripe % parts_.size());
    std::uint64_t const stripe = words_per_stripe_ * word_bits;
    std::uint64_t place = 0;
    for (std::size_t number = 0; number < parts_.size(); ++number) {
      Part& part = parts_[number];
      part.visited = Buffer<Word>(words_for(capacity_for(vertices)));
      std::fill(part.visited.data() + words_, part.visited.data() + part.visited.size(), ~Word{0});  // none to find
      for (auto& boxes : part.told) boxes.resize(parts_.size());
      part.place = place;
      for (std::uint64_t first = number * stripe; first < vertices; first += parts_.size() * stripe)
        place += std::min<std::uint64_t>(stripe, vertices - first);
    }
  }

  // Expands `frontier`, and level after level what it finds, until `next(StripedLevel)`, asked on the calling thread
  // after each, says NextLevel::none; finish() must follow. Each queue has room for all vertices; `frontier` may be in
  // the first.
  template <typename Next>
  void run(const SubgraphView& graph, LabelsView labels, const Targets<Parent>& targets,
           std::span<const Vertex> frontier, std::array<Vertex*, 2> queues, Next&& next)
  {
    graph_ = graph;
    labels_ = labels;
    targets_ = targets;
    start(frontier, queues);
    auto enter = [&](int thread) {
      if (thread == 0)
        lead(next);
      else if (static_cast<std::size_t>(thread) < parts_.size())
        follow(static_cast<std::size_t>(thread));
    };
    using Enter = decltype(enter);
    workers::run({[](void* context, int thread) { (*static_cast<Enter*>(context))(thread); }, &enter, team_.threads});
  }

  // Brings the visited bits of `targets` up to date, leaves in `result` what is to be expanded next, and returns how
  // many there are.
  std::uint64_t finish(Vertex* result)
  {
    std::size_t const turn = (round_ + 1) % 2;
    std::uint64_t count = 0;
    for (std::size_t number = 0; number < parts_.size(); ++number) {
      Part& part = parts_[number];
      take_in(number, turn, targets_.level);
      std::memmove(result + count, part.queues[turn], part.size * sizeof(Vertex));
      count += part.size;
    }
    team_.for_blocks(words_, words_per_stripe_, [&](std::uint64_t first, std::uint64_t last, int) {
      const Word* const visited = parts_[owners_[first / words_per_stripe_]].visited.data();
      std::memcpy(targets_.visited + first, visited + first, (last - first) * sizeof(Word));
    });
    return count;
  }

  // Between two levels: its owner knows, or is told already.
  bool reached(Vertex v) const
  {
    return !test_bit(targets_.never_waiting, v) && std::any_of(parts_.begin(), parts_.end(), [&](const Part& part) {
      return test_bit(part.visited.data(), v);
    });
  }

 private:
  // Few, because what lies next to a border is told; and enough for all parts to have their share of any region. A
  // stripe's length being a power of two, a part has from half as many on, and of an uneven number one more or less.
  static constexpr std::uint64_t most_stripes_per_part = 4;
  static constexpr std::uint64_t watches_before_help =
      100;  // some microseconds: a part that its thread has begun mostly is
  // Some hundred microseconds: a thread has lost its core, to a program that will want it again. For so many levels the
  // caller then does without the others.
  static constexpr std::uint64_t watches_before_worry = 10000, watches_for_vertex = 4;
  static constexpr std::uint32_t levels_alone = 512;
  static constexpr std::uint32_t closed = std::numeric_limits<std::uint32_t>::max();

  struct Told {
    Vertex vertex, by;
  };
  struct alignas(64) Box {
    std::vector<Told> items;
  };
  struct Part {
    // Written by who expands it and watched by the caller: on a line of its own.
    alignas(64) WatchedNumber finished{0};  // the last level that is
    StripedLevel level;
    // The last one that somebody took. The caller looks here only when it has waited for long.
    alignas(64) std::atomic<std::uint32_t> begun{0};

    alignas(64) std::uint64_t place = 0;   // of its room in a queue of all vertices
    std::array<Vertex*, 2> queues{};       // the frontier and what is found, taking turns
    std::uint64_t size = 0;                // of what was found last
    Buffer<Word> visited;                  // right for its own vertices; others have a bit where their owner was told
    std::array<std::vector<Box>, 2> told;  // in this level and in the one before, taking turns; by owner
  };

  static std::uint64_t parts_for(Team team) { return static_cast<std::uint64_t>(std::clamp(team.threads, 1, 64)); }
  std::size_t owner_of(Vertex v) const { return owners_[v >> stripe_shift_]; }

  void start(std::span<const Vertex> frontier, std::array<Vertex*, 2> queues)
  {
    round_ = 0;
    opened_.store(0, std::memory_order_relaxed);
    failed_.store(false, std::memory_order_relaxed);
    for (Part& part : parts_) {
      part.finished.store(0, std::memory_order_relaxed);
      part.begun.store(0, std::memory_order_relaxed);
      part.queues = {queues[0] + part.place, queues[1] + part.place};
      part.size = 0;
      for (auto& boxes : part.told)
        for (Box& box : boxes) box.items.clear();
    }
    for (Vertex const v : frontier) {
      Part& part = parts_[owner_of(v)];
      part.queues[1][part.size++] = v;
    }
    team_.for_blocks(words_, filled_at_a_time<Word>, [&](std::uint64_t first, std::uint64_t last, int) {
      for (Part& part : parts_)
        std::memcpy(part.visited.data() + first, targets_.visited + first, (last - first) * sizeof(Word));
    });
  }

  template <typename Next>
  void lead(Next& next)
  {
    struct Closing {
      WatchedNumber& opened;
      ~Closing()
      {
        opened.store(closed, std::memory_order_release);
        wake_all(opened);
      }
    } const closing{opened_};
    std::uint32_t together_from = 0;
    std::uint64_t worry = watches_before_worry;
    for (const Part& part : parts_) worry += watches_for_vertex * part.size;
    for (NextLevel how = NextLevel::together; how != NextLevel::none;) {
      ++round_;
      if (round_ < together_from) how = NextLevel::alone;
      if (how == NextLevel::together) {
        opened_.store(round_, std::memory_order_release);
        wake_all(opened_);
      }
      expand_if_not_begun(0, round_);
      for (std::size_t number = 1; number < parts_.size(); ++number)
        if (how == NextLevel::alone || !is_finished(parts_[number], watches_before_help))
          expand_if_not_begun(number, round_);
      StripedLevel level;
      for (Part& part : parts_) {
        if (!is_finished(part, worry)) together_from = round_ + levels_alone;
        for (std::uint32_t last; (last = part.finished.load(std::memory_order_acquire)) != round_;)
          wait_while(part.finished, last, true);
        level.frontier += part.level.frontier;
        level.found += part.level.found;
        level.told += part.level.told;
        level.checked += part.level.checked;
      }
      if (failed_.load(std::memory_order_relaxed)) return;                             // who failed has thrown
      worry = watches_before_worry + watches_for_vertex * (level.found + level.told);  // all may be one part's
      how = next(level);
      if (how != NextLevel::none) ++targets_.level;
    }
  }

  bool is_finished(const Part& part, std::uint64_t watches) const
  {
    for (std::uint64_t i = 0; i < watches; ++i) {
      if (part.finished.load(std::memory_order_acquire) == round_) return true;
      relax_core();
    }
    return false;
  }

  void follow(std::size_t number)
  {
    for (std::uint32_t seen = 0;;) {
      wait_while(opened_, seen, true);
      seen = opened_.load(std::memory_order_acquire);
      if (seen == closed) return;
      expand_if_not_begun(number, seen);
    }
  }

  void expand_if_not_begun(std::size_t number, std::uint32_t round)
  {
    Part& part = parts_[number];
    std::uint32_t before = round - 1;
    if (part.begun.load(std::memory_order_relaxed) != before) return;
    if (!part.begun.compare_exchange_strong(before, round, std::memory_order_acq_rel)) return;
    auto const finish = [&] {
      part.finished.store(round, std::memory_order_release);
      wake_one(part.finished);
    };
    try {
      expand(number, round);
    } catch (...) {
      failed_.store(true, std::memory_order_relaxed);
      finish();
      throw;
    }
    finish();
  }

  void expand(std::size_t number, std::uint32_t round)
  {
    Part& part = parts_[number];
    std::size_t const turn = round % 2;
    for (Box& box : part.told[turn]) box.items.clear();
    take_in(number, turn, targets_.level - 1);

    StripedLevel level;
    level.frontier = part.size;
    Targets<Parent> own = targets_;
    own.visited = part.visited.data();
    auto const tell_owner = [&, owners = owners_.data(), shift = stripe_shift_](Vertex v, Vertex by) {
      std::size_t const owner = owners[v >> shift];
      if (owner == number) return false;
      part.told[turn][owner].items.push_back({v, by});
      ++level.told;
      return true;
    };
    SubgraphView const graph = graph_;
    level.found = push_alone(graph, {part.queues[turn], part.size}, labels_, own, part.queues[1 - turn], level.checked,
                             tell_owner);
    part.size = level.found;
    part.level = level;
  }

  // What others told in the level before joins the frontier.
  void take_in(std::size_t number, std::size_t turn, std::int32_t level)
  {
    Part& part = parts_[number];
    for (const Part& other : parts_) {
      for (auto const [v, by] : other.told[1 - turn][number].items) {
        if (test_bit(part.visited.data(), v)) continue;
        set_bit(part.visited.data(), v);
        targets_.settle(v, labels_(by), level);
        part.queues[turn][part.size++] = v;
      }
    }
  }

  Team team_;
  std::uint64_t words_;  // of the bits of all vertices
  std::uint64_t words_per_stripe_;
  unsigned stripe_shift_;
  std::vector<Part> parts_;
  std::vector<std::uint8_t> owners_;  // by stripe: asked for every vertex found, where a division would be felt
  SubgraphView graph_{};
  LabelsView labels_;
  Targets<Parent> targets_{};  // of the search that runs
  std::uint32_t round_ = 0;    // the level, from 1 in every run
  alignas(64) WatchedNumber opened_{0};
  std::atomic<bool> failed_{false};
};

}  // namespace brushfire::cpu
