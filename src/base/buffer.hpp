// Large arrays straight from the operating system: not touched before they are used, zero when first
// read, on huge pages where the system grants them, and able to give their tail back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace brushfire {

namespace pages {
void* allocate(std::size_t bytes);  // throws Error(memory)
void release(void* start, std::size_t bytes) noexcept;
void* shrink(void* start, std::size_t bytes, std::size_t smaller);  // contents up to `smaller` are kept
}  // namespace pages

template <typename T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  explicit Buffer(std::size_t size)
      : data_(size == 0 ? nullptr : static_cast<T*>(pages::allocate(size * sizeof(T)))), size_(size)
  {
  }
  Buffer(Buffer&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept
  {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Buffer()
  {
    if (data_ != nullptr) pages::release(data_, size_ * sizeof(T));
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }
  T& operator[](std::size_t index) { return data_[index]; }
  const T& operator[](std::size_t index) const { return data_[index]; }
  std::span<T> span() { return {data_, size_}; }
  std::span<const T> span() const { return {data_, size_}; }

  void shrink(std::size_t size)
  {
    if (size == size_) return;
    if (size == 0) {
      *this = Buffer();
      return;
    }
    data_ = static_cast<T*>(pages::shrink(data_, size_ * sizeof(T), size * sizeof(T)));
    size_ = size;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

// A read-only array that keeps alive whatever holds it: a Buffer, or a mapped file.
template <typename T>
class Section {
 public:
  Section() = default;
  explicit Section(Buffer<T> buffer)
  {
    auto owner = std::make_shared<Buffer<T>>(std::move(buffer));
    view_ = std::as_const(*owner).span();
    owner_ = std::move(owner);
  }
  Section(std::span<const T> view, std::shared_ptr<const void> owner) : view_(view), owner_(std::move(owner)) {}

  const T* data() const { return view_.data(); }
  std::size_t size() const { return view_.size(); }
  std::size_t bytes() const { return view_.size_bytes(); }
  const T& operator[](std::size_t index) const { return view_[index]; }
  std::span<const T> span() const { return view_; }

 private:
  std::span<const T> view_;
  std::shared_ptr<const void> owner_;
};

}  // namespace brushfire
