// What threads find while they walk lists, sorted by target as it is noted, so that each part of the targets is then
// settled by one thread: no line is written by two cores, and what a part needs fits a cache.
//
// Every thread has a bin of its own for each part. A bin is made of chunks, the first of which is its own, and the
// others are taken from a common pool, some at a time: many threads would else wait for each other there. The first
// place of a chunk says which chunk of the bin came before it, if any did.
#pragma once

#include "base/bits.hpp"
#include "base/buffer.hpp"
#include "base/error.hpp"
#include "base/parallel.hpp"
#include "build/layout.hpp"

#include <brushfire/types.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace brushfire::cpu {

struct Finding {
  Vertex target, source;
};

class FindingBins {
 public:
  // Of at most so many targets; none for one thread. With room for about so many findings.
  FindingBins(std::uint64_t targets, std::uint64_t room, Team team)
      : writers_(team.threads == 1 ? 0 : static_cast<std::size_t>(team.threads)),
        most_targets_(targets),
        words_(words_for(std::min(capacity_for(targets), most_noted))),
        noted_(writers_.size() * words_),
        room_(room),
        chunks_(chunks_for(room, team.threads)),
        pool_(writers_.empty() ? 0 : (chunks_ + 1) * chunk),
        first_(pool_.data())
  {
    while (!is_full(first_)) ++first_;
  }

  FindingBins(std::uint64_t targets, Team team) : FindingBins(targets, room_for(targets), team) {}

  static std::uint64_t predict_bytes(std::uint64_t targets, int threads)
  {
    auto const noted = static_cast<std::uint64_t>(threads) * std::min(capacity_for(targets), most_noted) / 8;
    return threads == 1 ? 0 : chunks_for(room_for(targets), threads) * chunk * sizeof(Finding) + noted;
  }

  std::uint64_t room() const { return room_; }

  // Forgets all, for targets below `count` and about so many findings.
  void begin(std::uint64_t count, std::uint64_t findings)
  {
    if (count > most_targets_) fail(ErrorKind::failure, "bins for {} targets were made for {}", count, most_targets_);
    bits_ = capacity_for(count);
    // A bin of few findings costs more than they do.
    std::uint64_t const threads = writers_.size();
    std::uint64_t const wanted =
        std::clamp(findings / (threads * least_in_bin), std::min(threads, most_parts), most_parts);
    auto const bits_of_target = static_cast<unsigned>(std::countr_zero(bits_));
    auto const bits_of_part_number = static_cast<unsigned>(std::countr_zero(std::bit_ceil(wanted)));
    shift_ = std::max(bits_of_target, least_bits_in_part + bits_of_part_number) - bits_of_part_number;
    parts_ = ((bits_ - 1) >> shift_) + 1;  // for all that a list may lead to, also of an altered file
    keeps_noted_ = bits_ <= most_noted && findings / threads >= words_for(bits_);
    taken_.store(threads * parts_, std::memory_order_relaxed);
    ++round_;
  }

  // A thread has to, before it notes anything. Few targets are found many times: then it has bits of what it need not
  // note again, which begin as those visited before. Null: there are too many targets for that, or too few findings.
  Word* enter(int thread, const Word* visited)
  {
    Writer& writer = writers_[static_cast<std::size_t>(thread)];
    Word* const noted = keeps_noted_ ? noted_.data() + static_cast<std::size_t>(thread) * words_ : nullptr;
    if (std::exchange(writer.round, round_) == round_) return noted;
    writer.ends.fill(nullptr);
    writer.next_chunk = writer.last_chunk = 0;
    // For want of room others may claim some at this time: whether these are seen does not matter.
    for (std::uint64_t w = 0; keeps_noted_ && w < words_for(bits_); ++w)
      noted[w] = std::atomic_ref<Word>(const_cast<Word&>(visited[w])).load(std::memory_order_relaxed);
    return noted;
  }

  // Where a thread notes the next finding of this target: it is noted once the place is moved on. Null: no room is
  // left.
  Finding** place_for(Vertex target, int thread)
  {
    Finding*& end = writers_[static_cast<std::size_t>(thread)].ends[target >> shift_];
    if (is_full(end) && !add_chunk(static_cast<std::size_t>(thread), target >> shift_)) [[unlikely]]
      return nullptr;
    return &end;
  }

  std::uint64_t parts() const { return parts_; }

  // Calls body(span) until all findings of a part were seen, at most `chunk` at a time.
  template <typename Body>
  void for_each_run(std::uint64_t part, Body&& body) const
  {
    for (const Writer& writer : writers_)
      for (const Finding* end = writer.round == round_ ? writer.ends[part] : nullptr; end != nullptr;) {
        const Finding* const start = chunk_start(chunk_of(end));
        body(std::span(start + 1, end));
        end = start->source == 0 ? nullptr : chunk_start(start->target + 1);
      }
  }

  static constexpr std::size_t chunk = 256;

 private:
  static constexpr unsigned least_bits_in_part = 12;  // a few lines of bits
  static constexpr std::uint64_t most_parts = 256, least_in_bin = 64;
  static constexpr std::uint64_t most_noted = std::uint64_t{1} << 20;  // 128 KiB a thread
  static constexpr std::uint64_t chunks_at_a_time = 8;

  struct alignas(64) Writer {
    std::array<Finding*, most_parts> ends;
    std::uint64_t round = 0;                       // that they are of
    std::uint64_t next_chunk = 0, last_chunk = 0;  // taken from the pool
  };

  static std::uint64_t room_for(std::uint64_t targets)
  {
    return std::min(std::uint64_t{1} << 22, 2 * capacity_for(targets));
  }

  // The last chunk of every bin is filled in part, and of those that a thread has taken some are left.
  static std::uint64_t chunks_for(std::uint64_t room, int threads)
  {
    return room / chunk + 1 + (most_parts + chunks_at_a_time) * static_cast<std::uint64_t>(threads);
  }

  // Chunks stand at multiples of their size, which is a power of two, and their first place is never an end.
  static bool is_full(const Finding* end)
  {
    return reinterpret_cast<std::uintptr_t>(end) % (chunk * sizeof(Finding)) == 0;
  }

  // To a bin; false when there are no more.
  bool add_chunk(std::size_t thread, std::uint64_t part)
  {
    Writer& writer = writers_[thread];
    Finding*& end = writer.ends[part];
    if (end == nullptr) {
      end = chunk_start(thread * parts_ + part);
      *end++ = {0, 0};
      return true;
    }
    if (writer.next_chunk == writer.last_chunk && !take_chunks(writer)) return false;
    Finding* const start = chunk_start(writer.next_chunk++);
    *start = {chunk_of(end), 1};
    end = start + 1;
    return true;
  }

  bool take_chunks(Writer& writer)
  {
    if (taken_.load(std::memory_order_relaxed) >= chunks_) return false;
    std::uint64_t const first = taken_.fetch_add(chunks_at_a_time, std::memory_order_relaxed);
    if (first >= chunks_) return false;
    writer.next_chunk = first;
    writer.last_chunk = std::min(first + chunks_at_a_time, chunks_);
    return true;
  }

  Finding* chunk_start(std::uint64_t number) const { return first_ + number * chunk; }
  // By where the next finding goes.
  Vertex chunk_of(const Finding* end) const
  {
    return static_cast<Vertex>(static_cast<std::size_t>(end - 1 - first_) / chunk);
  }

  std::vector<Writer> writers_;
  std::uint64_t most_targets_;
  std::uint64_t words_;  // of the bits of a thread
  Buffer<Word> noted_;
  std::uint64_t room_;
  std::uint64_t chunks_;
  Buffer<Finding> pool_;
  Finding* first_ = nullptr;  // of all chunks
  alignas(64) std::atomic<std::uint64_t> taken_{0};
  std::uint64_t bits_ = 0;
  unsigned shift_ = 0;
  std::uint64_t parts_ = 0;
  bool keeps_noted_ = false;
  std::uint64_t round_ = 0;
};

}  // namespace brushfire::cpu
