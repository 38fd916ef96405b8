// The wire over NCCL, between ranks that have a GPU each; in a build without it src/exchange/without_nccl.cpp stands
// in. Sizes, sums, and whatever lies in the memory of the host go by the plain wire.
#pragma once

#include "exchange/wire.hpp"

#include <memory>

namespace brushfire {

bool built_with_nccl();
// All ranks make it together, each for the GPU of its first device. No two of them may have the same.
std::unique_ptr<Wire> make_nccl_wire(std::unique_ptr<Wire> plain, int gpu);

}  // namespace brushfire
