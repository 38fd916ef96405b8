// The energy counters of GPUs. The driver's library is loaded when it is wanted, never linked: the program runs
// without.
#pragma once

#include "device/gpus.hpp"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace brushfire {

class NvmlCounters {
 public:
  // NVML has numbers of its own for GPUs and shows those that CUDA is kept from: they are looked up by name.
  explicit NvmlCounters(std::span<const device::GpuName> gpus);
  ~NvmlCounters();

  std::vector<std::string> names() const;  // what they are called; none, unless all of them count
  double joules();                         // of all since the last call, or since it was made

 private:
  struct Library;
  struct Gpu {
    void* handle;
    std::string name;
    unsigned long long last = 0;  // millijoules
  };
  std::unique_ptr<Library> library_;  // nothing: there is none
  std::vector<Gpu> gpus_;
};

}  // namespace brushfire
