// The energy counters of GPUs. The driver's library is loaded when it is wanted, never linked: the program runs
// without.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace brushfire {

class NvmlCounters {
 public:
  NvmlCounters();
  ~NvmlCounters();

  std::vector<std::string> names() const;  // of the GPUs that count
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
