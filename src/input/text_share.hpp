// What one share of a text file has before it: the head of the file, which every share reads, and the lines that start
// in its part of the bytes. Of a mapped file both are views, and no share touches the part of another.
//
// A packed file cannot be entered in the middle. Every share unpacks it twice, once to learn how long it is and once
// up to the end of its part, and keeps its own part only: memory is divided, time is not.
#pragma once

#include "base/parallel.hpp"
#include "input/file_share.hpp"
#include "input/text.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace brushfire {

// How many of some whole lines do not start with '%': the lists of a METIS file.
std::uint64_t count_lists(std::string_view lines);

class TextShare {
 public:
  // Of a text that is all there, mapped or unpacked; it must outlive this.
  TextShare(std::string_view text, std::string name, Share share = {});
  // Throws Error(input) for a damaged stream, Error(memory) when the share does not fit.
  static TextShare of_packed(std::span<const std::byte> packed, std::string name, Share share);

  const std::string& name() const { return name_; }
  Share share() const { return share_; }
  // The text from its start on: all of it, or enough to hold any sensible header.
  std::string_view head() const { return head_; }
  // The lines of this share, without those of the header, which ends at a place in the head.
  std::string_view lines_after(const char* header_end) const;

  // Lists behind the header.
  struct Lists {
    std::uint64_t before = 0;  // those of this share
    std::uint64_t all = 0;
  };
  Lists lists_after(const char* header_end, Team team) const;

  std::string place_of(const char* at) const;              // "name:line" of a place in the head or the own lines
  [[noreturn]] void refuse(const Mistake& mistake) const;  // Throws Error(input): "name:line: what"

 private:
  struct Unpacked;

  std::string_view own() const;
  bool head_ends_at(const char* at) const;
  [[noreturn]] void refuse_header() const;

  std::string_view head_;
  std::string name_;
  Share share_;
  std::shared_ptr<const Unpacked> unpacked_;  // null when the text is all there
};

}  // namespace brushfire
