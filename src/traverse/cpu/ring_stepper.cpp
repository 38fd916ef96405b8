// Mitsuishi et al., "Breadth First Search on Cost-efficient Multi-GPU Systems": a device has the edges that lead to its
// own vertices, by source, of all sources there are. Frontiers travel as queues in a circular left-right schedule, and
// while one is on its way, the one before is gathered: every neighbour gets the parent written into a vector, where
// duplicates vanish. When all have come, UpdateLabels marks what was not visited and ConvertVtoQ makes the next queue.
//
// The paper's last two steps pass over all vertices. Here they pass over the runs of 64 that a gather has touched, or a
// graph of a million levels would be passed over a million times.
#include "base/fill.hpp"
#include "base/saturating.hpp"
#include "exchange/schedule.hpp"
#include "traverse/block_parents.hpp"
#include "traverse/cpu/block_stepper.hpp"
#include "traverse/cpu/list_walk.hpp"

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
        visited_(words_for(capacity_for(own_))),
        vector_(words_for(capacity_for(own_)) * word_bits),
        touched_(words_for(capacity_for(own_))),
        runs_(words_for(capacity_for(own_))),
        found_(runs_.size()),
        first_in_queue_(runs_.size() + 1),
        lists_(block_.push.targets.size(), team),
        sent_(own_),
        arriving_{SentQueue(most_vertices(block_.push_grid, block_.sources())),
                  SentQueue(most_vertices(block_.push_grid, block_.sources()))}
  {
    for (int thread = 0; thread < team.threads; ++thread) seen_.emplace_back(visited_.size());
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
    clear_words(visited_.span(), team_);
    for (Buffer<Word>& seen : seen_) clear_words(seen.span(), team_);
    fill_by_team(vector_.span(), no_vertex, team_);
    fill_by_team(touched_.span(), 0, team_);  // of a search that failed
    touched_runs_ = 0;
    listed_ = true;
    turn_ = 0;
    if (static_cast<int>(root.device) != device_) return;
    set_bit(visited_.data(), root.number);
    for (Buffer<Word>& seen : seen_) set_bit(seen.data(), root.number);
    vector_[root.number] = block_.push_grid.first_source(device_) + root.number;
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
                 [&](std::uint64_t v) { parents[v % word_bits] = block_.sources().vertex_at(vector_[v]); });
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
    SubgraphView const graph = block_.pushed();
    std::uint64_t const entries = entries_of(queue, first_source);
    listed_ &= lists_.team_for(queue.size(), entries).threads == 1;
    auto const sources = [&](std::uint64_t first, std::uint64_t last, Vertex* room) {
      for (std::uint64_t i = first; i < last; ++i) room[i - first] = first_source + queue[i];
      return std::span<const Vertex>(room, last - first);
    };
    lists_.run(graph, queue.size(), entries, sources, [&](int thread) {
      return [&, thread](EntryRange list, Vertex source) { scatter(source, graph, list, thread); };
    });
  }

  // Of a long queue about.
  std::uint64_t entries_of(std::span<const Vertex> queue, Vertex first_source) const
  {
    if (queue.size() >= worth_sharing)
      return queue.size() * block_.push.targets.size() / std::max<std::uint64_t>(block_.sources().slots(), 1);
    SubgraphView const graph = block_.pushed();
    std::uint64_t entries = 0;
    for (Vertex const number : queue) entries += graph.length(first_source + number);
    return entries;
  }

  // Of neighbours that were visited before, the vector keeps the parent that they have. They are sorted out without a
  // branch, which would be guessed wrong for one in six; and so is what this thread has scattered to in this level, or
  // threads would take the lines of the vector from each other for every entry.
  void scatter(Vertex source, const SubgraphView& lists, EntryRange range, int thread)
  {
    constexpr std::size_t at_a_time = 64;
    Word* const seen = seen_[static_cast<std::size_t>(thread)].data();
    Vertex* const vector = vector_.data();
    std::array<Vertex, at_a_time> waiting;
    for (EdgeIndex first = range.first; first < range.last; first += at_a_time) {
      EdgeIndex const last = std::min<EdgeIndex>(range.last, first + at_a_time);
      std::size_t count = 0;
      for (EdgeIndex e = first; e < last; ++e) {
        Vertex const v = lists.target(e);
        waiting[count] = v;
        count += test_bit(seen, v) ? 0 : 1;
      }
      for (Vertex const v : std::span(waiting).first(count)) {
        set_bit(seen, v);
        std::atomic_ref<Vertex>(vector[v]).store(source, std::memory_order_relaxed);
        touch(v / word_bits);
      }
    }
    tallies_[static_cast<std::size_t>(thread)].checked += range.size();
  }

  // One thread alone lists what it touches.
  void touch(std::uint64_t run)
  {
    std::atomic_ref<std::uint8_t> const touched(touched_[run]);
    if (touched.load(std::memory_order_relaxed) != 0) return;
    touched.store(1, std::memory_order_relaxed);
    if (listed_) runs_[touched_runs_++] = static_cast<Vertex>(run);
  }

  std::span<const Vertex> touched_runs() const { return runs_.span().first(touched_runs_); }

  void sort_touched_runs()
  {
    if (listed_) {
      std::sort(runs_.data(), runs_.data() + touched_runs_);
      return;
    }
    touched_runs_ = 0;
    for (std::uint64_t run = 0; run < touched_.size(); ++run)
      if (touched_[run] != 0) runs_[touched_runs_++] = static_cast<Vertex>(run);
  }

  // What is in the vector and was not visited is visited now.
  void update_labels()
  {
    sort_touched_runs();
    auto const runs = touched_runs();
    team_.for_blocks(runs.size(), runs_per_block, [&](std::uint64_t first, std::uint64_t last, int) {
      for (std::uint64_t i = first; i < last; ++i) {
        std::uint64_t const begin = std::uint64_t{runs[i]} * word_bits;
        Word in_vector = 0;
        for (std::uint64_t k = 0; k < word_bits; ++k) in_vector |= Word{vector_[begin + k] != no_vertex} << k;
        found_[i] = in_vector & ~visited_[runs[i]];
        visited_[runs[i]] |= found_[i];
        for (Buffer<Word>& seen : seen_) seen[runs[i]] = visited_[runs[i]];
        first_in_queue_[i] = static_cast<std::uint64_t>(std::popcount(found_[i]));
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
        Vertex* place = queue + first_in_queue_[i];
        for_each_bit(found_[i], std::uint64_t{runs[i]} * word_bits,
                     [&](std::uint64_t v) { *place++ = static_cast<Vertex>(v); });
      }
    });
    for (Vertex const run : runs) touched_[run] = 0;
    touched_runs_ = 0;
    listed_ = true;
  }

  static constexpr std::uint64_t runs_per_block = 256;

  LeftRightSchedule schedule_;
  Buffer<Word> visited_;
  std::vector<Buffer<Word>> seen_;  // by thread: what is visited, and what it has scattered to in this level
  Buffer<Vertex> vector_;           // who was gathered from, by slot; of what is visited the parent
  Buffer<std::uint8_t> touched_;    // 1 for runs of 64 vertices that a gather has written to; their list
  Buffer<Vertex> runs_;
  std::uint64_t touched_runs_ = 0;
  bool listed_ = true;                    // or only marked, since several threads gathered
  Buffer<Word> found_;                    // what is new in a run
  Buffer<std::uint64_t> first_in_queue_;  // and where it goes
  ListWalk lists_;
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
  // The vector, the queue that is sent and two that arrive, bits for each thread, runs.
  return saturating_sum({cpu::predict_block_stepper_bytes(sizes),
                         saturating_product(capacity_for(sizes.own), sizeof(Vertex)),
                         saturating_product(static_cast<std::uint64_t>(sizes.threads), capacity_for(sizes.own) / 8),
                         saturating_product(sizes.own, 3 * sizeof(Vertex) + 1)});
}

std::unique_ptr<TreeStepper> make_ring_stepper(const BlockPlace& place, const CpuStepperOptions& options, Team team)
{
  return std::make_unique<cpu::RingStepper>(place, options, team);
}

}  // namespace brushfire
