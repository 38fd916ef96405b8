#include "build/part.hpp"

#include <bit>
#include <utility>

namespace brushfire {

Delegates::Delegates(Buffer<Member> by_rank) : members_(std::move(by_rank))
{
  if (members_.size() == 0) return;
  table_ = Buffer<Vertex>(std::bit_ceil(2 * members_.size()));
  shift_ = 64 - std::countr_zero(table_.size());
  for (Vertex rank = 0; rank < members_.size(); ++rank) {
    std::uint64_t slot = slot_of(members_[rank].index);
    while (table_[slot] != 0) slot = (slot + 1) & (table_.size() - 1);
    table_[slot] = rank + 1;
  }
}

}  // namespace brushfire
