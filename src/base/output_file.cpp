// The names of unfinished files stand in a fixed table of plain characters, because a signal handler
// may read nothing that is being changed. A slot's flag is raised after its name is complete.
#include "base/output_file.hpp"

#include "base/error.hpp"

#include <brushfire/output.hpp>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace brushfire {

namespace {

constexpr std::size_t flush_bytes = 1 << 20;

std::atomic<bool> discarded{false};

struct UnfinishedOutput {
  std::atomic<bool> taken{false};
  std::atomic<bool> named{false};
  std::array<char, 4096> name{};
};

std::array<UnfinishedOutput, 16> unfinished_outputs;

int remember(const std::string& name)
{
  for (std::size_t slot = 0; slot < unfinished_outputs.size(); ++slot) {
    auto& entry = unfinished_outputs[slot];
    if (entry.taken.exchange(true)) continue;
    if (name.size() < entry.name.size()) {
      std::memcpy(entry.name.data(), name.c_str(), name.size() + 1);
      entry.named.store(true);
    }
    return static_cast<int>(slot);
  }
  return -1;  // more files at once than slots: an interrupt would leave this one behind
}

void forget(int slot)
{
  if (slot < 0) return;
  auto& entry = unfinished_outputs[static_cast<std::size_t>(slot)];
  entry.named.store(false);
  entry.taken.store(false);
}

// The open file that a path like /dev/stdout or /dev/fd/3 means, also through one link. Such a path may lead to an
// ordinary file, which this process writes to already and must not replace.
std::optional<int> open_descriptor(const std::filesystem::path& path)
{
  std::error_code ignored;
  auto const target = std::filesystem::read_symlink(path, ignored);
  for (auto const& name : {path.lexically_normal().string(), target.lexically_normal().string()}) {
    if (name == "/dev/stdout") return STDOUT_FILENO;
    if (name == "/dev/stderr") return STDERR_FILENO;
    for (std::string_view const folder : {"/dev/fd/", "/proc/self/fd/"}) {
      int number = -1;
      if (name.starts_with(folder)) std::from_chars(name.data() + folder.size(), name.data() + name.size(), number);
      if (number >= 0) return number;
    }
  }
  return std::nullopt;
}

// No signal handler runs on this thread while it lives: a file is never there without being remembered.
class SignalsHeldBack {
 public:
  SignalsHeldBack()
  {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  SignalsHeldBack(const SignalsHeldBack&) = delete;
  SignalsHeldBack& operator=(const SignalsHeldBack&) = delete;
  ~SignalsHeldBack() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

mode_t file_mode_mask()
{
  // It can only be read by setting it, which other threads would notice: once is enough.
  static const mode_t mask = [] {
    mode_t const current = umask(0);
    umask(current);
    return current;
  }();
  return mask;
}

}  // namespace

bool is_stream(const std::filesystem::path& path)
{
  std::error_code ignored;
  return open_descriptor(path) || !std::filesystem::is_regular_file(path, ignored);
}

std::filesystem::path end_of_links(const std::filesystem::path& path)
{
  constexpr int most_links = 40;  // as the kernel has it
  std::error_code ignored;
  std::filesystem::path end = path;
  for (int links = 0; std::filesystem::is_symlink(end, ignored); ++links) {
    if (links == most_links) fail(ErrorKind::failure, "{}: cannot be written: {}", path.string(), std::strerror(ELOOP));
    end = end.parent_path() / std::filesystem::read_symlink(end, ignored);
  }
  return end;
}

void discard_outputs() noexcept { discarded = true; }
bool outputs_are_discarded() { return discarded; }

void remove_unfinished_outputs() noexcept
{
  for (auto& entry : unfinished_outputs)
    if (entry.named.load()) unlink(entry.name.data());
}

OutputFile::OutputFile(const std::filesystem::path& path) : path_(outputs_are_discarded() ? "/dev/null" : path)
{
  struct stat status {};
  bool const exists = stat(path_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail(ErrorKind::failure, "{}: is a directory", path_.string());
  if (exists && is_stream(path_)) {
    auto const descriptor = open_descriptor(path_);
    file_ = descriptor ? dup(*descriptor) : open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    path_ = end_of_links(path_);  // a link stays, what it points to is made or replaced
    temporary_ = (path_.parent_path() / ".brushfire-XXXXXX").string();
    SignalsHeldBack const until_remembered;
    file_ = mkostemp(temporary_.data(), O_CLOEXEC);
    if (file_ >= 0) {
      slot_ = remember(temporary_);
      // mkostemp makes private files; an output is an ordinary one, or like the one it replaces.
      fchmod(file_, exists ? status.st_mode & 07777 : 0666 & ~file_mode_mask());
    }
  }
  if (file_ < 0) fail(ErrorKind::failure, "{}: cannot be written: {}", path.string(), std::strerror(errno));
}

OutputFile::~OutputFile()
{
  if (file_ >= 0) close(file_);
  if (file_ >= 0 && !temporary_.empty()) unlink(temporary_.c_str());
  forget(slot_);
}

void OutputFile::write(std::span<const std::byte> bytes)
{
  if (pending_.size() + bytes.size() >= flush_bytes) flush();
  if (bytes.size() >= flush_bytes)
    write_through(bytes);  // large arrays are not copied first
  else
    pending_.insert(pending_.end(), bytes.begin(), bytes.end());
}

void OutputFile::flush()
{
  write_through(pending_);
  pending_.clear();
}

void OutputFile::write_through(std::span<const std::byte> bytes)
{
  while (!bytes.empty()) {
    ssize_t const written = ::write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(ErrorKind::failure, "{}: cannot be written: {}", path_.string(), std::strerror(errno));
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void OutputFile::commit()
{
  flush();
  int const closed = close(std::exchange(file_, -1));
  int error = closed != 0 ? errno : 0;
  if (error == 0 && !temporary_.empty() && rename(temporary_.c_str(), path_.c_str()) != 0) error = errno;
  if (error != 0 && !temporary_.empty()) unlink(temporary_.c_str());
  if (error != 0) fail(ErrorKind::failure, "{}: cannot be written: {}", path_.string(), std::strerror(error));
}

}  // namespace brushfire
