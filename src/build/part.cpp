#include "build/part.hpp"

#include <algorithm>
#include <utility>

namespace brushfire {

Delegates::Delegates(Buffer<Member> by_rank) : members_(std::move(by_rank)), ranked_(members_.size())
{
  std::uint64_t words = 0;
  for (const Member& member : members_.span()) words = std::max(words, member.index / 32 + 1);
  words_ = Buffer<Word>(words);
  for (const Member& member : members_.span()) words_[member.index / 32].bits |= 1u << member.index % 32;
  std::uint32_t before = 0;
  for (Word& word : words_.span()) {
    word.before = before;
    before += static_cast<std::uint32_t>(std::popcount(word.bits));
  }
  for (Vertex rank = 0; rank < members_.size(); ++rank) {
    std::uint64_t const index = members_[rank].index;
    Word const word = words_[index / 32];
    ranked_[word.before + static_cast<std::uint32_t>(std::popcount(word.bits & ((1u << index % 32) - 1)))] = {
        rank, members_[rank].home_for_edges().degree};
  }
}

}  // namespace brushfire
