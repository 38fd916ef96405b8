// How much memory there is, and how much this process took at most.
#pragma once

#include <cstdint>
#include <string>

namespace brushfire {

// What can still be allocated without swapping, cgroup limits respected, by each of so many processes that share it.
// Where the address space is limited (ulimit -v), what threads that are still to be started reserve is no longer there.
std::uint64_t available_memory_bytes(int processes = 1, int threads_to_start = 0);
bool address_space_is_limited();
std::uint64_t peak_resident_bytes();

}  // namespace brushfire
