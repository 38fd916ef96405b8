// A file made of chunks that are formatted and packed in parallel and written in order. Packed chunks are
// complete streams, which gzip and zstd allow to stand one behind the other.
#pragma once

#include "base/output_file.hpp"
#include "base/parallel.hpp"
#include "input/compressed.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace brushfire {

class OrderedOutput {
 public:
  OrderedOutput(const std::filesystem::path& path, Compression compression, Team team)
      : file_(path), compression_(compression), team_(team)
  {
  }

  void write(std::string chunk)
  {
    file_.write(pack(std::move(chunk), compression_));
    empty_ = false;
  }

  // Covers [0, count): format(first, last, chunk) appends what stands for that range to `chunk`.
  template <typename Format>
  void write_range(std::uint64_t count, std::uint64_t per_chunk, Format&& format)
  {
    std::uint64_t const per_round = 4 * static_cast<std::uint64_t>(team_.threads) * per_chunk;
    for (std::uint64_t start = 0; start < count; start += per_round) {
      std::uint64_t const size = std::min(per_round, count - start);
      std::vector<std::string> chunks((size + per_chunk - 1) / per_chunk);
      team_.for_blocks(size, per_chunk, [&](std::uint64_t first, std::uint64_t last, int) {
        std::string chunk;
        format(start + first, start + last, chunk);
        if (!chunk.empty()) chunks[first / per_chunk] = pack(std::move(chunk), compression_);
      });
      for (std::string const& chunk : chunks) {
        file_.write(chunk);
        empty_ = empty_ && chunk.empty();
      }
    }
  }

  void commit()
  {
    if (empty_) write({});  // no stream at all would not be a packed file
    file_.commit();
  }

 private:
  OutputFile file_;
  Compression compression_;
  Team team_;
  bool empty_ = true;
};

}  // namespace brushfire
