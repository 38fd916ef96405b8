// Labels rise with Vertices, so the smallest label is that of the smallest Vertex. Normal neighbours stand in rising
// order, and the first one a level up decides; delegate neighbours stand by rank, and all of them are compared.
// Delegates get a block each: their rows are the long ones, and the longest stand side by side.
#include "traverse/cuda/smallest_parents.hpp"

#include "build/cuda/rows_view.cuh"
#include "device/launch.cuh"

#include <brushfire/types.hpp>

namespace brushfire {

namespace {

inline constexpr std::uint32_t longest_for_thread = 64;

struct ChoiceView {
  RowsView rows;
  RowNumbersView numbers;
  const Vertex* delegate_vertices;
  const std::int32_t* levels;
  device::LabelsOnDevice labels;
  std::int64_t* wide;
  std::int32_t* narrow;  // one of the two

  __device__ void write(Vertex v, Vertex parent) const
  {
    if (parent == no_vertex) return;  // rows of an altered file that do not know each other
    Label const label = labels.table != nullptr ? labels.table[parent] : labels.first + parent;
    if (wide != nullptr)
      wide[v] = label;
    else
      narrow[v] = static_cast<std::int32_t>(label);
  }

  // The smallest parent among every `stride`-th entry of a row.
  __device__ Vertex smallest(std::uint32_t slot, std::int32_t above, unsigned first, unsigned stride) const
  {
    Vertex best = no_vertex;
    EdgeIndex const split = rows.split(slot), last = rows.last(slot);
    for (EdgeIndex e = rows.first(slot) + first; e < split; e += stride)
      if (Vertex const u = delegate_vertices[rows.targets[e]]; u < best && levels[u] == above) best = u;
    for (EdgeIndex e = split + first; e < last; e += stride) {
      Vertex const u = rows.targets[e];
      if (u >= best) break;  // and all after it
      if (levels[u] == above) best = u;
    }
    return best;
  }
};

// One row by the whole block; `best` is shared.
__device__ void choose_together(const ChoiceView& choice, std::uint32_t slot, Vertex v, Vertex& best)
{
  if (threadIdx.x == 0) best = no_vertex;
  __syncthreads();
  Vertex const mine = choice.smallest(slot, choice.levels[v] - 1, threadIdx.x, blockDim.x);
  if (mine != no_vertex) atomicMin(&best, mine);
  __syncthreads();
  if (threadIdx.x == 0) choice.write(v, best);
  __syncthreads();  // before `best` is reset
}

__global__ __launch_bounds__(device::block_threads) void choose_block_per_delegate(ChoiceView choice)
{
  __shared__ Vertex best;
  for (std::uint32_t rank = blockIdx.x; rank < choice.rows.delegates; rank += gridDim.x)
    if (Vertex const v = choice.delegate_vertices[rank]; choice.levels[v] > 0) choose_together(choice, rank, v, best);
}

// A thread per short row; the long ones of its 256 are then done by the block, one after the other.
__global__ __launch_bounds__(device::block_threads) void choose_thread_per_vertex(ChoiceView choice,
                                                                                  std::uint64_t vertices)
{
  __shared__ Vertex long_rows[device::block_threads];
  __shared__ unsigned long_count;
  __shared__ Vertex best;
  for (std::uint64_t tile = std::uint64_t{blockIdx.x} * blockDim.x; tile < vertices;
       tile += std::uint64_t{gridDim.x} * blockDim.x) {
    if (threadIdx.x == 0) long_count = 0;
    __syncthreads();
    auto const v = static_cast<Vertex>(tile + threadIdx.x);
    // A delegate, which is not written here, has no row as a Vertex, or an empty one.
    if (v < vertices && choice.levels[v] > 0 && choice.numbers.has_row(v)) {
      std::uint32_t const slot = choice.numbers.row_of(v), length = choice.rows.length(slot);
      if (length > longest_for_thread)
        long_rows[atomicAdd(&long_count, 1u)] = v;
      else if (length > 0)
        choice.write(v, choice.smallest(slot, choice.levels[v] - 1, 0, 1));
    }
    __syncthreads();
    for (unsigned i = 0; i < long_count; ++i)
      choose_together(choice, choice.numbers.row_of(long_rows[i]), long_rows[i], best);
    __syncthreads();  // before `long_count` is reset
  }
}

}  // namespace

void choose_smallest_parents(const DeviceLayout& layout, device::LabelsOnDevice labels, const std::int32_t* levels,
                             std::int64_t* wide_parents, std::int32_t* narrow_parents, const device::Stream& stream)
{
  constexpr std::uint64_t most_blocks = 1 << 16;
  ChoiceView const choice{rows_view(layout.pulled(), layout.delegates),
                          row_numbers(layout),
                          layout.delegate_vertices.data(),
                          levels,
                          labels,
                          wide_parents,
                          narrow_parents};
  device::launch(choose_block_per_delegate,
                 static_cast<unsigned>(std::min<std::uint64_t>(layout.delegates, most_blocks)), device::block_threads,
                 stream, choice);
  device::launch_over(layout.vertices, choose_thread_per_vertex, stream, choice, std::uint64_t{layout.vertices});
}

}  // namespace brushfire
