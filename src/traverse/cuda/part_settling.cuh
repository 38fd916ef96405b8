// Completes the parents of a part together with the other devices; the kernels are those of part_parents.cuh.
#pragma once

#include "base/labels_view.hpp"
#include "build/cuda/device_part.hpp"
#include "device/launch.cuh"
#include "exchange/exchange.hpp"
#include "traverse/cuda/cuda_stepper.hpp"
#include "traverse/cuda/far_deal.cuh"
#include "traverse/cuda/part_parents.cuh"
#include "exchange/cuda/piece_staging.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace brushfire::cuda {

template <typename Parent>
class PartSettling {
 public:
  PartSettling(const DevicePart& part, DealtLabelsView labels, const CudaStepperOptions& options, FarDeal& far,
               PieceStaging& staging, const device::Stream& stream)
      : part_(part),
        labels_(labels),
        options_(options),
        far_(far),
        staging_(staging),
        stream_(stream),
        found_(part.layout.delegates),
        tally_(1),
        answers_(stream),
        names_(stream)
  {
  }

  // Every device calls it after its last level.
  void settle(const SearchView<Parent>& view, Exchange& exchange);

 private:
  void settle_delegates(const SearchView<Parent>& view, Exchange& exchange);
  void settle_far(const SearchView<Parent>& view, Exchange& exchange);

  const DevicePart& part_;
  DealtLabelsView labels_;
  CudaStepperOptions options_;
  FarDeal& far_;
  PieceStaging& staging_;
  const device::Stream& stream_;
  device::Buffer<FoundDelegate<Parent>> found_;
  device::Buffer<PartTally> tally_;
  PieceStaging answers_, names_;  // made while others still read the questions
  device::Buffer<Label> asked_names_, heard_names_;
};

template <typename Parent>
void PartSettling<Parent>::settle(const SearchView<Parent>& view, Exchange& exchange)
{
  if (options_.deterministic) {
    device::launch(choose_smallest_block_per_delegate<Parent>, std::min(view.delegates, 1u << 16),
                   device::block_threads, stream_, view);
    device::launch_over(std::uint64_t{view.vertices} * warp_threads, choose_smallest_warp_per_vertex<Parent>, stream_,
                        view);
  }
  settle_delegates(view, exchange);
  settle_far(view, exchange);
  device::launch_over(view.delegates, move_home_thread_per_delegate<Parent>, stream_, view, part_.homes.data(),
                      part_.device);
  stream_.wait();
}

// Every device that found a delegate sends its parent to the device where the delegate lives, which keeps the smallest.
template <typename Parent>
void PartSettling<Parent>::settle_delegates(const SearchView<Parent>& view, Exchange& exchange)
{
  Round const only{0, true};
  stream_.wait();
  staging_.begin_round();
  device::launch(deal_delegate_parents<Parent>, far_.blocks_for(view.delegates), deal_threads, stream_,
                 view.delegate_parents, part_.homes.data(), std::uint64_t{view.delegates}, far_.home_bins(),
                 found_.data());
  device::fill_bytes(view.delegate_parents, 0xff, view.delegates * sizeof(Parent), stream_);
  staging_.add_bins(found_.data(), sizeof(FoundDelegate<Parent>), part_.homes_before, far_.counts());
  exchange.post(only, {staging_.pieces(), {}, false});
  exchange.collect(only, [&](brushfire::Piece arrived) {
    std::uint64_t const count = arrived.bytes.size() / sizeof(FoundDelegate<Parent>);
    auto const* const found = static_cast<const FoundDelegate<Parent>*>(staging_.land(arrived));
    device::launch_over(count, keep_smallest_thread_per_item<Parent>, stream_, found, count, view.delegate_parents);
  });
}

template <typename Parent>
void PartSettling<Parent>::settle_far(const SearchView<Parent>& view, Exchange& exchange)
{
  Round const only{0, true};
  const DeviceFarRows& rows = part_.incoming();
  bool const finder_is_sure = options_.senders == 0 || options_.senders == part_.devices;
  tally_.fill_bytes(0, stream_);
  device::launch_over(view.vertices, list_asking_thread_per_vertex<Parent>, stream_, view, far_rows_view(rows), labels_,
                      AskingRule{options_.deterministic, finder_is_sure}, far_.built(), tally_.data());
  PartTally const tally = device::value_at(tally_, 0, stream_);
  std::uint64_t const asking = tally.asking, questions = tally.questions;
  staging_.begin_round();
  std::optional<FarLists> lists;
  std::uint64_t* const places = far_.places(questions);
  if (asking != 0) {
    lists = far_.lists(asking, rows);
    device::launch(deal_questions, far_.blocks_for(questions), deal_threads, stream_, *lists, questions,
                   far_.question_bins(), far_.numbers(), places);
    staging_.add_bins(far_.numbers(), sizeof(Vertex), rows.entries_before, far_.counts());
  }
  exchange.post(only, {staging_.pieces(), {}, false});
  answers_.begin_round();
  names_.begin_round();
  exchange.collect(only, [&](brushfire::Piece asked) {
    std::uint64_t const count = asked.bytes.size() / sizeof(Vertex);
    auto* const numbers = static_cast<Vertex*>(staging_.land(asked));
    if (labels_.own_only) {
      Label* const names = grow(asked_names_, count, stream_);
      device::launch_over(count, name_thread_per_question, stream_, part_.labels.data(), numbers, count, names);
      names_.add(asked.device, names, count * sizeof(Label));
    }
    device::launch_over(count, answer_thread_per_question, stream_, view.levels, numbers, count);
    answers_.add(asked.device, numbers, asked.bytes.size());
  });
  auto const hear = [&](PieceStaging& said, auto* heard) {
    exchange.post(only, {said.pieces(), {}, false});
    exchange.collect(only, [&](brushfire::Piece piece) {
      staging_.land_at(heard + rows.entries_before[static_cast<std::size_t>(piece.device)], piece);
    });
  };
  hear(answers_, far_.numbers());
  if (labels_.own_only) hear(names_, grow(heard_names_, rows.targets.size(), stream_));
  if (lists)
    device::launch_over(asking * warp_threads, choose_asked_warp_per_vertex<Parent>, stream_, view, *lists, labels_,
                        options_.deterministic, far_.numbers(), labels_.own_only ? heard_names_.data() : nullptr,
                        places);
}

}  // namespace brushfire::cuda
