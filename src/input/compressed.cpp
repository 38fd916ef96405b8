#include "input/compressed.hpp"

#include "base/error.hpp"

#include <brushfire/units.hpp>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include <zlib.h>
#include <zstd.h>

namespace brushfire {

namespace {

constexpr std::size_t step_bytes = std::size_t{1} << 30;  // zlib counts in 32 bits

bool starts_with(std::span<const std::byte> bytes, std::string_view magic)
{
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

// Memory that grows as bytes arrive: room() is where they go, filled() says how many came.
class GrowingBuffer {
 public:
  GrowingBuffer(std::size_t first_guess, const std::string& name, std::uint64_t limit)
      : buffer_(std::min(std::max<std::size_t>(first_guess, 1 << 16), limit)), name_(name), limit_(limit)
  {
  }

  std::span<std::byte> room()
  {
    if (size_ == buffer_.size()) grow();
    return buffer_.span().subspan(size_);
  }
  void filled(std::size_t bytes) { size_ += bytes; }
  bool wants_more() const { return true; }
  Buffer<std::byte> take()
  {
    buffer_.shrink(size_);
    return std::move(buffer_);
  }

 private:
  void grow()
  {
    if (size_ >= limit_) fail(ErrorKind::memory, "{}: unpacks to more than {}", name_, human_bytes(limit_));
    Buffer<std::byte> larger(static_cast<std::size_t>(std::min<std::uint64_t>(2 * size_, limit_)));
    std::memcpy(larger.data(), buffer_.data(), size_);
    buffer_ = std::move(larger);
  }

  Buffer<std::byte> buffer_;
  std::size_t size_ = 0;
  const std::string& name_;
  std::uint64_t limit_;
};

// The same interface, but every chunk that is full is handed on and then written over.
class ChunkBuffer {
 public:
  using Take = std::function<bool(std::span<const std::byte>)>;
  explicit ChunkBuffer(const Take& take) : buffer_(std::size_t{1} << 20), take_(take) {}

  std::span<std::byte> room() { return buffer_.span().subspan(size_); }
  void filled(std::size_t bytes)
  {
    size_ += bytes;
    if (size_ == buffer_.size()) hand_on();
  }
  bool wants_more() const { return wants_more_; }
  void finish()
  {
    if (wants_more_ && size_ > 0) hand_on();
  }

 private:
  void hand_on() { wants_more_ = take_(buffer_.span().first(std::exchange(size_, 0))); }

  Buffer<std::byte> buffer_;
  std::size_t size_ = 0;
  const Take& take_;
  bool wants_more_ = true;
};

template <typename Out>
void unpack_gzip(std::span<const std::byte> bytes, const std::string& name, Out& out)
{
  constexpr int gzip_only = 16 + MAX_WBITS;
  z_stream stream{};
  if (inflateInit2(&stream, gzip_only) != Z_OK) fail(ErrorKind::memory, "{}: no memory to unpack it", name);
  std::unique_ptr<z_stream, void (*)(z_stream*)> const guard(&stream, [](z_stream* open) { inflateEnd(open); });
  bool whole = false;  // the last member has ended
  while ((!bytes.empty() || !whole) && out.wants_more()) {
    if (whole) inflateReset(&stream);
    auto const room = out.room();
    std::size_t const given = std::min(bytes.size(), step_bytes);
    std::size_t const space = std::min(room.size(), step_bytes);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(given);
    stream.next_out = reinterpret_cast<Bytef*>(room.data());
    stream.avail_out = static_cast<uInt>(space);
    int const status = inflate(&stream, Z_NO_FLUSH);
    bytes = bytes.subspan(given - stream.avail_in);
    out.filled(space - stream.avail_out);
    whole = status == Z_STREAM_END;
    if (status == Z_BUF_ERROR && bytes.empty()) fail(ErrorKind::input, "{}: truncated gzip stream", name);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
      fail(ErrorKind::input, "{}: damaged gzip stream: {}", name,
           stream.msg == nullptr ? "no reason known" : stream.msg);
  }
}

template <typename Out>
void unpack_zstd(std::span<const std::byte> bytes, const std::string& name, Out& out)
{
  std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> const context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  if (!context) fail(ErrorKind::memory, "{}: no memory to unpack it", name);
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  while (out.wants_more()) {
    auto const room = out.room();
    ZSTD_outBuffer step{room.data(), room.size(), 0};
    std::size_t const left = ZSTD_decompressStream(context.get(), &step, &in);
    if (ZSTD_isError(left)) fail(ErrorKind::input, "{}: damaged zstd stream: {}", name, ZSTD_getErrorName(left));
    out.filled(step.pos);
    if (in.pos < in.size) continue;
    if (left == 0) return;
    if (step.pos < step.size) fail(ErrorKind::input, "{}: truncated zstd stream", name);
  }
}

template <typename Out>
void unpack_into(std::span<const std::byte> bytes, const std::string& name, Out& out)
{
  if (compression_of(bytes) == Compression::gzip)
    unpack_gzip(bytes, name, out);
  else
    unpack_zstd(bytes, name, out);
}

std::string pack_gzip(std::string_view plain)
{
  constexpr int gzip_only = 16 + MAX_WBITS;
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_only, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    fail(ErrorKind::memory, "no memory to pack a chunk");
  std::unique_ptr<z_stream, void (*)(z_stream*)> const guard(&stream, [](z_stream* open) { deflateEnd(open); });
  std::string packed;
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    std::size_t const given = std::min(plain.size(), step_bytes);
    std::size_t const done = packed.size();
    std::size_t const space = std::max<std::size_t>(given / 2, 1 << 10);
    packed.resize(done + space);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
    stream.avail_in = static_cast<uInt>(given);
    stream.next_out = reinterpret_cast<Bytef*>(packed.data() + done);
    stream.avail_out = static_cast<uInt>(space);
    status = deflate(&stream, given == plain.size() ? Z_FINISH : Z_NO_FLUSH);
    plain.remove_prefix(given - stream.avail_in);
    packed.resize(done + space - stream.avail_out);
  }
  return packed;
}

std::string pack_zstd(std::string_view plain)
{
  std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx*)> const context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  if (!context) fail(ErrorKind::memory, "no memory to pack a chunk");
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);  // so that damage is noticed, as gzip does
  std::string packed(ZSTD_compressBound(plain.size()), '\0');
  std::size_t const size = ZSTD_compress2(context.get(), packed.data(), packed.size(), plain.data(), plain.size());
  if (ZSTD_isError(size)) fail(ErrorKind::failure, "cannot pack a chunk: {}", ZSTD_getErrorName(size));
  packed.resize(size);
  return packed;
}

}  // namespace

Compression compression_of(std::span<const std::byte> bytes)
{
  if (starts_with(bytes, "\x1f\x8b")) return Compression::gzip;
  if (starts_with(bytes, "\x28\xb5\x2f\xfd")) return Compression::zstd;
  return Compression::none;
}

Buffer<std::byte> unpack(std::span<const std::byte> bytes, const std::string& name, std::uint64_t limit)
{
  GrowingBuffer out(4 * bytes.size(), name, limit);
  unpack_into(bytes, name, out);
  return out.take();
}

void unpack_in_chunks(std::span<const std::byte> bytes, const std::string& name,
                      const std::function<bool(std::span<const std::byte>)>& take)
{
  ChunkBuffer out(take);
  unpack_into(bytes, name, out);
  out.finish();
}

std::string pack(std::string plain, Compression compression)
{
  switch (compression) {
    case Compression::gzip:
      return pack_gzip(plain);
    case Compression::zstd:
      return pack_zstd(plain);
    case Compression::none:
      break;
  }
  return plain;
}

}  // namespace brushfire
