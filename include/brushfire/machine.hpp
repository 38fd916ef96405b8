// The devices there are, and why something is not usable.
#pragma once

#include <string>
#include <vector>

namespace brushfire {

struct DeviceFacts {
  std::string kind;  // "cpu"
  std::string name;
  bool usable = false;
  std::string detail;  // cores and memory, or the reason why it cannot be used
};

std::vector<DeviceFacts> list_devices();

}  // namespace brushfire
