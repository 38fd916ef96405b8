// A bounded record of a search of any number of levels. Whatever is merged, the counts of all records
// add up to what was added and their levels rise without a gap. add() costs amortised constant time:
// buckets are paired only when as many levels as they hold have come since they were last paired.
#include <brushfire/trace.hpp>

#include <algorithm>
#include <utility>

namespace brushfire {

namespace {

void absorb(LevelRecord& into, const LevelRecord& next)
{
  into.levels += next.levels;
  into.frontier += next.frontier;
  into.edges_checked += next.edges_checked;
  into.discovered += next.discovered;
  into.seconds += next.seconds;
  into.bytes_sent += next.bytes_sent;
  into.messages += next.messages;
  into.messages_parents += next.messages_parents;
  into.bytes_masks += next.bytes_masks;
  into.bytes_vertices += next.bytes_vertices;
  into.bytes_parents += next.bytes_parents;
  into.exchange_seconds += next.exchange_seconds;
  into.waited_seconds += next.waited_seconds;
  into.most_checked += next.most_checked;
  into.most_bytes += next.most_bytes;
  into.most_messages += next.most_messages;
}

}  // namespace

void Trace::clear()
{
  head_.clear();
  buckets_.clear();
  tail_.clear();
  bucket_levels_ = 1;
  oldest_ = 0;
  levels_ = 0;
}

void Trace::add(const LevelRecord& record)
{
  levels_ += record.levels;
  if (tail_.empty() && head_.size() < kept_whole) {
    head_.push_back(record);
    return;
  }
  if (tail_.empty()) summarise();
  merge_into_middle(tail_[oldest_]);
  tail_[oldest_] = record;
  oldest_ = (oldest_ + 1) % kept_at_ends;
}

void Trace::add_parent_traffic(std::uint64_t bytes, std::uint64_t messages)
{
  if (levels_ == 0) return;  // a root that is the target: nobody asks for parents
  LevelRecord& last = tail_.empty() ? head_.back() : tail_[(oldest_ + kept_at_ends - 1) % kept_at_ends];
  last.bytes_sent += bytes;
  last.bytes_parents += bytes;
  last.messages_parents += messages;
}

Trace Trace::of(std::vector<LevelRecord> records)
{
  Trace trace;
  trace.head_ = std::move(records);
  for (const LevelRecord& record : trace.head_) trace.levels_ += record.levels;
  return trace;
}

// From kept_whole single levels to a head, a middle and a tail.
void Trace::summarise()
{
  static_assert(kept_whole > 2 * kept_at_ends);
  tail_.assign(head_.end() - kept_at_ends, head_.end());
  for (std::size_t i = kept_at_ends; i < kept_whole - kept_at_ends; ++i) merge_into_middle(head_[i]);
  head_.resize(kept_at_ends);
}

void Trace::merge_into_middle(const LevelRecord& record)
{
  if (!buckets_.empty() && buckets_.back().levels < bucket_levels_) {
    absorb(buckets_.back(), record);
    return;
  }
  if (buckets_.size() == most_buckets) {
    static_assert(most_buckets % 2 == 0);
    for (std::size_t i = 0; i < most_buckets; i += 2) {
      absorb(buckets_[i], buckets_[i + 1]);
      buckets_[i / 2] = buckets_[i];
    }
    buckets_.resize(most_buckets / 2);
    bucket_levels_ *= 2;
  }
  buckets_.push_back(record);
}

std::vector<LevelRecord> Trace::records() const
{
  std::vector<LevelRecord> all;
  all.reserve(head_.size() + buckets_.size() + tail_.size());
  all.insert(all.end(), head_.begin(), head_.end());
  all.insert(all.end(), buckets_.begin(), buckets_.end());
  auto const oldest = tail_.begin() + static_cast<std::ptrdiff_t>(oldest_);
  all.insert(all.end(), oldest, tail_.end());
  all.insert(all.end(), tail_.begin(), oldest);
  return all;
}

}  // namespace brushfire
