// A set of vertices on its way to another device. No message is longer than the bits of all vertices it could name, and
// its buffer is made once.
#pragma once

#include "base/bits.hpp"
#include "base/buffer.hpp"
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
    std::size_t const bit_words = words_.size() - 1;
    bool const as_bits = is_sent_as_bits(members.size(), bit_words * word_bits);
    words_[0] = as_bits ? bits_follow : list_follows;
    Word* const content = words_.data() + 1;
    if (as_bits) {
      std::fill_n(content, bit_words, Word{0});
      for (Vertex const v : members) set_bit(content, v);
    } else if (!members.empty()) {
      std::memcpy(content, members.data(), members.size_bytes());
    }
    std::size_t const bytes = as_bits ? bit_words * sizeof(Word) : members.size_bytes();
    return std::as_bytes(words_.span()).first(sizeof(Word) + bytes);
  }

  // Calls body(v) for every member of what another device packed.
  template <typename Body>
  static void for_each(std::span<const std::byte> packed, Body&& body)
  {
    Word form = 0;
    std::memcpy(&form, packed.data(), sizeof(form));
    std::byte const* const content = packed.data() + sizeof(form);
    std::size_t const bytes = packed.size() - sizeof(form);
    if (form == list_follows) {
      auto const* const members = reinterpret_cast<const Vertex*>(content);
      for (std::size_t i = 0; i < bytes / sizeof(Vertex); ++i) body(members[i]);
      return;
    }
    auto const* const bits = reinterpret_cast<const Word*>(content);
    for (std::uint64_t w = 0; w < bytes / sizeof(Word); ++w)
      for_each_bit(bits[w], w * word_bits, [&](std::uint64_t v) { body(static_cast<Vertex>(v)); });
  }

 private:
  Buffer<Word> words_;  // the form, then the content
};

}  // namespace brushfire::cpu
