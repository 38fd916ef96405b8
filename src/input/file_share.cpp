#include "input/file_share.hpp"

#include "base/error.hpp"
#include "input/edge_blocks.hpp"
#include "input/symmetry.hpp"

#include <algorithm>

namespace brushfire {

std::pair<std::uint64_t, std::uint64_t> Share::of(std::uint64_t items) const
{
  auto const shares = static_cast<std::uint64_t>(count);
  auto const start_of = [&](std::uint64_t share) { return items / shares * share + std::min(items % shares, share); };
  auto const own = static_cast<std::uint64_t>(index);
  return {start_of(own), start_of(own + 1)};
}

Promise Promise::of_entries(std::string place, Label promised, const char* what)
{
  return {[place = std::move(place), promised, what](const Tally& all, EdgeFacts&) {
    if (all.entries != static_cast<std::uint64_t>(promised))
      fail(ErrorKind::input, "{}: promises {} {}, but {} follow", place, promised, what, all.entries);
  }};
}

FileShare::FileShare(std::unique_ptr<EdgeSource> tuples, Share share, const Tally& tally, Promise promise)
    : EdgeSource(tuples->facts()),
      tuples_(std::move(tuples)),
      share_(share),
      tally_(tally),
      promise_(std::move(promise))
{
  if (share_.is_whole()) settle(tally_);
}

void FileShare::settle(const Tally& all)
{
  promise_.check(all, facts_);
  if (!promise_.symmetric || all.imbalance == 0) return;
  name_witness(facts_, [&](const TakeTuples& take) {
    for (Share other{0, share_.count}; other.index < other.count; ++other.index) {
      auto const opened = other.index == share_.index ? nullptr : open_share_(other);
      for_each_edge_block(opened ? *opened : *tuples_, Team{1}, Progress::none(),
                          [&](std::uint64_t, std::span<const Edge> edges, int) { take(edges); });
    }
  });
}

}  // namespace brushfire
