#include "traverse/cpu/frontier.hpp"

#include "build/layout.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace brushfire::cpu {

Frontier::Frontier(Vertex vertices, Team team)
    : team_(team),
      queue_(std::max<Vertex>(vertices, 1)),
      bits_(words_for(capacity_for(vertices))),
      words_(words_for(vertices))
{
}

void Frontier::clear()
{
  if (has_bits_) {
    if (has_queue_ && size() < words_)
      for (std::uint64_t i = 0; i < size(); ++i) bits_[queue_[i] / word_bits] = 0;
    else
      team_.for_blocks(words_, 1 << 14, [&](std::uint64_t first, std::uint64_t last, int) {
        std::memset(bits_.data() + first, 0, (last - first) * sizeof(Word));
      });
  }
  size_.store(0, std::memory_order_relaxed);
  has_queue_ = true;
  has_bits_ = queue_from_bits_ = false;
}

void Frontier::start_with(Vertex vertex)
{
  clear();
  queue_[0] = vertex;
  size_.store(1, std::memory_order_relaxed);
}

std::span<const Vertex> Frontier::queue()
{
  if (!has_queue_) make_queue();
  return {queue_.data(), size()};
}

void Frontier::make_queue()
{
  constexpr std::uint64_t words_per_block = 512;
  std::atomic<std::uint64_t> next{0};
  team_.for_blocks(words_, words_per_block, [&](std::uint64_t first, std::uint64_t last, int) {
    std::uint64_t count = 0;
    for (std::uint64_t w = first; w < last; ++w) count += static_cast<std::uint64_t>(std::popcount(bits_[w]));
    if (count == 0) return;
    std::uint64_t place = next.fetch_add(count, std::memory_order_relaxed);
    for (std::uint64_t w = first; w < last; ++w)
      for_each_bit(bits_[w], w * word_bits, [&](std::uint64_t v) { queue_[place++] = static_cast<Vertex>(v); });
  });
  has_queue_ = queue_from_bits_ = true;
}

const Word* Frontier::bits()
{
  add_bits();
  return bits_.data();
}

void Frontier::add_bits()
{
  if (has_bits_) return;
  team_.for_blocks(size(), 1 << 12, [&](std::uint64_t first, std::uint64_t last, int) {
    set_bits(queue_.span().subspan(first, last - first), team_.threads == 1 ? Words::of_one_thread : Words::shared);
  });
  has_bits_ = true;
}

void Frontier::set_bits(std::span<const Vertex> vertices, Words words)
{
  if (words == Words::of_one_thread)
    for (Vertex const v : vertices) set_bit(bits_.data(), v);
  else
    for (Vertex const v : vertices) claim_bit(bits_.data(), v);
}

FrontierQueue Frontier::how_queued() const
{
  if (!has_queue_ || size() == 0) return FrontierQueue::none;
  return queue_from_bits_ ? FrontierQueue::single_scan : FrontierQueue::scan_free;
}

Word* Frontier::begin_bits()
{
  has_bits_ = true;
  has_queue_ = false;
  return bits_.data();
}

void Frontier::add_part(const Frontier& from, Vertex first, Vertex count, Vertex as)
{
  constexpr std::uint64_t worth_sharing = 1 << 12;
  if (from.has_queue_ && from.size() <= worth_sharing && !has_bits_) {
    Vertex* end = queue_.data() + size();
    for (Vertex const v : from.queue_.span().first(from.size()))
      if (Vertex const number = v - first; number < count) *end++ = as + number;
    size_.store(static_cast<std::uint64_t>(end - queue_.data()), std::memory_order_relaxed);
    return;
  }
  if (from.has_queue_) {
    team_.for_blocks(from.size(), worth_sharing, [&](std::uint64_t begin, std::uint64_t end, int) {
      std::array<Vertex, 256> batch;
      std::size_t filled = 0;
      for (std::uint64_t i = begin; i < end; ++i) {
        if (Vertex const v = from.queue_[i] - first; v < count) batch[filled++] = as + v;
        if (filled < batch.size() && i + 1 < end) continue;
        push_back(std::span(batch).first(filled));
        filled = 0;
      }
    });
    return;
  }
  keep_bits_only();
  const Word* const added = from.bits_.data() + first / word_bits;
  Word* const here = bits_.data() + as / word_bits;
  team_.for_blocks(words_for(count), 1 << 10, [&](std::uint64_t begin, std::uint64_t end, int) {
    std::uint64_t found = 0;
    for (std::uint64_t w = begin; w < end; ++w) {
      here[w] |= added[w];
      found += static_cast<std::uint64_t>(std::popcount(added[w]));
    }
    add_found(found);
  });
}

void Frontier::keep_bits_only()
{
  add_bits();
  has_queue_ = false;
}

void Frontier::add_word(std::uint64_t w, Word added)
{
  std::uint64_t const place = size();
  if (has_queue_) {
    Vertex* end = queue_.data() + place;
    for_each_bit(added, w * word_bits, [&](std::uint64_t v) { *end++ = static_cast<Vertex>(v); });
  }
  if (has_bits_) bits_[w] |= added;
  size_.store(place + static_cast<std::uint64_t>(std::popcount(added)), std::memory_order_relaxed);
}

void Frontier::push_back(std::span<const Vertex> found, Words words)
{
  std::uint64_t const place = size_.fetch_add(found.size(), std::memory_order_relaxed);
  if (has_queue_) std::copy(found.begin(), found.end(), queue_.data() + place);
  if (has_bits_) set_bits(found, words);
}

}  // namespace brushfire::cpu
