// How long stages tell the outside how far they are. A surface derives from Progress and draws; the
// library only reports. advance() is called from many threads at once, begin() and end() from one.
#pragma once

#include <cstdint>
#include <string_view>

#pragma GCC visibility push(default)
namespace brushfire {

class Progress {
 public:
  virtual ~Progress() = default;
  // `total` counts `unit`s ("edges", "searches", "bytes"); 0 when it is not known.
  virtual void begin(std::string_view stage, std::uint64_t total, std::string_view unit) = 0;
  virtual void advance(std::uint64_t done) = 0;
  virtual void end() = 0;
  // A remark worth a line on stderr: "labels start at 1; written from 0".
  virtual void note(std::string_view message) = 0;

  // Swallows everything; what is used where the caller gives no Progress.
  static Progress& none();
};

}  // namespace brushfire
#pragma GCC visibility pop
