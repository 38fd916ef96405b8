// A file mapped read-only, whole.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace brushfire {

class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);  // throws Error(input): missing, directory, unreadable
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace brushfire
