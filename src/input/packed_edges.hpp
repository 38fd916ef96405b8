// The stored tuple list of a conforming Graph500 run: 12 bytes a tuple, 48 bits a label, in memory or in a file that
// has no name and vanishes with the program.
#pragma once

#include "base/buffer.hpp"
#include "base/parallel.hpp"
#include "input/edge_source.hpp"

#include <brushfire/progress.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace brushfire {

enum class TupleHome { memory, file };

// A file in the folder for large temporary ones, $TMPDIR or /var/tmp, that has lost its name.
class NamelessFile {
 public:
  NamelessFile();
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;
  ~NamelessFile();
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

class PackedEdges final : public EdgeSource {
 public:
  static constexpr std::uint64_t bytes_per_edge = 12;
  static std::uint64_t disk_bytes_available();  // for a list in a file; 0 where there is no disk behind the folder

  PackedEdges(const EdgeSource& source, TupleHome home, Team team, Progress& progress);
  void read(std::uint64_t first, std::span<Edge> out) const override;

 private:
  Buffer<std::byte> memory_;
  std::optional<NamelessFile> file_;
};

}  // namespace brushfire
