// Arrays in device memory, and in host memory that the device can reach. Contents are whatever was there before.
// What is allocated on the device is counted, so that reports can say how much a search holds.
#pragma once

#include "device/stream.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace brushfire::device {

void* allocate(std::size_t bytes);  // throws Error(memory)
void release(void* start, std::size_t bytes) noexcept;
void* allocate_pinned(std::size_t bytes);
void release_pinned(void* start) noexcept;

std::uint64_t allocated_bytes();  // by this process, now

template <typename T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  explicit Buffer(std::size_t size)
      : data_(size == 0 ? nullptr : static_cast<T*>(allocate(size * sizeof(T)))), size_(size)
  {
  }
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        unused_(std::exchange(other.unused_, 0))
  {
  }
  Buffer& operator=(Buffer&& other) noexcept
  {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(unused_, other.unused_);
    return *this;
  }
  ~Buffer()
  {
    if (data_ != nullptr) release(data_, (size_ + unused_) * sizeof(T));
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }

  // Gives the tail up. The memory stays taken.
  void truncate(std::size_t size)
  {
    unused_ += size_ - size;
    size_ = size;
  }

  void upload(std::span<const T> values, const Stream& stream)  // to the start of the buffer
  {
    copy_to_device(data_, values.data(), values.size_bytes(), stream);
  }
  void download(std::span<T> values, const Stream& stream) const  // from the start of the buffer
  {
    copy_to_host(values.data(), data_, values.size_bytes(), stream);
  }
  void fill_bytes(unsigned char value, const Stream& stream) { device::fill_bytes(data_, value, bytes(), stream); }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t unused_ = 0;  // allocated behind it
};

// A buffer with the contents of `values`, complete when this returns.
template <typename T>
Buffer<T> make_buffer(std::span<const T> values, const Stream& stream)
{
  Buffer<T> buffer(values.size());
  buffer.upload(values, stream);
  stream.wait();
  return buffer;
}

// The first `count` values, there when this returns.
template <typename T>
std::vector<T> to_vector(const Buffer<T>& buffer, std::size_t count, const Stream& stream)
{
  std::vector<T> values(count);
  buffer.download(values, stream);
  stream.wait();
  return values;
}

// One value at `index`.
template <typename T>
T value_at(const Buffer<T>& buffer, std::size_t index, const Stream& stream)
{
  T value;
  copy_to_host(&value, buffer.data() + index, sizeof(T), stream);
  stream.wait();
  return value;
}

// Pinned host memory: copied at full speed, and readable and writable by kernels through the same address.
template <typename T>
class PinnedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  PinnedBuffer() = default;
  explicit PinnedBuffer(std::size_t size)
      : data_(size == 0 ? nullptr : static_cast<T*>(allocate_pinned(size * sizeof(T)))), size_(size)
  {
  }
  PinnedBuffer(PinnedBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0))
  {
  }
  PinnedBuffer& operator=(PinnedBuffer&& other) noexcept
  {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~PinnedBuffer()
  {
    if (data_ != nullptr) release_pinned(data_);
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t index) { return data_[index]; }
  const T& operator[](std::size_t index) const { return data_[index]; }
  std::span<T> span() { return {data_, size_}; }
  std::span<const T> span() const { return {data_, size_}; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace brushfire::device
