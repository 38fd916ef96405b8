// Pull: every waiting vertex looks for a parent among the sources below the limit. A warp takes up to 32 words of
// visited bits at a time and works by itself, so that none waits for another. First the waiting vertices ask their
// first neighbour, from an array where neighbours stand side by side: on skewed graphs that settles most. The others
// are listed until there are enough to keep all lanes busy, and ask the next four, which stand in an array too. Who is
// still open walks its list, four entries a load, lane by lane, each taking the next vertex as soon as it is done with
// one; what remains after a while is walked by the whole warp. Where not most vertices wait they are listed before they
// are asked: word by word most lanes would be idle.
//
// Instructions count: ncu saw them take 38 % of all issue slots (H200, scale 26) when every word had its own addresses
// and branches. So what is the same for all targets of a call is a template parameter or hoisted. Loads of a group are
// all under way before its first store: the compiler may not move a load across one.
#pragma once

#include "traverse/cuda/discoveries.cuh"

namespace brushfire::cuda {

constexpr unsigned words_in_flight = 8;   // first neighbours a lane waits for at the same time
constexpr unsigned listed_in_flight = 4;  // the same of those who are listed
constexpr unsigned most_pending = 384;    // vertices that a warp lists
constexpr unsigned most_listed = 320;     // waiting vertices of the words that it takes at a time
constexpr unsigned few_waiting = 64;      // in the words that a warp takes at a time
constexpr unsigned loads_alone = 8;       // of four entries, before the warp takes over

// Shared memory of a warp that pulls.
struct PullMemory {
  std::uint32_t pending[most_pending];  // slots
  std::uint16_t listed[most_listed];    // vertices of the words in hand, counted from their first
  std::uint32_t hits[warp_threads];     // bits of those words
};

// The entries of a list that a pull may look at.
struct PulledList {
  EdgeIndex next = 0;   // not looked at yet
  EdgeIndex split = 0;  // entries before it are delegates
  EdgeIndex last = 0;
};

// `clears`: normal vertices that stay without a parent get -1 on the way.
template <typename View, typename Found, bool clears>
class WarpPull {
  using Parent = typename View::Parent;

 public:
  // `kind` 0: delegates look for a parent, 1: normal vertices.
  __device__ WarpPull(const View& view, const LevelPlan& plan, int kind, std::int32_t level, PullMemory& memory,
                      Found& found)
      : view_(view),
        found_(found),
        parents_(kind == 0 ? view.delegate_parents : view.parents - view.normal_base),
        memory_(memory),
        limit_(plan.pulled_below[kind]),
        level_(level),
        whole_(plan.limits[kind] > normal_class)
  {
  }

  // The words from `first_word` to `last_word`, at most 32; all lanes together.
  __device__ void run(std::uint32_t first_word, std::uint32_t last_word)
  {
    std::uint32_t const word = first_word + lane_id();
    bool const exists = word < last_word;
    std::uint32_t const visited = exists ? __ldcg(view_.visited + word) | found_.left_out(word) : ~0u;
    if constexpr (!clears) {
      unsigned const waiting = sum_for_all_lanes(__popc(~visited));
      if (waiting == 0) return;
      bool const listed = waiting <= few_waiting;
      if (pending_count_ != 0 && listed != unasked_) walk_lists();
      unasked_ = listed;
      if (listed) {
        list_waiting(word * 32, ~visited, waiting);
        return;
      }
      if (waiting <= most_listed) {
        ask_listed(first_word * 32, ~visited, waiting);
        add_hits(memory_.hits[lane_id()], word);
        return;
      }
    }
    std::uint32_t unreached_bits = ~visited;
    if (clears && exists) {
      unreached_bits |= view_.never[word];
      if (word == view_.root / 32) unreached_bits &= ~(1u << (view_.root % 32));
    }
    unsigned const words = __ballot_sync(all_lanes, unreached_bits != 0);
    hits_ = 0;
#pragma unroll 1
    for (unsigned group = 0; group < warp_threads; group += words_in_flight) {
      if ((words >> group) % (1u << words_in_flight) == 0) continue;
      if (pending_count_ > most_pending - words_in_flight * 32) walk_lists();
      ask_first_neighbours(first_word * 32, group, visited, unreached_bits);
    }
    add_hits(hits_, word);
  }

  // The same where first neighbours have been asked: `open` are the vertices of this lane's word that they left.
  __device__ void run_open(std::uint32_t first_word, std::uint32_t open)
  {
    std::uint32_t const slot = (first_word + lane_id()) * 32;
    if (unsigned const waiting = sum_for_all_lanes(__popc(open)); waiting <= most_pending) {
      if (waiting != 0) list_waiting(slot, open, waiting);
      return;
    }
    constexpr unsigned words_at_a_time = most_pending / 32;
#pragma unroll 1
    for (unsigned group = 0; group < warp_threads; group += words_at_a_time) {
      std::uint32_t const some = lane_id() / words_at_a_time == group / words_at_a_time ? open : 0;
      list_waiting(slot, some, sum_for_all_lanes(__popc(some)));
    }
  }

  // After the last words.
  __device__ void finish()
  {
    walk_lists();
    found_.add_checked(checked_);
  }

 private:
  // A vertex may have been claimed by a push in the meantime: both parents are right, and it is counted once.
  __device__ void add_hits(std::uint32_t bits, std::uint32_t word)
  {
    if (bits != 0) found_.add_word(bits & ~atomicOr(view_.visited + word, bits), word * 32);
  }

  // The slots of this lane's `bits`; all lanes have `waiting` of them.
  __device__ void list_waiting(std::uint32_t first_slot, std::uint32_t bits, unsigned waiting)
  {
    if (pending_count_ + waiting > most_pending) walk_lists();
    unsigned const end = sum_up_to_lane(__popc(bits));
    for (unsigned at = pending_count_ + end - __popc(bits); bits != 0; bits &= bits - 1)
      memory_.pending[at++] = first_slot + __ffs(bits) - 1;
    pending_count_ += waiting;
  }

  // As ask_first_neighbours, but those who wait are listed first, so that all lanes have one to ask for. Leaves in
  // memory_.hits who was settled, by word. `bits` are those of this lane's word.
  __device__ void ask_listed(std::uint32_t first_slot, std::uint32_t bits, unsigned waiting)
  {
    unsigned const end = sum_up_to_lane(__popc(bits));
    for (unsigned at = end - __popc(bits); bits != 0; bits &= bits - 1)
      memory_.listed[at++] = static_cast<std::uint16_t>(lane_id() * 32 + __ffs(bits) - 1);
    memory_.hits[lane_id()] = 0;
    __syncwarp();
#pragma unroll 1
    for (unsigned base = 0; base < waiting; base += listed_in_flight * warp_threads) {
      if (pending_count_ > most_pending - listed_in_flight * warp_threads) walk_lists();
      unsigned places[listed_in_flight];
      std::uint32_t firsts[listed_in_flight];
#pragma unroll
      for (unsigned k = 0; k < listed_in_flight; ++k) {
        unsigned const i = base + k * warp_threads + lane_id();
        places[k] = i < waiting ? memory_.listed[i] : 0;
        firsts[k] = i < waiting ? __ldcs(view_.firsts + first_slot + places[k]) : no_vertex;
      }
      auto const [asked, settled] = ask(firsts);
#pragma unroll
      for (unsigned k = 0; k < listed_in_flight; ++k) {
        if ((settled >> k & 1) != 0) {
          settle(first_slot + places[k], firsts[k]);
          atomicOr(&memory_.hits[places[k] / 32], 1u << (places[k] % 32));
        }
        bool const open = (asked & ~settled) >> k & 1;
        unsigned const opens = __ballot_sync(all_lanes, open);
        if (open) memory_.pending[pending_count_ + __popc(opens & lanes_below())] = first_slot + places[k];
        pending_count_ += __popc(opens);
      }
    }
    __syncwarp();
  }

  // Bit k: for the vertex whose first neighbour is number k.
  struct Answers {
    unsigned asked, settled;
  };

  // Slots of first neighbours, no_vertex where nobody asks; those that were visited become the vertices they are.
  template <unsigned count>
  __device__ Answers ask(std::uint32_t (&firsts)[count])
  {
    Answers answers{0, 0};
#pragma unroll
    for (unsigned k = 0; k < count; ++k) {
      if (firsts[k] >= limit_) continue;
      answers.asked |= 1u << k;
      if (was_visited(firsts[k])) answers.settled |= 1u << k;
    }
    checked_ += __popc(answers.asked);
#pragma unroll
    for (unsigned k = 0; k < count; ++k)
      if ((answers.settled >> k & 1) != 0) firsts[k] = view_.vertex_of(firsts[k]);
    return answers;
  }

  // When the level started.
  __device__ bool was_visited(std::uint32_t slot) const { return (view_.before[slot / 32] >> (slot % 32) & 1) != 0; }

  __device__ void settle(std::uint32_t slot, Vertex parent) const
  {
    view_.put(parents_, slot, view_.label_of(parent));
    if (view_.levels != nullptr) view_.levels[view_.vertex_of(slot)] = level_;
  }

  __device__ void ask_first_neighbours(std::uint32_t first_slot, unsigned group, std::uint32_t visited,
                                       std::uint32_t unreached_bits)
  {
    std::uint32_t const slot = first_slot + group * 32 + lane_id();  // of the first word; the others follow by 32
    std::uint32_t firsts[words_in_flight];
#pragma unroll
    for (unsigned k = 0; k < words_in_flight; ++k) {
      bool const waits = (__shfl_sync(all_lanes, visited, group + k) >> lane_id() & 1) == 0;
      // Streamed past the L1 cache, which is for the bits.
      firsts[k] = waits ? __ldcs(view_.firsts + slot + 32 * k) : no_vertex;
    }
    auto const [asked, settled] = ask(firsts);
#pragma unroll
    for (unsigned k = 0; k < words_in_flight; ++k) {
      if ((settled >> k & 1) != 0) settle(slot + 32 * k, firsts[k]);
      if constexpr (clears) {
        bool const rest = (__shfl_sync(all_lanes, unreached_bits, group + k) >> lane_id() & ~(settled >> k) & 1) != 0;
        if (rest && slot + 32 * k < view_.slots) parents_[slot + 32 * k] = static_cast<Parent>(no_label);
      }
    }
    unsigned const open = asked & ~settled;
#pragma unroll
    for (unsigned k = 0; k < words_in_flight; ++k) {
      unsigned const hits = __ballot_sync(all_lanes, (settled >> k & 1) != 0);
      if (lane_id() == group + k) hits_ = hits;
      unsigned const opens = __ballot_sync(all_lanes, (open >> k & 1) != 0);
      if ((open >> k & 1) != 0) memory_.pending[pending_count_ + __popc(opens & lanes_below())] = slot + 32 * k;
      pending_count_ += __popc(opens);
    }
  }

  __device__ PulledList list_of(std::uint32_t slot) const
  {
    std::uint32_t const row = view_.row_of(slot);
    EdgeIndex const start = view_.in.first(row);
    EdgeIndex const split = start + view_.in.delegate_length(row);
    // The first and the next were asked already.
    return {start + 1 + next_sources, split, whole_ ? start + view_.in.length(row) : split};
  }

  __device__ void claim(std::uint32_t slot, std::uint32_t parent)
  {
    std::uint32_t const bit = 1u << (slot % 32);
    Vertex const vertex = view_.vertex_of(parent);
    if ((atomicOr(view_.visited + slot / 32, bit) & bit) != 0) return;
    settle(slot, vertex);
    found_.add(slot, found_.measure(slot));
  }

  // Pending vertices ask the four sources after their first, and that one too if they are unasked. Who finds no parent
  // and may have more sources stays pending.
  __device__ void ask_next_sources()
  {
    __syncwarp();
    unsigned left = 0;
#pragma unroll 1
    for (unsigned base = 0; base < pending_count_; base += warp_threads) {
      bool const any = base + lane_id() < pending_count_;
      std::uint32_t const slot = any ? memory_.pending[base + lane_id()] : 0;
      std::uint32_t sources[1 + next_sources] = {no_vertex, no_vertex, no_vertex, no_vertex, no_vertex};
      if (any) {
        uint4 const next = __ldcs(reinterpret_cast<const uint4*>(view_.nexts + view_.row_of(slot)));
        if (unasked_) sources[0] = __ldcs(view_.firsts + slot);
        sources[1] = next.x, sources[2] = next.y, sources[3] = next.z, sources[4] = next.w;
      }
      std::uint32_t words[1 + next_sources];
#pragma unroll
      for (unsigned k = 0; k < 1 + next_sources; ++k) {
        words[k] = sources[k] < limit_ ? view_.before[sources[k] / 32] : 0;
        checked_ += sources[k] < limit_;
      }
      std::uint32_t parent = no_vertex;
#pragma unroll
      for (int k = next_sources; k >= 0; --k)
        if ((words[k] >> (sources[k] % 32) & 1) != 0) parent = sources[k];
      if (parent != no_vertex) claim(slot, parent);
      bool const open = parent == no_vertex && sources[next_sources] < limit_;
      unsigned const opens = __ballot_sync(all_lanes, open);  // all have read their slots: those before may be written
      if (open) memory_.pending[left + __popc(opens & lanes_below())] = slot;
      left += __popc(opens);
    }
    pending_count_ = left;
    __syncwarp();
  }

  // Lane by lane; a lane that is done takes the next pending vertex.
  __device__ void walk_lists()
  {
    ask_next_sources();
    PulledList list;
    std::uint32_t slot = 0;
    unsigned loads = 0, taken = 0;
    bool walking = false;
    for (;;) {
      unsigned const idle = __ballot_sync(all_lanes, !walking);
      if (idle == all_lanes && taken >= pending_count_) break;
      if (unsigned const mine = taken + __popc(idle & lanes_below()); !walking && mine < pending_count_) {
        slot = memory_.pending[mine];
        list = list_of(slot);
        loads = 0;
        walking = list.next < list.last;
      }
      taken += __popc(idle);
      if (walking) {
        bool passed = false;
        std::uint32_t const parent = find_in_four(list, passed);
        if (parent != no_vertex) claim(slot, parent);
        list.next = (list.next & ~EdgeIndex{3}) + 4;
        ++loads;
        walking = parent == no_vertex && !passed && list.next < list.last;
      }
      unsigned tired = __ballot_sync(all_lanes, walking && loads == loads_alone);
      for (; tired != 0; tired &= tired - 1) {
        unsigned const owner = __ffs(tired) - 1;
        walk_together(owner, slot, list);
        if (lane_id() == owner) walking = false;
      }
    }
    pending_count_ = 0;
    __syncwarp();
  }

  // The slot of a parent among four entries, no_vertex without one; `passed` when the list is over. All four are asked
  // at once: waiting for one answer before the next question takes longer.
  __device__ std::uint32_t find_in_four(const PulledList& list, bool& passed)
  {
    EdgeIndex const aligned = list.next & ~EdgeIndex{3};
    std::uint32_t four[4] = {0, 0, 0, 0};
    if (aligned + 4 <= view_.entries_in) {
      uint4 const loaded = __ldcs(reinterpret_cast<const uint4*>(view_.in.targets + aligned));
      four[0] = loaded.x, four[1] = loaded.y, four[2] = loaded.z, four[3] = loaded.w;
    } else {
      for (unsigned i = 0; i < 4; ++i)
        if (aligned + i < view_.entries_in) four[i] = view_.in.targets[aligned + i];
    }
    auto const begin = static_cast<unsigned>(list.next - aligned);
    auto const end = static_cast<unsigned>(min(list.last - aligned, EdgeIndex{4}));
    auto const split = static_cast<unsigned>(list.split > aligned ? min(list.split - aligned, EdgeIndex{4}) : 0);
    std::uint32_t parent = no_vertex;
    unsigned asked = 0;
    std::uint32_t words[4];
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
      if (i >= split) four[i] += view_.normal_base;
      bool const asks = i >= begin && i < end && four[i] < limit_;
      words[i] = asks ? view_.before[four[i] / 32] : 0;
      asked += asks;
    }
#pragma unroll
    for (int i = 3; i >= 0; --i)
      if ((words[i] >> (four[i] % 32) & 1) != 0) parent = four[i];
    passed = asked < 4 - begin;
    checked_ += asked;
    return parent;
  }

  // The rest of one lane's list, by all lanes.
  __device__ void walk_together(unsigned owner, std::uint32_t its_slot, const PulledList& its_list)
  {
    std::uint32_t const slot = __shfl_sync(all_lanes, its_slot, owner);
    EdgeIndex const split = __shfl_sync(all_lanes, its_list.split, owner);
    EdgeIndex const last = __shfl_sync(all_lanes, its_list.last, owner);
    EdgeIndex const next = __shfl_sync(all_lanes, its_list.next, owner);  // a multiple of four by now
    for (EdgeIndex base = next; base < last; base += 4 * warp_threads) {
      PulledList const four{base + 4 * lane_id(), split, last};
      bool passed = four.next >= last;
      std::uint32_t const parent = passed ? no_vertex : find_in_four(four, passed);
      if (unsigned const hits = __ballot_sync(all_lanes, parent != no_vertex); hits != 0) {
        if (lane_id() == __ffs(hits) - 1) claim(slot, parent);
        return;
      }
      if (__any_sync(all_lanes, passed)) return;  // past the limit: sources rise within a list
    }
  }

  const View& view_;
  Found& found_;
  Parent* parents_;  // by slot
  PullMemory& memory_;
  std::uint32_t limit_;  // sources from here on are pushed
  std::int32_t level_;
  bool whole_;                  // lists are walked to their end, past their delegates
  std::uint32_t hits_ = 0;      // bits of this lane's word that first neighbours have settled
  unsigned pending_count_ = 0;  // the same in all lanes
  bool unasked_ = false;        // who is pending has not asked its first neighbour yet; likewise
  unsigned checked_ = 0;
};

// Words from `first` to `last`, `at_a_time`, by all warps in turn.
template <typename Pull>
__device__ void pull_words(Pull pull, std::uint32_t first, std::uint32_t last, std::uint32_t at_a_time, unsigned warp,
                           unsigned warps)
{
  for (std::uint64_t word = first + std::uint64_t{warp} * at_a_time; word < last;
       word += std::uint64_t{warps} * at_a_time)
    pull.run(static_cast<std::uint32_t>(word), min(static_cast<std::uint32_t>(word) + at_a_time, last));
  pull.finish();
}

// How many words a warp takes at a time so that all are through together: of the sizes that fill their groups the one
// with which the last of them has least to do. A share costs as much as half a group, whatever is in it.
__device__ inline std::uint32_t even_share(std::uint32_t words, unsigned warps)
{
  if (words <= warps * words_in_flight) return max(1u, (words + warps - 1) / warps);
  std::uint32_t best = 0, least_work = ~0u;
  for (std::uint32_t at_a_time = warp_threads; at_a_time != 0; at_a_time -= words_in_flight) {
    std::uint32_t const rounds = (words - 1) / (at_a_time * warps) + 1;
    std::uint32_t const work = rounds * (2 * at_a_time / words_in_flight + 1);  // in halves of a group
    if (work < least_work) best = at_a_time;
    least_work = min(least_work, work);
  }
  return best;
}

// The share of `warp` of `warps`.
template <typename View, typename Found>
__device__ void pull_waiting(const View& view, std::int32_t level, const LevelPlan& plan, unsigned warp, unsigned warps,
                             PullMemory& memory, Found& found)
{
  std::uint32_t const delegate_words = view.normal_base / 32;
#pragma unroll 1
  for (int kind = 0; kind < 2; ++kind) {
    if (plan.limits[kind] == 0) continue;
    std::uint32_t const first = kind == 0 ? 0 : delegate_words;
    std::uint32_t const last = kind == 0 ? delegate_words : view.words;
    // Delegates have the long lists: few at a time, so that all warps have some.
    std::uint32_t const words = last - first;
    std::uint32_t const at_a_time =
        kind == 0 ? min(warp_threads, max(1u, words / (4 * warps))) : even_share(words, warps);
    if (kind == 1 && plan.clears)
      pull_words(WarpPull<View, Found, true>(view, plan, kind, level + 1, memory, found), first, last, at_a_time, warp,
                 warps);
    else
      pull_words(WarpPull<View, Found, false>(view, plan, kind, level + 1, memory, found), first, last, at_a_time, warp,
                 warps);
  }
}

}  // namespace brushfire::cuda
