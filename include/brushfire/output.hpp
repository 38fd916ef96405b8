// Output files appear whole or not at all: they are written under a temporary name and renamed.
#pragma once

#include <filesystem>
#include <string_view>

#pragma GCC visibility push(default)
namespace brushfire {

// Writes a small file: a result, a page. Throws Error(failure).
void write_text_file(const std::filesystem::path& path, std::string_view text);

// Throws Error(failure) when `path` clearly cannot be written, so that nobody computes for an hour first.
void require_writable(const std::filesystem::path& path);

// From now on no output of this process is written: for a rank that computes what another one writes.
void discard_outputs() noexcept;

// Removes the temporary files of outputs that are still being written. Async-signal-safe: a program
// calls it from its SIGINT handler just before _exit().
void remove_unfinished_outputs() noexcept;

}  // namespace brushfire
#pragma GCC visibility pop
