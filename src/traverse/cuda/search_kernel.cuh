// A whole search in one launch: a persistent grid that runs level after level, with one to four barriers over the grid
// per level: one where a small frontier is pushed, one more for each of gathering, cutting and clearing.
//
// Every block keeps its own cursor and computes the next one from the tally of the level, so nobody waits for a
// decision. Three tallies take turns: one is being filled, one was filled by the level before and is being read, one is
// cleared for the next level; whoever reads a tally has passed the barrier after which it is cleared. Levels with a
// small frontier are run by one block alone while the others wait: a path of a million levels needs no barrier over the
// grid.
#pragma once

#include "traverse/cuda/decide.cuh"
#include "traverse/cuda/discoveries.cuh"
#include "traverse/cuda/lean.cuh"
#include "traverse/cuda/pull.cuh"
#include "traverse/cuda/push.cuh"
#include "traverse/cuda/trickle.cuh"

#include <cooperative_groups.h>

#include <type_traits>

namespace brushfire::cuda {

// What a launch starts with. What continues has been enqueued behind a first pull before anybody knew whether there is
// one: without one it ends at once. What resumes does so after the host has read the log.
enum class Launch : std::uint8_t { begins, resumes, continues };

// Shared memory of a block.
template <unsigned warps, bool has_lean_levels>
struct BlockMemory {
  Cursor cursor;
  LevelPlan plan;
  LevelTally tally;  // of this block in the current level
  LeanCursor lean;
  LeanNotes lean_notes;
  std::uint32_t staged[warps][staged_per_warp];
  union {
    PullMemory pull[warps];
    std::conditional_t<has_lean_levels, LeanPart, char> lean_part;
  };
};

// Clears what a search starts from, and puts the root in. Parents are not cleared here: a pull does that on its way.
// Every thread of the grid takes part.
template <typename Parent>
__device__ void start_search(const SearchView<Parent>& view)
{
  std::uint64_t const threads = std::uint64_t{gridDim.x} * blockDim.x;
  std::uint64_t const thread = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (view.levels != nullptr)
    for (std::uint64_t v = thread; v < view.vertices; v += threads) view.levels[v] = unreached;
  for (std::uint64_t w = thread; w < view.words; w += threads)
    view.visited[w] = view.never[w] | (w == view.root / 32 ? 1u << (view.root % 32) : 0);
  if (blockIdx.x != 0) return;
  auto* const tallies = reinterpret_cast<unsigned*>(view.tallies);
  for (unsigned i = threadIdx.x; i < 3 * sizeof(LevelTally) / sizeof(unsigned); i += blockDim.x) tallies[i] = 0;
  if (threadIdx.x == 0) (view.out.length(view.row_of(view.root)) >= long_list ? view.longs : view.queue)[0] = view.root;
}

// What has to be there before a level: the frontier in the queue, if it pushes and the level before has left bits only;
// the bits as they are now, if it pulls. Every thread of the grid takes part.
template <typename Parent>
__device__ void prepare_level(const SearchView<Parent>& view, const LevelPlan& plan, bool gathers,
                              Discoveries<Parent>& gathered)
{
  std::uint32_t const pushed_from = min(plan.pulled_below[0], plan.pulled_below[1]);
  std::uint64_t const threads = std::uint64_t{gridDim.x} * blockDim.x;
  std::uint64_t const first = std::uint64_t{blockIdx.x} * blockDim.x + warp_id() * warp_threads;
  for (std::uint64_t base = first; base < view.words; base += threads) {
    std::uint64_t const w = base + lane_id();
    std::uint32_t visited = 0, fresh = 0;
    if (w < view.words) {
      visited = __ldcg(view.visited + w) & ~view.never[w];
      if (gathers) fresh = visited & ~view.before[w];
      if (plan.pulls) view.before[w] = visited | (w == view.root / 32 ? 1u << (view.root % 32) : 0);
    }
    if (!gathers) continue;
    if (gathered.passes_unmeasured(base * 32)) {
      gathered.enqueue_bits(base * 32 >= pushed_from ? fresh : 0, static_cast<std::uint32_t>(w * 32));
      continue;
    }
    for (unsigned words = __ballot_sync(all_lanes, fresh != 0); words != 0; words &= words - 1) {
      unsigned const k = __ffs(words) - 1;
      std::uint32_t const slot = static_cast<std::uint32_t>((base + k) * 32 + lane_id());
      bool const wanted = (__shfl_sync(all_lanes, fresh, k) >> lane_id() & 1) != 0 && slot >= pushed_from;
      std::uint32_t const slots[] = {slot};
      ListLength const lengths[] = {wanted ? gathered.measure(slot) : ListLength{}};
      gathered.enqueue(wanted, slots, lengths);
    }
  }
}

// What comes before the work of a level that the whole grid does.
template <typename Parent, typename Memory>
__device__ void prepare_wide_level(const SearchView<Parent>& view, Memory& block, LevelTally& tally,
                                   const cooperative_groups::grid_group& grid)
{
  if (blockIdx.x == 0) clear(view.tallies[(block.cursor.tally + 2) % 3], threadIdx.x, blockDim.x);
  bool const gathers = block.plan.pushes && !block.cursor.has_queue;
  if (gathers || block.plan.pulls) {
    QueueEnd const queue{block.cursor.queue_begin, block.cursor.longs_begin, &tally.gathered, &tally.gathered_longs};
    Discoveries<Parent> gathered(view, block.tally, block.staged[warp_id()], queue);
    prepare_level(view, block.plan, gathers, gathered);
    gathered.finish();
    grid.sync();
    if (gathers && threadIdx.x == 0) {
      block.cursor.queue_count = __ldcg(&tally.gathered);
      block.cursor.longs_count = __ldcg(&tally.gathered_longs);
    }
    __syncthreads();
  }
  if (block.plan.cuts && block.cursor.longs_count != 0) {
    cut_long_lists(view, block.cursor, block.plan, warp_id() * gridDim.x + blockIdx.x, gridDim.x * warps_of_block(),
                   &tally.pieces);
    grid.sync();
  }
}

// One level, by the whole grid or by this block alone. The tally that it leaves in the block's memory is that of the
// level. A level whose pull is for other kernels is only prepared; when they have made it, only what is left is done.
template <typename Parent, typename Memory>
__device__ void run_level(const SearchView<Parent>& view, Memory& block, const cooperative_groups::grid_group& grid)
{
  bool const alone = block.plan.mode == Mode::narrow;
  LevelTally& tally = alone ? block.tally : view.tallies[(block.cursor.tally + 1) % 3];
  clear(block.tally, threadIdx.x, blockDim.x);
  __syncthreads();
  if (!alone && !block.cursor.pulled) prepare_wide_level(view, block, tally, grid);
  bool const pulls = block.plan.pulls && !block.cursor.pulled;
  if (pulls && block.plan.apart) {
    if (threadIdx.x == 0) {
      block.cursor.pulling = true;
      if (blockIdx.x == 0) *view.plan = block.plan;
    }
    __syncthreads();
    return;
  }

  unsigned const warps = (alone ? 1 : gridDim.x) * warps_of_block();
  QueueEnd const queue = block.plan.pulls ? QueueEnd{} : queue_after(block.cursor, tally);
  Discoveries<Parent> found(view, block.tally, block.staged[warp_id()], queue);
  // Neighbouring shares go to different blocks, so that a dense stretch, or a small level, keeps the whole GPU busy.
  unsigned const warp = alone ? warp_id() : warp_id() * gridDim.x + blockIdx.x;
  if (pulls) pull_waiting(view, block.cursor.level, block.plan, warp, warps, block.pull[warp_id()], found);
  // What a push writes must not be cleared afterwards.
  if (pulls && block.plan.clears && block.plan.pushes) grid.sync();
  if (block.plan.pushes)
    push_frontier(view, block.cursor, block.plan, alone ? 0 : __ldcg(&tally.pieces), warp, warps, found);
  found.finish();
  __syncthreads();
  if (alone) return;
  add_block_tally(block.tally, tally);
  grid.sync();
  // All of it at once: one look after another would take longer than the rest of advance().
  auto const* const from = reinterpret_cast<const unsigned*>(&tally);
  auto* const to = reinterpret_cast<unsigned*>(&block.tally);
  for (unsigned i = threadIdx.x; i < sizeof(LevelTally) / sizeof(unsigned); i += blockDim.x) to[i] = __ldcg(from + i);
  if (threadIdx.x == 0) block.cursor.tally = (block.cursor.tally + 1) % 3;
  __syncthreads();
}

// Gives the delegates' vertices their parents, and -1 to all normal vertices without one if no pull did it on its way.
// Every thread of the grid takes part.
template <typename Parent>
__device__ void finish_parents(const SearchView<Parent>& view, bool cleared, const cooperative_groups::grid_group& grid)
{
  std::uint64_t const threads = std::uint64_t{gridDim.x} * blockDim.x;
  std::uint64_t const thread = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  auto const reached = [&](std::uint32_t slot) {
    std::uint32_t const word = __ldcg(view.visited + slot / 32) & ~view.never[slot / 32];
    return (word >> (slot % 32) & 1) != 0 || slot == view.root;
  };
  if (!cleared) {
    for (std::uint64_t v = thread; v < view.vertices; v += threads)
      if (!reached(view.normal_base + static_cast<std::uint32_t>(v))) view.parents[v] = static_cast<Parent>(no_label);
    grid.sync();  // the vertices of delegates are among them
  }
  // In the order of their vertices: what is written lies side by side. Loads of a few are under way at the same time,
  // none behind a branch.
  constexpr unsigned in_flight = 4;
  for (std::uint64_t base = thread; base < view.delegates; base += in_flight * threads) {
    Vertex homes[in_flight], ranks[in_flight];
#pragma unroll
    for (unsigned k = 0; k < in_flight; ++k) {
      std::uint64_t const i = base + k * threads;
      homes[k] = i < view.delegates ? view.homes[i] : no_vertex;
      ranks[k] = i < view.delegates ? view.ranks_of_homes[i] : 0;
    }
    Parent parents[in_flight];
    bool found[in_flight];
#pragma unroll
    for (unsigned k = 0; k < in_flight; ++k) {
      parents[k] = view.delegate_parents[ranks[k]];
      found[k] = reached(ranks[k]);
    }
#pragma unroll
    for (unsigned k = 0; k < in_flight; ++k)
      if (homes[k] != no_vertex) view.parents[homes[k]] = found[k] ? parents[k] : static_cast<Parent>(no_label);
  }
}

// Cooperative launch. Runs until the search is finished, `most_levels` are logged, or a level is for other kernels.
// `lean`: there may be lean levels, whose code costs the others registers, and which need all that one block can have:
// a spilled one is one more memory access to wait for.
template <typename Parent, bool lean>
__global__ __launch_bounds__(search_shape<lean>.threads, search_shape<lean>.blocks) void search_levels(
    const __grid_constant__ SearchView<Parent> view, Launch launch, unsigned most_levels, LaunchSummary* summary,
    LevelLog* log_on_host)
{
  __shared__ BlockMemory<search_shape<lean>.warps(), lean> block;
  auto const grid = cooperative_groups::this_grid();
  if (launch == Launch::continues && !view.cursor->pulling) return;
  if (launch == Launch::begins) {
    start_search(view);
    grid.sync();
    if (blockIdx.x == 0 && threadIdx.x == 0) view.settle(view.root, view.vertex_of(view.root), 0);
    if (warp_id() == 0) place_at_root(view, block.cursor);
  } else {
    copy_cursor(*view.cursor, block.cursor);
    if (threadIdx.x == 0) {
      block.cursor.pulled = block.cursor.pulling;
      block.cursor.pulled_apart |= block.cursor.pulling;
      block.cursor.pulling = false;
      if (launch == Launch::resumes) {
        block.cursor.logged = 0;
        block.cursor.started = nanoseconds_now();
      }
    }
    grid.sync();  // everybody has read the cursor before anybody writes it
  }
  __syncthreads();
  if (warp_id() == 0) decide(view, block.cursor, block.plan);
  __syncthreads();
  // A tail is left to another kernel, but for its first level, which may be what that one stopped at.
  unsigned const first_logged = block.cursor.logged;
  auto const trickles = [&] { return block.cursor.logged > first_logged && may_trickle(view, block.cursor); };
  auto const goes_on = [&] { return !block.cursor.finished && block.cursor.logged < most_levels && !trickles(); };
  while (goes_on()) {
    Mode const mode = block.plan.mode;
    if (mode == Mode::lean) {
      if constexpr (lean)
        run_lean_levels(view, block.cursor, block.lean, block.lean_part, block.lean_notes, most_levels, grid);
    } else if (mode == Mode::narrow && blockIdx.x != 0) {
      grid.sync();  // until block 0 is through with its narrow levels
      copy_cursor(*view.cursor, block.cursor);
    } else {
      run_level(view, block, grid);
      if (block.cursor.pulling) break;
      if (warp_id() == 0) advance(view, block.plan, block.tally, block.cursor, blockIdx.x == 0);
      __syncthreads();
    }
    if (warp_id() == 0) decide(view, block.cursor, block.plan);
    __syncthreads();
    bool const stays_narrow = block.plan.mode == Mode::narrow && goes_on();
    if (mode == Mode::narrow && blockIdx.x == 0 && !stays_narrow) {
      copy_cursor(block.cursor, *view.cursor);
      grid.sync();
    }
  }
  if (block.cursor.finished) finish_parents(view, block.cursor.cleared, grid);
  if (blockIdx.x != 0) return;
  // Others may still read view.cursor: they find what is there already.
  copy_cursor(block.cursor, *view.cursor);
  if (threadIdx.x == 0)
    *summary = {block.cursor.reached,
                block.cursor.level,
                block.cursor.logged,
                block.cursor.finished,
                block.cursor.pulling,
                block.cursor.pulled_apart,
                !block.cursor.finished && !block.cursor.pulling && trickles()};
  for (unsigned i = threadIdx.x; i < block.cursor.logged; i += blockDim.x) log_on_host[i] = view.log[i];
}

}  // namespace brushfire::cuda
