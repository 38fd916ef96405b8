#include "device/stream.hpp"

#include "device/check.hpp"

namespace brushfire::device {

Stream::Stream() { check(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking), "creating a stream"); }

Stream::~Stream()
{
  if (handle_ != nullptr) (void)cudaStreamDestroy(handle_);
}

void Stream::wait() const { check(cudaStreamSynchronize(handle_), "waiting for its work"); }

void Stream::go_on_after(const Event& event) const
{
  check(cudaStreamWaitEvent(handle_, event.handle(), 0), "waiting for another stream");
}

Event::Event() { check(cudaEventCreateWithFlags(&handle_, cudaEventDisableTiming), "creating an event"); }

Event::~Event()
{
  if (handle_ != nullptr) (void)cudaEventDestroy(handle_);
}

void Event::record(const Stream& stream) { check(cudaEventRecord(handle_, stream.handle()), "recording an event"); }

void Event::wait() const { check(cudaEventSynchronize(handle_), "waiting for its work"); }

void copy_to_device(void* to, const void* from, std::size_t bytes, const Stream& stream)
{
  if (bytes == 0) return;
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream.handle()), "copying to the device");
}

void copy_to_host(void* to, const void* from, std::size_t bytes, const Stream& stream)
{
  if (bytes == 0) return;
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream.handle()), "copying to the host");
}

void copy_anywhere(void* to, const void* from, std::size_t bytes, const Stream& stream)
{
  if (bytes == 0) return;
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream.handle()), "copying");
}

void copy_on_device(void* to, const void* from, std::size_t bytes, const Stream& stream)
{
  if (bytes == 0) return;
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream.handle()), "copying on the device");
}

void fill_bytes(void* start, unsigned char value, std::size_t bytes, const Stream& stream)
{
  if (bytes == 0) return;
  check(cudaMemsetAsync(start, value, bytes, stream.handle()), "filling memory");
}

}  // namespace brushfire::device
