// Completes the parents of a part together with the other devices; the kernels are those of part_parents.cuh.
#pragma once

#include "base/bits.hpp"
#include "base/labels_view.hpp"
#include "build/cuda/device_part.hpp"
#include "device/arena.hpp"
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

  // Every device calls it after its last level. `claimed` are the vertices that other devices found.
  void settle(const SearchView<Parent>& view, const Vertex* claimed, std::uint64_t claimed_count, Exchange& exchange);

 private:
  void settle_delegates(const SearchView<Parent>& view, Exchange& exchange);
  void settle_far(const SearchView<Parent>& view, const Vertex* claimed, std::uint64_t claimed_count,
                  Exchange& exchange);

  const DevicePart& part_;
  const PartIndex& index_;
  DealtLabelsView labels_;
  CudaStepperOptions options_;
  FarDeal& far_;
  PartCounters& counters_;
  const device::Stream& stream_;
  device::Buffer<std::uint64_t> settled_;  // bits of delegates whose own device has found them
  device::Buffer<FoundDelegate<Parent>> found_;
  device::DeviceArena room_;
  DevicePieces pieces_, answers_, names_;
};

template <typename Parent>
void PartSettling<Parent>::settle(const SearchView<Parent>& view, const Vertex* claimed, std::uint64_t claimed_count,
                                  Exchange& exchange)
{
  room_.give_back();
  if (options_.deterministic) {
    device::launch(choose_smallest_block_per_delegate<Parent>, std::min(view.delegates, 1u << 16),
                   device::block_threads, stream_, view);
    device::launch_over(std::uint64_t{view.vertices} * warp_threads, choose_smallest_warp_per_vertex<Parent>, stream_,
                        view);
  }
  settle_delegates(view, exchange);
  settle_far(view, claimed, claimed_count, exchange);
  device::launch_over(index_.at_home.size(), move_home_thread_per_delegate<Parent>, stream_, view,
                      index_.at_home.data(), index_.at_home.size(), part_.homes.data(),
                      notes_all_levels(part_, options_));
  stream_.wait();
}

// The device of a delegate mostly has found a parent for it; then others do not send theirs, unless it has to be the
// smallest. Where it has not, every device that has one sends it, and the smallest stays.
template <typename Parent>
void PartSettling<Parent>::settle_delegates(const SearchView<Parent>& view, Exchange& exchange)
{
  if (view.delegates == 0) return;
  Round const only{0, true};
  settled_.fill_bytes(0, stream_);
  auto* const settled = reinterpret_cast<std::uint32_t*>(settled_.data());
  if (!options_.deterministic) {
    device::launch_over(index_.at_home.size(), mark_settled_thread_per_delegate<Parent>, stream_, view.delegate_parents,
                        index_.at_home.data(), index_.at_home.size(), settled);
    stream_.wait();
    exchange.post(only, {{}, {settled_.data(), settled_.size()}, true});
    exchange.collect(only, [](Piece) {});
  }
  pieces_.begin_round();
  device::launch(deal_delegate_parents<Parent>, far_.blocks_for(view.delegates), deal_threads, stream_, view, settled,
                 part_.homes.data(), part_.device, far_.home_bins(), found_.data());
  counters_.read();
  pieces_.add_bins(found_.data(), sizeof(FoundDelegate<Parent>), part_.homes_before, counters_.counts_read());
  exchange.post(only, {pieces_.pieces(), {}, false});
  exchange.collect(only, [&](Piece arrived) {
    std::uint64_t const count = arrived.bytes.size() / sizeof(FoundDelegate<Parent>);
    auto const* const found = static_cast<const FoundDelegate<Parent>*>(pieces_.land(arrived));
    device::launch_over(count, keep_smallest_thread_per_item<Parent>, stream_, found, count, view.delegate_parents);
  });
}

template <typename Parent>
void PartSettling<Parent>::settle_far(const SearchView<Parent>& view, const Vertex* claimed,
                                      std::uint64_t claimed_count, Exchange& exchange)
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
  auto* const places = reinterpret_cast<std::uint64_t*>(room_.take(questions * sizeof(std::uint64_t)));
  pieces_.begin_round();
  if (asking != 0) {
    device::launch(deal_questions, far_.blocks_for(questions), deal_threads, stream_, lists, questions,
                   far_.question_bins(), far_.numbers(), places);
    counters_.read();
    pieces_.add_bins(far_.numbers(), sizeof(Vertex), rows.entries_before, counters_.counts_read());
  }
  exchange.post(only, {pieces_.pieces(), {}, false});
  answers_.begin_round();
  names_.begin_round();
  exchange.collect(only, [&](Piece asked) {
    std::uint64_t const count = asked.bytes.size() / sizeof(Vertex);
    auto const* const numbers = static_cast<const Vertex*>(pieces_.land(asked));
    if (labels_.own_only) {
      auto* const names = reinterpret_cast<Label*>(room_.take(count * sizeof(Label)));
      device::launch_over(count, name_thread_per_question, stream_, part_.labels.data(), numbers, count, names);
      names_.add(asked.device, names, count * sizeof(Label));
    }
    auto* const answers = reinterpret_cast<std::int32_t*>(room_.take(count * sizeof(std::int32_t)));
    device::launch_over(count, answer_thread_per_question<Parent>, stream_, view, numbers, count, answers);
    answers_.add(asked.device, answers, count * sizeof(std::int32_t));
  });
  auto const hear = [&](DevicePieces& said, auto* heard) {
    exchange.post(only, {said.pieces(), {}, false});
    exchange.collect(only, [&](Piece piece) {
      pieces_.land_at(heard + rows.entries_before[static_cast<std::size_t>(piece.device)], piece);
    });
  };
  auto* const levels = reinterpret_cast<std::int32_t*>(far_.numbers());  // nobody reads the questions any more
  hear(answers_, levels);
  Label* names = nullptr;
  if (labels_.own_only) {
    names = reinterpret_cast<Label*>(room_.take(rows.targets.size() * sizeof(Label)));
    hear(names_, names);
  }
  device::launch_over(asking * warp_threads, choose_asked_warp_per_vertex<Parent>, stream_, view, lists, labels_,
                      options_.deterministic, levels, names, places);
}

}  // namespace brushfire::cuda
