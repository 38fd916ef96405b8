// A set of vertices on its way to another device. No message is longer than the bits of all vertices it could name, and
// its buffer is made once.
#pragma once

#include "base/bits.hpp"
#include "base/buffer.hpp"
#include "traverse/cpu/frontier.hpp"
#include "traverse/set_form.hpp"

#include <brushfire/types.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace brushfire::cpu {

class PackedSet {
 public:
  explicit PackedSet(std::uint64_t vertices) : words_(1 + words_for(vertices)) {}

  // Members are numbers below `vertices`. What is returned lasts until the next call.
  std::span<const std::byte> pack(std::span<const Vertex> members)
  {
    if (!as_bits(members.size())) return pack_list(members);
    std::fill_n(content(), bit_words(), Word{0});
    for (Vertex const v : members) set_bit(content(), v);
    return packed(bits_follow, bit_words() * sizeof(Word));
  }
  std::span<const std::byte> pack(Frontier& members)
  {
    if (!as_bits(members.size())) return pack_list(members.queue());
    std::copy_n(members.bits(), bit_words(), content());
    return packed(bits_follow, bit_words() * sizeof(Word));
  }

  static bool is_bits(std::span<const std::byte> packed)
  {
    Word form = 0;
    std::memcpy(&form, packed.data(), sizeof(form));
    return form == bits_follow;
  }

  // Calls body(w, bits) for words that hold what another device packed, each member once.
  template <typename Body>
  static void for_each_word(std::span<const std::byte> packed, Body&& body)
  {
    std::byte const* const content = packed.data() + sizeof(Word);
    std::size_t const bytes = packed.size() - sizeof(Word);
    if (!is_bits(packed)) {
      auto const* const members = reinterpret_cast<const Vertex*>(content);
      for (std::size_t i = 0; i < bytes / sizeof(Vertex); ++i) body(members[i] / word_bits, bit_of(members[i]));
      return;
    }
    auto const* const bits = reinterpret_cast<const Word*>(content);
    for (std::uint64_t w = 0; w < bytes / sizeof(Word); ++w)
      if (bits[w] != 0) body(w, bits[w]);
  }

 private:
  std::size_t bit_words() const { return words_.size() - 1; }
  bool as_bits(std::uint64_t members) const { return is_sent_as_bits(members, bit_words() * word_bits); }
  Word* content() { return words_.data() + 1; }
  std::span<const std::byte> pack_list(std::span<const Vertex> members)
  {
    if (!members.empty()) std::memcpy(content(), members.data(), members.size_bytes());
    return packed(list_follows, members.size_bytes());
  }
  std::span<const std::byte> packed(Word form, std::size_t bytes)
  {
    words_[0] = form;
    return std::as_bytes(words_.span()).first(sizeof(Word) + bytes);
  }

  Buffer<Word> words_;  // the form, then the content
};

}  // namespace brushfire::cpu
