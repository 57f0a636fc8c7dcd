// Other ways to run an operator that somebody has measured: split over several devices (tensor
// parallelism), or with its forward repeated in the backward pass.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/ids.h"
#include "core/base/units.h"

namespace pipegraph {

/// What one of `tensor_parallel` devices spends. Sizes of tensors count one direction.
struct OperatorVariant {
  std::int32_t tensor_parallel = 1;
  bool recompute = false;
  Seconds time{0};   ///< forward and backward, per sample
  Bytes parameters;  ///< that replicas have to agree on
  Bytes saved;       ///< per sample in flight
  Bytes fixed;       ///< whatever is in flight: parameters, gradients, one sample being recomputed
  std::vector<Bytes> input_bytes;  ///< per sample, by Operator::inputs: received, and shared out
  /// Per sample, by consumer, ascending: sent, and gathered before.
  std::vector<std::pair<OperatorId, Bytes>> output_bytes;
};

}  // namespace pipegraph
