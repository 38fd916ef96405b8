// A file that appears whole or not at all: written beside its destination under a temporary name, renamed
// by commit(), removed when it is abandoned. Existing special files (/dev/null, a pipe) are written directly.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace brushfire {

// Whether an existing path is written as it stands: a device, a pipe, an open file of this process.
bool is_stream(const std::filesystem::path& path);

// Whether discard_outputs() was called. Who writes by other means than OutputFile asks first.
bool outputs_are_discarded();

// What `path` leads to through links, whether or not it is there; throws Error(failure) where they turn in a circle.
std::filesystem::path end_of_links(const std::filesystem::path& path);

class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& path);  // throws Error(failure)
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  void write(std::span<const std::byte> bytes);  // throws Error(failure), for example when the disk is full
  void write(std::string_view text) { write(std::as_bytes(std::span(text.data(), text.size()))); }

  void commit();

 private:
  void flush();
  void write_through(std::span<const std::byte> bytes);

  std::filesystem::path path_;
  std::string temporary_;  // empty when written directly
  int slot_ = -1;          // in the table that remove_unfinished_outputs() reads
  int file_ = -1;
  std::vector<std::byte> pending_;
};

}  // namespace brushfire
