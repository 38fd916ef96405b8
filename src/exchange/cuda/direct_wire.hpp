// Over an MPI that takes pointers to the memory of GPUs ("CUDA-aware"): parcels are sent from there and received there.
// Masks go by the host all the same: nobody promises that MPI_Iallreduce takes device memory, and in Open MPI it
// does not.
#pragma once

#include "exchange/cuda/staged_wire.hpp"

namespace brushfire::cuda {

class DirectWire final : public StagedWire {
 public:
  using StagedWire::StagedWire;  // the plain wire has been given room_on_device

 private:
  void pack(std::span<const Parcel> on_gpus) override
  {
    for (Parcel parcel : on_gpus) {
      parcel.on_device = true;
      packed_.push_back(parcel);
    }
  }
};

}  // namespace brushfire::cuda
