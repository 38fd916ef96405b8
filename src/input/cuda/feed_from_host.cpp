// Tuples of any source on the host, carried to the device: threads translate labels into one pinned block while the
// block before it is copied. Kept as pairs, they are carried once.
#include "device/buffer.hpp"
#include "input/cuda/device_edges.hpp"
#include "input/edge_blocks.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <vector>

namespace brushfire {

namespace {

constexpr std::uint64_t tuples_in_block = std::uint64_t{1} << 22;

class Feed {
 public:
  Feed(const EdgeSource& source, const Labels& labels, Team team)
      : source_(source), labels_(labels), team_(team), scratch_(static_cast<std::size_t>(team.threads))
  {
    for (Lane& lane : lanes_) lane.pairs = device::PinnedBuffer<VertexPair>(block_size());
  }

  std::uint64_t edges() const { return source_.facts().edges; }
  std::uint64_t block_size() const { return std::min(edges(), tuples_in_block); }

  // Puts block after block where place(first) says, and calls arrived(first, count).
  template <typename Place, typename Arrived>
  void carry(const device::Stream& stream, Place&& place, Arrived&& arrived)
  {
    for (std::uint64_t first = 0; first < edges(); first += tuples_in_block) {
      std::uint64_t const count = std::min(tuples_in_block, edges() - first);
      Lane& lane = lanes_[first / tuples_in_block % lanes_.size()];
      lane.copied.wait();  // the block before last
      translate(first, lane.pairs.span().first(count));
      device::copy_to_device(place(first), lane.pairs.data(), count * sizeof(VertexPair), stream);
      lane.copied.record(stream);
      arrived(first, count);
    }
  }

 private:
  struct Lane {
    device::PinnedBuffer<VertexPair> pairs;
    device::Event copied;
  };

  void translate(std::uint64_t first, std::span<VertexPair> pairs)
  {
    team_.for_blocks(pairs.size(), edges_per_block, [&](std::uint64_t begin, std::uint64_t end, int thread) {
      auto& tuples = scratch_[static_cast<std::size_t>(thread)];
      tuples.resize(end - begin);
      source_.read(first + begin, tuples);
      for (std::uint64_t i = begin; i < end; ++i)
        pairs[i] = {labels_.vertex(tuples[i - begin].source), labels_.vertex(tuples[i - begin].target)};
    });
  }

  const EdgeSource& source_;
  const Labels& labels_;
  Team team_;
  std::vector<std::vector<Edge>> scratch_;  // per thread
  std::array<Lane, 2> lanes_;
};

class FedEdges final : public DeviceEdges {
 public:
  FedEdges(const EdgeSource& source, const Labels& labels, Team team)
      : feed_(source, labels, team), block_(feed_.block_size())
  {
  }

  std::uint64_t edges() const override { return feed_.edges(); }

  void for_each_block(const device::Stream& stream, const Use& use) const override
  {
    std::lock_guard const alone(mutex_);
    feed_.carry(
        stream, [&](std::uint64_t) { return block_.data(); },
        [&](std::uint64_t first, std::uint64_t count) { use(first, block_.data(), count); });
    stream.wait();  // the next pass may use another stream
  }

 private:
  mutable std::mutex mutex_;  // one pass at a time has the blocks
  mutable Feed feed_;
  mutable device::Buffer<VertexPair> block_;
};

class KeptEdges final : public DeviceEdges {
 public:
  KeptEdges(const EdgeSource& source, const Labels& labels, Team team, const device::Stream& stream)
      : pairs_(source.facts().edges)
  {
    Feed feed(source, labels, team);
    feed.carry(
        stream, [&](std::uint64_t first) { return pairs_.data() + first; }, [](std::uint64_t, std::uint64_t) {});
    stream.wait();  // before the pinned blocks go
  }

  std::uint64_t edges() const override { return pairs_.size(); }

  void for_each_block(const device::Stream&, const Use& use) const override
  {
    constexpr std::uint64_t most = std::uint64_t{1} << 28;
    for (std::uint64_t first = 0; first < edges(); first += most)
      use(first, pairs_.data() + first, std::min(most, edges() - first));
  }

 private:
  device::Buffer<VertexPair> pairs_;
};

}  // namespace

std::shared_ptr<const DeviceEdges> feed_from_host(const EdgeSource& source, const Labels& labels, Team team, bool keep,
                                                  const device::Stream& stream)
{
  if (keep) return std::make_shared<KeptEdges>(source, labels, team, stream);
  return std::make_shared<FedEdges>(source, labels, team);
}

}  // namespace brushfire
