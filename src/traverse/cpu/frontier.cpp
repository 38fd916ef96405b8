#include "traverse/cpu/frontier.hpp"

#include "base/fill.hpp"
#include "build/layout.hpp"

#include <algorithm>
#include <array>
#include <bit>

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
    if (has_queue() && size() < words_)
      in_queue(0, size(), [&](Vertex v) { bits_[v / word_bits] = 0; });
    else
      clear_words(bits_.span().first(words_), team_);
  }
  size_.store(0, std::memory_order_relaxed);
  queued_ = FrontierQueue::scan_free;
  has_bits_ = false;
}

void Frontier::start_with(Vertex vertex)
{
  clear();
  queue_[0] = vertex;
  size_.store(1, std::memory_order_relaxed);
}

std::span<const Vertex> Frontier::queue()
{
  if (!has_queue()) make_queue();
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
    in_words(first, last, [&](Vertex v) { queue_[place++] = v; });
  });
  queued_ = FrontierQueue::single_scan;
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

FrontierQueue Frontier::how_queued() const { return size() == 0 ? FrontierQueue::none : queued_; }

Word* Frontier::begin_bits()
{
  keep_bits_only();
  return bits_.data();
}

void Frontier::add_part(const Frontier& from, Vertex first, Vertex count, Vertex as)
{
  constexpr std::uint64_t worth_sharing = 1 << 12;
  if (from.has_queue() && from.size() <= worth_sharing && !has_bits_) {
    Vertex* end = queue_.data() + size();
    from.in_queue(0, from.size(), [&](Vertex v) {
      if (Vertex const number = v - first; number < count) *end++ = as + number;
    });
    size_.store(static_cast<std::uint64_t>(end - queue_.data()), std::memory_order_relaxed);
    return;
  }
  if (from.has_queue()) {
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
  queued_ = FrontierQueue::none;
}

void Frontier::add_word(std::uint64_t w, Word added)
{
  std::uint64_t const place = size();
  if (has_queue()) {
    Vertex* end = queue_.data() + place;
    for_each_bit(added, w * word_bits, [&](std::uint64_t v) { *end++ = static_cast<Vertex>(v); });
  }
  if (has_bits_) bits_[w] |= added;
  size_.store(place + static_cast<std::uint64_t>(std::popcount(added)), std::memory_order_relaxed);
}

void Frontier::push_back(std::span<const Vertex> found, Words words)
{
  std::uint64_t const place = size_.fetch_add(found.size(), std::memory_order_relaxed);
  if (has_queue()) std::copy(found.begin(), found.end(), queue_.data() + place);
  if (has_bits_) set_bits(found, words);
}

}  // namespace brushfire::cpu
