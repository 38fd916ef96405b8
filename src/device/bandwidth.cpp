#include "base/clock.hpp"
#include "device/buffer.hpp"
#include "device/gpus.hpp"
#include "device/use_gpu.hpp"

#include <algorithm>

namespace brushfire::device {

double copy_bandwidth()
{
  constexpr std::size_t bytes = std::size_t{512} << 20;  // more than any cache holds
  constexpr int times = 10;
  UseGpu const use;
  if (free_gpu_bytes() < 3 * bytes) return 0;
  Buffer<char> from(bytes), to(bytes);
  Stream const stream;
  fill_bytes(from.data(), 1, bytes, stream);
  double fastest = 0;
  for (int i = 0; i <= times; ++i) {
    stream.wait();
    Stopwatch const watch;
    copy_on_device(to.data(), from.data(), bytes, stream);
    stream.wait();
    fastest = std::max(fastest, 2 * static_cast<double>(bytes) / watch.seconds());
  }
  return fastest;
}

}  // namespace brushfire::device
