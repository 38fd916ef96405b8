// The five rules judged on the device: the same verdict, rule, and witness as validate_tree() gives on the host.
// Shares no code with the search or the construction of the graph.
#pragma once

#include "device/parents.hpp"
#include "device/stream.hpp"
#include "input/cuda/device_edges.hpp"
#include "input/edge_source.hpp"
#include "input/labels.hpp"
#include "validate/validate.hpp"

#include <brushfire/validate.hpp>

#include <cstdint>

namespace brushfire {

// `edges` are the tuples of `source` on the device. `source` is asked for single tuples to name a witness.
Verdict validate_on_device(const DeviceEdges& edges, const EdgeSource& source, const Labels& labels,
                           device::LabelsOnDevice labels_on_device, Label root, device::ParentsOnDevice parents,
                           const TreeRules& rules, const device::Stream& stream);

// What it allocates.
std::uint64_t predict_device_validation_bytes(std::uint64_t vertices);

}  // namespace brushfire
