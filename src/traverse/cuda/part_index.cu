#include "traverse/cuda/part_index.hpp"

#include "build/cuda/far_rows_view.cuh"
#include "build/cuda/rows_view.cuh"
#include "device/launch.cuh"

#include <algorithm>

namespace brushfire::cuda {

namespace {

// Nothing in the part leads to these slots, but something elsewhere may: delegates, whose bits devices exchange as they
// are, and vertices that others have in their lists. A warp per word.
__global__ void let_wait_warp_per_word(FarRowsView far, Vertex delegates, std::uint32_t normal_base,
                                       std::uint64_t slots, std::uint32_t* never, unsigned long long* let)
{
  device::for_each_item((slots + 31) / 32 * 32, [&](std::uint64_t i) {
    auto const slot = static_cast<std::uint32_t>(i);
    bool const idle = (never[i / 32] >> (i % 32) & 1) != 0;
    bool waits = idle && slot < delegates;
    if (idle && slot >= normal_base && i < slots) waits = far.length(slot - normal_base) != 0;
    unsigned const waiting = __ballot_sync(0xffffffffu, waits);
    if (threadIdx.x % 32 != 0 || waiting == 0) return;
    never[i / 32] &= ~waiting;
    atomicAdd(let + (slot < normal_base ? 0 : 1), static_cast<unsigned long long>(__popc(waiting)));
  });
}

__global__ void find_homes_warp_per_word(const FarVertex* homes, Vertex delegates, int device, std::uint64_t words,
                                         std::uint32_t* bits, Vertex* home_of)
{
  device::for_each_item(words * 32, [&](std::uint64_t i) {
    FarVertex const home = i < delegates ? homes[i] : far_vertex(-1, 0);
    bool const here = device_of(home) == device;
    if (i < delegates) home_of[i] = here ? number_of(home) : no_vertex;
    unsigned const all = __ballot_sync(0xffffffffu, here);
    if (threadIdx.x % 32 == 0) bits[i / 32] = all;
  });
}

__global__ void list_tiles_thread_per_tile(const std::uint32_t* bits, std::uint32_t words, std::uint32_t* tiles,
                                           std::uint32_t* count)
{
  device::for_each_item((words + words_of_home_tile - 1) / words_of_home_tile, [&](std::uint64_t tile) {
    auto const first = static_cast<std::uint32_t>(tile) * words_of_home_tile;
    std::uint32_t any = 0;
    for (std::uint32_t w = first; w < words && w < first + words_of_home_tile; ++w) any |= bits[w];
    if (any != 0) tiles[atomicAdd(count, 1u)] = first;
  });
}

__global__ void narrow_thread_per_label(const Label* labels, std::uint64_t count, std::uint32_t* narrow,
                                        unsigned* too_wide)
{
  device::for_each_item(count, [&](std::uint64_t i) {
    narrow[i] = static_cast<std::uint32_t>(labels[i]);
    if (labels[i] != Label{narrow[i]}) *too_wide = 1;
  });
}

__global__ void mark_leading_far_warp_per_word(FarRowsView far, std::uint32_t normal_base, std::uint64_t slots,
                                               std::uint64_t words, std::uint32_t* bits)
{
  device::for_each_item(words * 32, [&](std::uint64_t i) {
    bool const leads = i >= normal_base && i < slots && far.length(static_cast<Vertex>(i - normal_base)) != 0;
    unsigned const all = __ballot_sync(0xffffffffu, leads);
    if (threadIdx.x % 32 == 0) bits[i / 32] = all;
  });
}

}  // namespace

PartIndex::PartIndex(const DevicePart& part, const device::Stream& stream)
    : search(part.layout, stream),
      home_bits(search.normal_base / 32),
      home_tiles(home_bits.size() / words_of_home_tile + 1),
      home_of(part.layout.delegates),
      narrow_labels(part.layout.delegates),
      leads_far(search.never.size())
{
  Vertex const delegates = part.layout.delegates;
  device::Buffer<unsigned long long> let(2);
  let.fill_bytes(0, stream);
  device::launch_over(search.never.size() * 32, let_wait_warp_per_word, stream, far_rows_view(part.incoming()),
                      delegates, search.normal_base, search.firsts.size(), search.never.data(), let.data());
  auto const found = device::to_vector(let, 2, stream);
  search.searchable_delegates += found[0];
  search.searchable_normals += found[1];

  device::launch_over(leads_far.size() * 32, mark_leading_far_warp_per_word, stream, far_rows_view(part.out),
                      search.normal_base, search.firsts.size(), leads_far.size(), leads_far.data());
  for (unsigned its_class = 0; its_class < normal_class; ++its_class) {
    std::uint64_t const first = its_class == 0 ? 0 : std::uint64_t{1} << (its_class - 1);
    std::uint64_t const last = std::min<std::uint64_t>(std::uint64_t{1} << its_class, delegates);
    members_of_class[its_class] = last > first ? last - first : 0;
  }
  members_of_class[normal_class] = search.searchable_normals;

  device::launch_over(home_bits.size() * 32, find_homes_warp_per_word, stream, part.homes.data(), delegates,
                      part.device, home_bits.size(), home_bits.data(), home_of.data());
  device::Buffer<std::uint32_t> tile_count(1);
  tile_count.fill_bytes(0, stream);
  device::launch_over(home_tiles.size(), list_tiles_thread_per_tile, stream, home_bits.data(),
                      static_cast<std::uint32_t>(home_bits.size()), home_tiles.data(), tile_count.data());
  home_tile_count = device::value_at(tile_count, 0, stream);
  device::Buffer<unsigned> too_wide(1);
  too_wide.fill_bytes(0, stream);
  device::launch_over(delegates, narrow_thread_per_label, stream, part.labels.data() + part.layout.vertices,
                      std::uint64_t{delegates}, narrow_labels.data(), too_wide.data());
  if (device::value_at(too_wide, 0, stream) != 0) narrow_labels = {};
}

std::uint64_t PartIndex::predict_bytes(std::uint64_t vertices, std::uint64_t delegates)
{
  return saturating_sum({SearchIndex::predict_bytes(vertices, delegates),
                         bytes_of<std::uint32_t>(SearchIndex::first_normal(delegates) / 32),
                         bytes_of<std::uint32_t>(SearchIndex::first_normal(delegates) / 32 / words_of_home_tile + 1),
                         bytes_of<Vertex>(delegates), bytes_of<std::uint32_t>(delegates),
                         bytes_of<std::uint32_t>(SearchIndex::words(vertices, delegates))});
}

}  // namespace brushfire::cuda
