// A graph file, or one of several shares of it, as an EdgeSource. Every tuple of the file belongs to exactly one
// share, and the shares, one behind the other, are its tuple list; memory is bounded by the share.
//
// A share alone cannot tell whether the file keeps what its header promises. It tallies what it found; the sum over
// all shares is handed to each of them (settle), which throws what reading the whole file would have thrown. The
// whole file is share 0 of 1 and settles by itself.
#pragma once

#include "input/edge_source.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace brushfire {

struct Share {
  int index = 0;
  int count = 1;

  bool is_whole() const { return count == 1; }
  // Its part of `items` things that stand in a row: [first, last).
  std::pair<std::uint64_t, std::uint64_t> of(std::uint64_t items) const;
};

// What a share found; to be summed over all shares. Sums wrap around.
struct Tally {
  std::uint64_t entries = 0;  // as written: an entry that is listed both ways counts once
  std::uint64_t self_loops = 0;
  std::uint64_t imbalance = 0;  // of hashes; zero in all when whatever must be listed two ways is

  friend bool operator==(const Tally&, const Tally&) = default;
};

// What a file says about itself, held against the tally of all its shares.
struct Promise {
  // Throws Error(input) when it is broken; completes the facts that only all shares together tell.
  std::function<void(const Tally& all, EdgeFacts& facts)> check;
  bool symmetric = false;  // every tuple is listed both ways; a broken promise names one that is not

  // "place: promises 7 entries, but 6 follow".
  static Promise of_entries(std::string place, Label promised, const char* what);
};

class FileShare final : public EdgeSource {
 public:
  using OpenShare = std::function<std::unique_ptr<EdgeSource>(Share)>;

  FileShare(std::unique_ptr<EdgeSource> tuples, Share share, const Tally& tally, Promise promise);

  void read(std::uint64_t first, std::span<Edge> out) const override { tuples_->read(first, out); }

  Share share() const { return share_; }
  const Tally& tally() const { return tally_; }
  void settle(const Tally& all);  // before facts() are relied upon

  // The number of its first tuple in the list of the whole file, where the file tells.
  std::optional<std::uint64_t> first_tuple() const { return first_tuple_; }
  void starts_at(std::uint64_t first_tuple) { first_tuple_ = first_tuple; }
  // How to look at the other shares, one after the other: only to say where a file that is refused is wrong.
  void finds_others_by(OpenShare open) { open_share_ = std::move(open); }

 private:
  std::unique_ptr<EdgeSource> tuples_;
  Share share_;
  Tally tally_;
  Promise promise_;
  std::optional<std::uint64_t> first_tuple_;
  OpenShare open_share_;
};

}  // namespace brushfire
