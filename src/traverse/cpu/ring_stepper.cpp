// Mitsuishi et al., "Breadth First Search on Cost-efficient Multi-GPU Systems": a device has the edges that lead to its
// own vertices, by source, of all sources there are. Frontiers travel as queues in a circular left-right schedule, and
// while one is on its way, the one before is gathered: every neighbour gets the parent written into a vector, where
// duplicates vanish. When all have come, UpdateLabels keeps what was not visited and ConvertVtoQ makes the next queue.
//
// The paper's last two steps pass over all vertices. Here they pass over the runs of 64 that a gather has touched, or a
// graph of a million levels would be passed over a million times.
#include "base/saturating.hpp"
#include "exchange/schedule.hpp"
#include "traverse/block_parents.hpp"
#include "traverse/cpu/block_stepper.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <numeric>

namespace brushfire {

namespace cpu {

namespace {

// A queue as it is sent: how many, then the vertices by their numbers on their own device.
class SentQueue {
 public:
  explicit SentQueue(std::uint64_t most) : words_(header + most) {}

  void clear() { set_size(0); }
  void take(std::span<const std::byte> bytes) { std::memcpy(words_.data(), bytes.data(), bytes.size()); }
  void take(std::span<const Vertex> vertices)
  {
    set_size(vertices.size());
    std::copy(vertices.begin(), vertices.end(), words_.data() + header);
  }
  std::span<const Vertex> vertices() const { return words_.span().subspan(header, size()); }
  std::span<const std::byte> bytes() const { return std::as_bytes(words_.span().first(header + size())); }

 private:
  static constexpr std::size_t header = sizeof(std::uint64_t) / sizeof(Vertex);

  std::uint64_t size() const
  {
    std::uint64_t size = 0;
    std::memcpy(&size, words_.data(), sizeof(size));
    return size;
  }
  void set_size(std::uint64_t size) { std::memcpy(words_.data(), &size, sizeof(size)); }

  Buffer<Vertex> words_;
};

std::uint64_t most_vertices(const BlockGrid& grid, const Extent& all)
{
  std::uint64_t most = 0;
  auto const devices = all.devices();
  for (std::size_t i = 0; i < devices.size(); ++i) {
    Vertex const end = i + 1 < devices.size() ? grid.first_source(devices[i + 1]) : all.slots();
    most = std::max<std::uint64_t>(most, end - grid.first_source(devices[i]));
  }
  return most;
}

class RingStepper final : public BlockStepper {
 public:
  RingStepper(const BlockPlace& place, const CpuStepperOptions& options, Team team)
      : BlockStepper(place, options, team),
        schedule_(block_.devices),
        visited_(words_for(own_)),
        vector_(capacity_for(own_)),
        parents_(own_),
        touched_(words_for(words_for(capacity_for(own_)))),
        runs_(words_for(capacity_for(own_))),
        first_in_queue_(runs_.size() + 1),
        sent_(own_),
        arriving_{SentQueue(most_vertices(block_.push_grid, block_.sources())),
                  SentQueue(most_vertices(block_.push_grid, block_.sources()))}
  {
    std::fill_n(vector_.data(), vector_.size(), no_vertex);
  }

  Outbox outbox(Round round) override
  {
    if (round.index == 0) {
      begin_level();
      sent_.take(frontier().queue());
      gathered_ = device_;
    }
    if (block_.devices == 1) return {};
    piece_ = {schedule_.receiver(device_, round.index), sent_.bytes()};
    return {{&piece_, 1}, {}, false, false};
  }

  // While the next queue is on its way, the one before it is gathered.
  void work(Round) override { gather_waiting(); }

  void absorb(Round, Piece arrived) override
  {
    gathered_ = arrived.device;
    arriving_[turn_].take(arrived.bytes);
  }

 private:
  void start_at(Home root) override
  {
    std::fill_n(visited_.data(), visited_.size(), Word{0});
    turn_ = 0;
    if (static_cast<int>(root.device) != device_) return;
    set_bit(visited_.data(), root.number);
    parents_[root.number] = block_.push_grid.first_source(device_) + root.number;
  }

  void close_level() override
  {
    if (block_.devices > 1) gather_waiting();
    update_labels();
    convert_vector_to_queue();
  }

  void tell_parents(Exchange&, std::span<FarVertex>) override {}

  Word found_from(std::uint64_t w, FarVertex* parents) const override
  {
    for_each_bit(visited_[w], w * word_bits,
                 [&](std::uint64_t v) { parents[v % word_bits] = block_.sources().vertex_at(parents_[v]); });
    return visited_[w];
  }

  bool has_visited(Vertex own_number) const override { return test_bit(visited_.data(), own_number); }

  // What came last, or in the first round the own queue. The other buffer is free to receive.
  void gather_waiting()
  {
    gather(gathered_ == device_ ? sent_.vertices() : arriving_[turn_].vertices(),
           block_.push_grid.first_source(gathered_));
    turn_ = 1 - turn_;
  }

  void gather(std::span<const Vertex> queue, Vertex first_source)
  {
    constexpr std::uint64_t lists_per_block = 64;
    SubgraphView const lists = block_.pushed();
    team_.for_blocks(queue.size(), lists_per_block, [&](std::uint64_t first, std::uint64_t last, int thread) {
      std::uint64_t checked = 0;
      for (std::uint64_t i = first; i < last; ++i) {
        Vertex const source = first_source + queue[i];
        EntryRange const row = lists.row(source);
        checked += row.size();
        for (EdgeIndex e = row.first; e < row.last; ++e) {
          Vertex const v = lists.target(e);
          std::atomic_ref<Vertex>(vector_[v]).store(source, std::memory_order_relaxed);
          touch(v / word_bits);
        }
      }
      tallies_[static_cast<std::size_t>(thread)].checked += checked;
    });
  }

  void touch(std::uint64_t run)
  {
    if (test_bit_shared(touched_.data(), run) || !claim_bit(touched_.data(), run)) return;
    runs_[touched_runs_.fetch_add(1, std::memory_order_relaxed)] = static_cast<Vertex>(run);
  }

  std::span<const Vertex> touched_runs() const { return runs_.span().first(touched_runs_.load()); }

  // A vertex that was visited leaves the vector; one that was not is visited now. Counts what stays of each run.
  void update_labels()
  {
    auto const runs = touched_runs();
    std::sort(runs_.data(), runs_.data() + runs.size());
    team_.for_blocks(runs.size(), runs_per_block, [&](std::uint64_t first, std::uint64_t last, int) {
      for (std::uint64_t i = first; i < last; ++i) {
        Word& visited = visited_[runs[i]];
        Word found = 0;
        for_each_in_run(runs[i], [&](Vertex v) {
          if ((visited & bit_of(v)) != 0)
            vector_[v] = no_vertex;
          else
            found |= bit_of(v), parents_[v] = vector_[v];
        });
        visited |= found;
        first_in_queue_[i] = static_cast<std::uint64_t>(std::popcount(found));
      }
    });
  }

  // By a scan over the runs, so that the queue rises.
  void convert_vector_to_queue()
  {
    auto const runs = touched_runs();
    std::exclusive_scan(first_in_queue_.data(), first_in_queue_.data() + runs.size() + 1, first_in_queue_.data(),
                        std::uint64_t{0});
    Vertex* const queue = frontier().empty_queue();
    frontier().add_found(first_in_queue_[runs.size()]);
    team_.for_blocks(runs.size(), runs_per_block, [&](std::uint64_t first, std::uint64_t last, int) {
      for (std::uint64_t i = first; i < last; ++i) {
        std::uint64_t place = first_in_queue_[i];
        for_each_in_run(runs[i], [&](Vertex v) {
          queue[place++] = v;
          vector_[v] = no_vertex;
        });
      }
    });
    for (Vertex const run : runs) touched_[run / word_bits] = 0;
    touched_runs_.store(0);
  }

  // Calls body(v) for what a gather has written.
  template <typename Body>
  void for_each_in_run(Vertex run, Body&& body)
  {
    std::uint64_t const end = std::min<std::uint64_t>(own_, (std::uint64_t{run} + 1) * word_bits);
    for (std::uint64_t v = std::uint64_t{run} * word_bits; v < end; ++v)
      if (vector_[v] != no_vertex) body(static_cast<Vertex>(v));
  }

  static constexpr std::uint64_t runs_per_block = 256;

  LeftRightSchedule schedule_;
  Buffer<Word> visited_;
  Buffer<Vertex> vector_;   // who was gathered from, in this level
  Buffer<Vertex> parents_;  // slots
  Buffer<Word> touched_;    // runs of 64 vertices that a gather has written to, as bits and as a list
  Buffer<Vertex> runs_;
  std::atomic<std::uint64_t> touched_runs_{0};
  Buffer<std::uint64_t> first_in_queue_;  // of what a run keeps
  SentQueue sent_;
  std::array<SentQueue, 2> arriving_;
  std::size_t turn_ = 0;
  int gathered_ = 0;  // whose queue waits to be gathered
  Piece piece_;
};

}  // namespace

}  // namespace cpu

std::uint64_t predict_ring_stepper_bytes(const BlockSizes& sizes)
{
  // The vector, parents, the queue that is sent and two that arrive, bits, runs.
  return saturating_sum({cpu::predict_block_stepper_bytes(sizes),
                         saturating_product(capacity_for(sizes.own), sizeof(Vertex)),
                         saturating_product(sizes.own, 4 * sizeof(Vertex) + 1)});
}

std::unique_ptr<TreeStepper> make_ring_stepper(const BlockPlace& place, const CpuStepperOptions& options, Team team)
{
  return std::make_unique<cpu::RingStepper>(place, options, team);
}

}  // namespace brushfire
