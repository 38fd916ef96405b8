// gzip and zstd, whole files at a time or chunk by chunk. Both formats allow streams to stand one behind the other,
// which is also how we write them: chunks are packed by themselves, in parallel, and put together in order.
#pragma once

#include "base/buffer.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace brushfire {

enum class Compression { none, gzip, zstd };

Compression compression_of(std::span<const std::byte> bytes);  // by the first bytes

// Everything that is packed in `bytes`. Throws Error(input) for a truncated or damaged stream, and
// Error(memory) when it unpacks to more than `limit` bytes.
Buffer<std::byte> unpack(std::span<const std::byte> bytes, const std::string& name, std::uint64_t limit);

// The same in chunks of one size, but for the last; `take` says whether it wants more. What is truncated or damaged is
// noticed when it is reached.
void unpack_in_chunks(std::span<const std::byte> bytes, const std::string& name,
                      const std::function<bool(std::span<const std::byte>)>& take);

// One complete stream; `plain` itself when there is no compression.
std::string pack(std::string plain, Compression compression);

}  // namespace brushfire
