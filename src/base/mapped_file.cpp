#include "base/mapped_file.hpp"

#include "base/error.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace brushfire {

MappedFile::MappedFile(const std::filesystem::path& path) : path_(path)
{
  if (path.empty()) fail(ErrorKind::usage, "the file name is empty");
  int const file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) fail(ErrorKind::input, "{}: cannot be opened: {}", path.string(), std::strerror(errno));
  struct stat status {};
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(file);
    fail(ErrorKind::input, "{}: is {}, not a file", path.string(),
         S_ISDIR(status.st_mode) ? "a directory" : "a pipe or a device");
  }
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ > 0) {
    void* const start = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    int const error = errno;
    close(file);
    if (start == MAP_FAILED)
      fail(error == ENOMEM ? ErrorKind::memory : ErrorKind::input, "{}: cannot be mapped: {}", path.string(),
           std::strerror(error));
    data_ = static_cast<const std::byte*>(start);
  } else {
    close(file);
  }
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0))
{
}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept
{
  std::swap(path_, other.path_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile()
{
  if (data_ != nullptr) munmap(const_cast<std::byte*>(data_), size_);
}

}  // namespace brushfire
