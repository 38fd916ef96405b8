// Which way the tuples of a share come to the device; and the way by the host, where threads turn labels into indices
// in one pinned block while the block before it is copied.
#include "input/cuda/tuples_on_device.hpp"

#include "device/buffer.hpp"
#include "input/edge_blocks.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace brushfire {

namespace {

constexpr std::uint64_t tuples_in_block = std::uint64_t{1} << 18;

class TuplesFromHost final : public TuplesOnDevice {
 public:
  TuplesFromHost(const TupleShare& share, const DealtLabels& labels, Team team)
      : share_(share), labels_(labels), team_(team), scratch_(static_cast<std::size_t>(team.threads))
  {
    for (Lane& lane : lanes_) lane.pairs = device::PinnedBuffer<IndexPair>(std::min(share.size(), tuples_in_block));
  }

  std::uint64_t size() const override { return share_.size(); }

  void read(std::uint64_t first, std::uint64_t count, IndexPair* pairs, const device::Stream& stream) override
  {
    for (std::uint64_t done = 0; done < count; done += tuples_in_block) {
      std::uint64_t const length = std::min(tuples_in_block, count - done);
      Lane& lane = lanes_[turn_++ % lanes_.size()];
      lane.copied.wait();  // the block before last
      translate(share_.first + first + done, lane.pairs.span().first(length));
      device::copy_to_device(pairs + done, lane.pairs.data(), length * sizeof(IndexPair), stream);
      lane.copied.record(stream);
    }
  }

 private:
  struct Lane {
    device::PinnedBuffer<IndexPair> pairs;
    device::Event copied;
  };

  void translate(std::uint64_t first, std::span<IndexPair> pairs)
  {
    team_.for_blocks(pairs.size(), edges_per_block, [&](std::uint64_t begin, std::uint64_t end, int thread) {
      auto& tuples = scratch_[static_cast<std::size_t>(thread)];
      tuples.resize(end - begin);
      share_.source.read(first + begin, tuples);
      for (std::uint64_t i = begin; i < end; ++i)
        pairs[i] = {labels_.index_of(tuples[i - begin].source), labels_.index_of(tuples[i - begin].target)};
    });
  }

  TupleShare share_;
  const DealtLabels& labels_;
  Team team_;
  std::vector<std::vector<Edge>> scratch_;  // per thread
  std::array<Lane, 2> lanes_;
  std::size_t turn_ = 0;
};

const KroneckerEdges* generator_of(const TupleShare& share)
{
  return dynamic_cast<const KroneckerEdges*>(&share_of_whole(share).source);
}

}  // namespace

// Its labels are its vertices, which is what the generator writes.
bool generates_on_device(const TupleShare& share, const DealtLabels& labels)
{
  DealtLabelsView const view = labels.view();
  return generator_of(share) != nullptr && view.table == nullptr && view.first == 0 && !view.own_only;
}

std::unique_ptr<TuplesOnDevice> tuples_on_device(const TupleShare& share, const DealtLabels& labels, Team team)
{
  if (generates_on_device(share, labels))
    return generate_share(*generator_of(share), share_of_whole(share).first, share.size());
  return std::make_unique<TuplesFromHost>(share, labels, team);
}

}  // namespace brushfire
