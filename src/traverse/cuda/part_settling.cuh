// Completes the parents of a part together with the other devices; the kernels are those of part_parents.cuh.
#pragma once

#include "base/bits.hpp"
#include "base/labels_view.hpp"
#include "base/room.hpp"
#include "build/cuda/device_part.hpp"
#include "device/launch.cuh"
#include "exchange/cuda/device_pieces.hpp"
#include "exchange/exchange.hpp"
#include "traverse/cuda/cuda_stepper.hpp"
#include "traverse/cuda/far_deal.cuh"
#include "traverse/cuda/part_counters.cuh"
#include "traverse/cuda/part_index.hpp"
#include "traverse/cuda/part_parents.cuh"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace brushfire::cuda {

// Whether the level of every vertex is kept, or only of those that other devices may ask about: vertices of a directed
// graph may ask, and not be asked.
inline bool notes_all_levels(const DevicePart& part, const CudaStepperOptions& options)
{
  return options.levels || options.deterministic || part.layout.directed;
}

template <typename Parent>
class PartSettling {
 public:
  PartSettling(const DevicePart& part, const PartIndex& index, DealtLabelsView labels,
               const CudaStepperOptions& options, FarDeal& far, PartCounters& counters, const device::Stream& stream)
      : part_(part),
        index_(index),
        labels_(labels),
        options_(options),
        far_(far),
        counters_(counters),
        stream_(stream),
        settled_(words_for(part.layout.delegates)),
        found_(part.layout.delegates),
        pieces_(stream),
        answers_(stream),
        names_(stream)
  {
  }

  // Questions and answers are no more than the far entries, whoever asks.
  static std::uint64_t predict_bytes(const PartSearchCounts& counts)
  {
    std::uint64_t const living = std::min(counts.vertices, counts.delegates);  // here, each found by any device
    std::uint64_t const name = counts.own_labels_only ? sizeof(Label) : 0;
    std::uint64_t const piece = bytes_of<FoundDelegate<Parent>>(living);
    std::uint64_t const landed =
        saturating_sum({DevicePieces::most_unreleased(saturating_product(counts.devices, piece), piece),
                        saturating_product(counts.far_entries, sizeof(Vertex) + sizeof(std::int32_t) + name)});
    return saturating_sum({bytes_of<std::uint64_t>(words_for(counts.delegates)),
                           bytes_of<FoundDelegate<Parent>>(counts.delegates),
                           bytes_of<std::uint64_t>(counts.far_entries), bytes_of<std::int32_t>(counts.far_entries),
                           saturating_product(counts.far_entries, 2 * name),
                           counts.pieces_land ? DevicePieces::predict_bytes(landed, 4 * counts.devices) : 0});
  }

  // Every device calls it after its last level. `mine` are bits of the delegates found here, `claimed` the vertices
  // that other devices found.
  void settle(const PartView<Parent>& view, std::uint32_t* mine, const Claimed* claimed, std::uint64_t claimed_count,
              Exchange& exchange);

 private:
  void settle_delegates(const PartView<Parent>& view, const std::uint32_t* mine, Exchange& exchange);
  void settle_far(const PartView<Parent>& view, const Claimed* claimed, std::uint64_t claimed_count,
                  Exchange& exchange);
  void answer(const PartView<Parent>& view, Exchange& exchange);
  // take(Arrivals<Item>) for all that arrives.
  template <typename Item>
  void collect_items(Exchange& exchange, Taken taken, const std::function<void(const Arrivals<Item>&)>& take);
  template <typename Answer>
  static void add_answers(DevicePieces& pieces, const Arrivals<Vertex>& asked, const Answer* answers)
  {
    for (unsigned k = 0; k < asked.count; ++k)
      pieces.add(asked.devices[k], answers + asked.begin(k), (asked.ends[k] - asked.begin(k)) * sizeof(Answer));
  }

  const DevicePart& part_;
  const PartIndex& index_;
  DealtLabelsView labels_;
  CudaStepperOptions options_;
  FarDeal& far_;
  PartCounters& counters_;
  const device::Stream& stream_;
  device::Buffer<std::uint64_t> settled_;  // bits of delegates whose own device has found them
  device::Buffer<FoundDelegate<Parent>> found_;
  // What is asked for at the end, only as large as it has been: places of questions, answers to others, the names that
  // go with them, and those that were heard.
  device::Buffer<std::uint64_t> places_;
  device::Buffer<std::int32_t> said_levels_;
  device::Buffer<Label> said_names_, heard_names_;
  DevicePieces pieces_, answers_, names_;
};

template <typename Parent>
void PartSettling<Parent>::settle(const PartView<Parent>& view, std::uint32_t* mine, const Claimed* claimed,
                                  std::uint64_t claimed_count, Exchange& exchange)
{
  if (options_.deterministic) {
    device::launch(choose_smallest_block_per_delegate<Parent>, std::min(view.delegates, 1u << 16),
                   device::block_threads, stream_, view);
    device::launch_over(std::uint64_t{view.vertices} * warp_threads, choose_smallest_warp_per_vertex<Parent>, stream_,
                        view);
    device::fill_bytes(mine, 0xff, view.normal_base / 8, stream_);  // who has none says so by -1
  }
  settle_delegates(view, mine, exchange);
  settle_far(view, claimed, claimed_count, exchange);
  if (notes_all_levels(part_, options_))
    device::launch_over(view.delegates, move_level_thread_per_delegate<Parent>, stream_, view);
  stream_.wait();
}

// The device of a delegate mostly has found a parent for it; then others do not send theirs, unless it has to be the
// smallest. Where it has not, every device that has one sends it, and the smallest stays.
template <typename Parent>
void PartSettling<Parent>::settle_delegates(const PartView<Parent>& view, const std::uint32_t* mine, Exchange& exchange)
{
  if (view.delegates == 0) return;
  Round const only{0, true};
  auto* const settled = reinterpret_cast<std::uint32_t*>(settled_.data());
  if (options_.deterministic) {
    settled_.fill_bytes(0, stream_);
  } else {
    device::launch_over(view.normal_base / 32, mark_settled_thread_per_word, stream_, mine, index_.home_bits.data(),
                        std::uint64_t{view.normal_base / 32}, settled);
    stream_.wait();
    exchange.post(only, {{}, {settled_.data(), settled_.size()}, true});
    exchange.collect(only, [](Piece) {});
  }
  counters_.clear();
  pieces_.begin_round();
  device::launch(deal_delegate_parents<Parent>, far_.blocks_for(view.delegates), deal_threads, stream_, view, mine,
                 settled, part_.homes.data(), far_.home_bins(), found_.data());
  counters_.read();
  pieces_.add_bins(found_.data(), sizeof(FoundDelegate<Parent>), part_.homes_before, counters_.counts_read());
  exchange.post(only, {pieces_.pieces(), {}, false});
  collect_items<FoundDelegate<Parent>>(exchange, Taken::at_once, [&](const auto& arrivals) {
    device::launch_over(arrivals.total(), keep_smallest_thread_per_item<Parent>, stream_, arrivals, view);
  });
}

template <typename Parent>
template <typename Item>
void PartSettling<Parent>::collect_items(Exchange& exchange, Taken taken,
                                         const std::function<void(const Arrivals<Item>&)>& take)
{
  ArrivalsTaker<Item> taker(pieces_, taken, take);
  exchange.collect({0, true}, [&](Piece arrived) { taker.add(arrived); });
  taker.finish();
}

// What others ask for, when all of it has come.
template <typename Parent>
void PartSettling<Parent>::answer(const PartView<Parent>& view, Exchange& exchange)
{
  std::vector<Arrivals<Vertex>> batches;
  collect_items<Vertex>(exchange, Taken::for_later, [&](const Arrivals<Vertex>& asked) { batches.push_back(asked); });
  std::uint64_t total = 0;
  for (const auto& asked : batches) total += asked.total();
  make_room(said_levels_, total, part_.out.targets.size());
  if (labels_.own_only) make_room(said_names_, total, part_.out.targets.size());
  std::uint64_t first = 0;
  for (const auto& asked : batches) {
    if (labels_.own_only) {
      device::launch_over(asked.total(), name_thread_per_question, stream_, part_.labels.data(), asked,
                          said_names_.data() + first);
      add_answers(names_, asked, said_names_.data() + first);
    }
    device::launch_over(asked.total(), answer_thread_per_question<Parent>, stream_, view, asked,
                        said_levels_.data() + first);
    add_answers(answers_, asked, said_levels_.data() + first);
    first += asked.total();
  }
}

template <typename Parent>
void PartSettling<Parent>::settle_far(const PartView<Parent>& view, const Claimed* claimed, std::uint64_t claimed_count,
                                      Exchange& exchange)
{
  Round const only{0, true};
  const DeviceFarRows& rows = part_.incoming();
  bool const finder_is_sure = options_.senders == 0 || options_.senders == part_.devices;
  std::uint64_t const looked_at = options_.deterministic ? view.vertices : claimed_count;
  counters_.clear();
  device::launch_over(looked_at, list_asking_warp_per_32<Parent>, stream_, view, far_rows_view(rows), labels_,
                      AskingRule{options_.deterministic, finder_is_sure}, options_.deterministic ? nullptr : claimed,
                      looked_at, far_.built(), &counters_.tally()->far);
  std::uint64_t const both = looked_at == 0 ? 0 : counters_.read().far;
  std::uint64_t const asking = far_.built().lists(both), questions = far_.built().entries(both);
  FarLists const lists = far_.lists(asking, rows);
  make_room(places_, questions, rows.targets.size());
  pieces_.begin_round();
  if (asking != 0) {
    device::launch(deal_questions, far_.blocks_for(questions), deal_threads, stream_, lists, questions,
                   far_.question_bins(), far_.numbers(), places_.data());
    counters_.read();
    pieces_.add_bins(far_.numbers(), sizeof(Vertex), rows.entries_before, counters_.counts_read());
  }
  exchange.post(only, {pieces_.pieces(), {}, false});
  answers_.begin_round();
  names_.begin_round();
  answer(view, exchange);
  auto const hear = [&]<typename Answer>(DevicePieces& said, Answer* heard) {
    exchange.post(only, {said.pieces(), {}, false});
    collect_items<Answer>(exchange, Taken::for_later, [&](const Arrivals<Answer>& answers) {
      device::launch_over(answers.total(), hear_thread_per_answer<Answer>, stream_, answers,
                          far_.question_bins().before, heard);
    });
  };
  auto* const levels = reinterpret_cast<std::int32_t*>(far_.numbers());  // nobody reads the questions any more
  hear(answers_, levels);
  if (labels_.own_only) {
    make_room(heard_names_, rows.targets.size());
    hear(names_, heard_names_.data());
  }
  device::launch_over(asking * warp_threads, choose_asked_warp_per_vertex<Parent>, stream_, view, lists, labels_,
                      options_.deterministic, levels, heard_names_.data(), places_.data());
}

}  // namespace brushfire::cuda
