// Every operator of a model, forward and backward, at several numbers of samples: for planners.
// Operators run in the model's order on all the threads at once, so that caches and memory are
// about as busy as in training; still their sums miss a stage's time by 10 % and more.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/precision.h"
#include "core/model/computation_graph.h"
#include "core/profile/cost_file.h"

namespace pipegraph {

struct OperatorProfileOptions {
  std::vector<std::int64_t> samples;  ///< one or more, each at least 1
  std::int32_t repetitions = 20;
  std::int32_t warm_up = 2;
  std::size_t threads = 1;
  Precision precision = Precision::Fp32;   ///< where devices have several
  std::function<void()> advanced = [] {};  ///< called after each number of samples
};

/// Forward, backward and its two halves of every operator, synthetic samples that inputs and losses
/// read included. Rounds of the
/// model that were disturbed are repeated, and what stays so is marked. Errors:
/// ConfigError for a model that cannot be executed.
std::vector<MeasuredOperator> profile_operators(const ComputationGraph& graph,
                                                const OperatorProfileOptions& options);

struct MeasuredBandwidth {
  BytesPerSecond value;
  bool disturbed = false;  ///< the machine did other things meanwhile
};

/// Bytes a second at which optimizer steps read and write parameters, gradients and state: a model
/// of their time. `copies`: of the parameters as state.
MeasuredBandwidth measure_optimizer_bandwidth(std::uint64_t copies, std::int32_t repetitions);

}  // namespace pipegraph
