#include "engine/nvml.hpp"

#include <fmt/format.h>

#include <dlfcn.h>
#include <array>
#include <cstring>

namespace brushfire {

namespace {

using Handle = void*;  // nvmlDevice_t
constexpr int success = 0;

std::string uuid_of(const device::GpuName& gpu)
{
  std::array<unsigned char, sizeof(gpu)> bytes{};
  std::memcpy(bytes.data(), gpu.data(), bytes.size());
  std::string uuid = "GPU-";
  for (std::size_t i = 0; i < bytes.size(); ++i)
    uuid += fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", bytes[i]);
  return uuid;
}

}  // namespace

// The few functions of nvml.h that are needed, by the names under which the library exports them.
struct NvmlCounters::Library {
  void* loaded = nullptr;
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*handle)(const char*, Handle*) = nullptr;
  int (*name)(Handle, char*, unsigned) = nullptr;
  int (*energy)(Handle, unsigned long long*) = nullptr;

  Library() : loaded(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL))
  {
    if (loaded == nullptr) return;
    find(init, "nvmlInit_v2");
    find(shutdown, "nvmlShutdown");
    find(handle, "nvmlDeviceGetHandleByUUID");
    find(name, "nvmlDeviceGetName");
    find(energy, "nvmlDeviceGetTotalEnergyConsumption");
  }
  ~Library()
  {
    if (started) shutdown();
    if (loaded != nullptr) dlclose(loaded);
  }
  bool start()
  {
    if (init == nullptr || shutdown == nullptr || handle == nullptr || name == nullptr || energy == nullptr)
      return false;
    return started = init() == success;
  }

 private:
  template <typename Function>
  void find(Function& function, const char* symbol)
  {
    function = reinterpret_cast<Function>(dlsym(loaded, symbol));
  }
  bool started = false;
};

NvmlCounters::NvmlCounters(std::span<const device::GpuName> gpus) : library_(std::make_unique<Library>())
{
  if (!library_->start()) return;
  for (const device::GpuName& wanted : gpus) {
    Gpu gpu{};
    std::array<char, 96> name{};
    if (library_->handle(uuid_of(wanted).c_str(), &gpu.handle) != success ||
        library_->energy(gpu.handle, &gpu.last) != success) {
      gpus_.clear();  // the sum of some would pass for that of all
      return;
    }
    if (library_->name(gpu.handle, name.data(), name.size()) == success) gpu.name = name.data();
    gpus_.push_back(gpu);
  }
}

NvmlCounters::~NvmlCounters() = default;

std::vector<std::string> NvmlCounters::names() const
{
  std::vector<std::string> names;
  for (const Gpu& gpu : gpus_) names.push_back(gpu.name);
  return names;
}

double NvmlCounters::joules()
{
  double joules = 0;
  for (Gpu& gpu : gpus_) {
    unsigned long long now = 0;
    if (library_->energy(gpu.handle, &now) != success || now < gpu.last) continue;
    joules += static_cast<double>(now - gpu.last) / 1e3;
    gpu.last = now;
  }
  return joules;
}

}  // namespace brushfire
