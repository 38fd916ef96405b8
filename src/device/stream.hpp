// A stream of work on the current device, and a moment in it. Names no CUDA header, so that owners of device data can
// be declared anywhere.
#pragma once

#include <cstddef>
#include <utility>

struct CUstream_st;
struct CUevent_st;

namespace brushfire::device {

class Event;

class Stream {
 public:
  Stream();
  Stream(Stream&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Stream& operator=(Stream&& other) noexcept
  {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Stream();

  CUstream_st* handle() const { return handle_; }
  void wait() const;                           // until everything in it is done; throws what went wrong on the device
  void go_on_after(const Event& event) const;  // with what is put into it from now on

 private:
  CUstream_st* handle_ = nullptr;
};

class Event {
 public:
  Event();
  Event(Event&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Event& operator=(Event&& other) noexcept
  {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Event();

  void record(const Stream& stream);
  void wait() const;
  CUevent_st* handle() const { return handle_; }

 private:
  CUevent_st* handle_ = nullptr;
};

// Asynchronous in the stream; host memory that is not pinned makes them wait.
void copy_to_device(void* to, const void* from, std::size_t bytes, const Stream& stream);
void copy_to_host(void* to, const void* from, std::size_t bytes, const Stream& stream);
void copy_anywhere(void* to, const void* from, std::size_t bytes, const Stream& stream);  // whatever memory they are
void copy_on_device(void* to, const void* from, std::size_t bytes, const Stream& stream);
void fill_bytes(void* start, unsigned char value, std::size_t bytes, const Stream& stream);

}  // namespace brushfire::device
