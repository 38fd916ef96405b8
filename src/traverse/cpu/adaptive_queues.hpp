// The queues of the adaptive preset, and how they are filled (XBFS, section 4). Scan-free and single-scan append what
// each thread finds, a batch at a time, in no order; double-scan counts, sums up and then writes, so its queue comes
// out sorted. What is taken into a queue is counted together with the entries of its lists. Scans take what they want
// without a branch on it, which would often be guessed wrong.
#pragma once

#include "base/buffer.hpp"
#include "base/parallel.hpp"
#include "build/layout.hpp"

#include <brushfire/types.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <span>

namespace brushfire::cpu {

struct Amount {
  std::uint64_t vertices = 0;
  std::uint64_t entries = 0;  // of their lists
  void operator+=(const Amount& other)
  {
    vertices += other.vertices;
    entries += other.entries;
  }
};

// A queue to be read, or all vertices.
struct Items {
  const Vertex* vertices;  // null: all
  std::uint64_t count;
  Vertex operator[](std::uint64_t i) const { return vertices == nullptr ? static_cast<Vertex>(i) : vertices[i]; }
};

constexpr std::uint64_t scanned_per_block = 4096;

class VertexQueue {
 public:
  explicit VertexQueue(std::uint64_t most) : vertices_(std::max<std::uint64_t>(most, 1)) {}

  void clear() { size_ = 0; }
  Items items() const { return {vertices_.data(), size_}; }
  std::uint64_t size() const { return size_; }

  void append(std::span<const Vertex> found)  // from many threads
  {
    std::uint64_t const place =
        std::atomic_ref<std::uint64_t>(size_).fetch_add(found.size(), std::memory_order_relaxed);
    std::copy(found.begin(), found.end(), vertices_.data() + place);
  }

  // Single-scan: the wanted ones of `items`, behind what is here.
  template <typename Wanted>
  void scan_once(Items items, Wanted wanted, Team team)
  {
    team.for_blocks(items.count, scanned_per_block, [&](std::uint64_t first, std::uint64_t last, int) {
      std::array<Vertex, scanned_per_block> found;
      std::size_t count = 0;
      for (std::uint64_t i = first; i < last; ++i) {
        found[count] = items[i];
        count += wanted(items[i]) ? 1 : 0;
      }
      append(std::span(found).first(count));
    });
  }

  // Double-scan: the wanted ones of `items`, in their order. `places` has room for one more than there are blocks.
  template <typename Wanted>
  void scan_twice(Items items, Wanted wanted, std::span<std::uint64_t> places, Team team)
  {
    places[0] = 0;
    team.for_blocks(items.count, scanned_per_block, [&](std::uint64_t first, std::uint64_t last, int) {
      std::uint64_t count = 0;
      for (std::uint64_t i = first; i < last; ++i) count += wanted(items[i]) ? 1 : 0;
      places[first / scanned_per_block + 1] = count;
    });
    std::uint64_t const blocks = (items.count + scanned_per_block - 1) / scanned_per_block;
    for (std::uint64_t block = 0; block < blocks; ++block) places[block + 1] += places[block];
    team.for_blocks(items.count, scanned_per_block, [&](std::uint64_t first, std::uint64_t, int) {
      std::uint64_t const end = places[first / scanned_per_block + 1];
      // Up to the last one that is wanted: behind it another block has its place.
      for (std::uint64_t i = first, place = places[first / scanned_per_block]; place < end; ++i) {
        vertices_[place] = items[i];
        place += wanted(items[i]) ? 1 : 0;
      }
    });
    size_ = places[blocks];
  }

  // What it holds from its place `first` on.
  Amount amount(std::uint64_t first, const SubgraphView& rows, Team team) const
  {
    std::atomic<std::uint64_t> entries{0};
    team.for_blocks(size_ - first, scanned_per_block, [&](std::uint64_t begin, std::uint64_t end, int) {
      std::uint64_t sum = 0;
      for (std::uint64_t i = first + begin; i < first + end; ++i) sum += rows.length(vertices_[i]);
      entries.fetch_add(sum, std::memory_order_relaxed);
    });
    return {size_ - first, entries.load()};
  }

 private:
  Buffer<Vertex> vertices_;
  std::uint64_t size_ = 0;
};

// What one thread has found and not yet handed to the queue.
class Batch {
 public:
  Batch(VertexQueue& queue, const SubgraphView& rows, Amount& gained) : queue_(queue), rows_(rows), gained_(gained) {}
  ~Batch() { hand_over(); }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  void add(Vertex v)
  {
    if (count_ == found_.size()) hand_over();
    found_[count_++] = v;
    gained_ += {1, rows_.length(v)};
  }

 private:
  void hand_over()
  {
    if (count_ != 0) queue_.append(std::span(found_).first(count_));
    count_ = 0;
  }

  VertexQueue& queue_;
  const SubgraphView& rows_;
  Amount& gained_;
  std::array<Vertex, 256> found_;
  std::size_t count_ = 0;
};

}  // namespace brushfire::cpu
