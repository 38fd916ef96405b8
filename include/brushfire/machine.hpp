// The devices there are, and why something is not usable.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace brushfire {

enum class Device { automatic, cpu, cuda };
// The published systems, and the program's own choice.
enum class Preset { automatic, delegates, ring, grid, butterfly, adaptive };
inline constexpr std::array all_presets{Preset::automatic, Preset::delegates, Preset::ring,
                                        Preset::grid,      Preset::butterfly, Preset::adaptive};
constexpr const char* name_of(Device device)
{
  constexpr const char* names[] = {"auto", "cpu", "cuda"};
  return names[static_cast<std::size_t>(device)];
}
constexpr const char* name_of(Preset preset)
{
  constexpr const char* names[] = {"auto", "delegates", "ring", "grid", "butterfly", "adaptive"};
  return names[static_cast<std::size_t>(preset)];
}

// Whether it cuts a plain graph into blocks; the others separate delegates, or search a whole graph.
constexpr bool cuts_into_blocks(Preset preset)
{
  return preset == Preset::ring || preset == Preset::grid || preset == Preset::butterfly;
}

// How devices stand when they cut a graph in two dimensions.
struct GridShape {
  int rows = 1, columns = 1;
};

// Whether the GPU engine is in this build, whatever the machine has.
bool built_with_cuda();
// Empty when a GPU can be used, else the reason.
std::string why_no_gpu();
// Whether a GPU is there that this build should be able to use: when it cannot, that is worth a line.
bool gpu_is_present();
// Settles `automatic`: a GPU where one works, else the CPU. Throws Error(failure) when a GPU is wanted and none works.
Device choose_device(Device wanted);

// Copies `bytes` out of the memory of a GPU, for callers whose arrays are there. Throws Error(failure) without one.
void copy_from_gpu(void* to, const void* from, std::size_t bytes);

struct DeviceFacts {
  std::string kind;  // "cpu", "cuda"
  std::string name;
  bool usable = false;
  std::string detail;  // cores and memory, or the reason why it cannot be used
};

std::vector<DeviceFacts> list_devices();
// Likewise what devices of several ranks talk over; kinds are "mpi" and "nccl".
std::vector<DeviceFacts> list_transports();

}  // namespace brushfire
#pragma GCC visibility pop
