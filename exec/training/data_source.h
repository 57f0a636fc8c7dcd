// What the operators that read from outside the network read: inputs their features or indices,
// losses their targets or classes. Addressed by global sample index, so that a sample is the same
// whatever the plan, and read on the stage that uses it. Synthetic samples and files stand behind
// this.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/ids.h"

namespace pipegraph {

/// Safe to be called by several device threads at once.
class DataSource {
 public:
  virtual ~DataSource() = default;
  /// Real values of `op` (features of an input, targets of a mean squared error) for the samples
  /// from `first_sample` on, sample after sample, row-major; as many samples as `into` holds.
  virtual void read(OperatorId op, std::int64_t first_sample, std::span<float> into) const = 0;
  /// The same of whole numbers: indices of an input, classes of a cross entropy.
  virtual void read(OperatorId op, std::int64_t first_sample,
                    std::span<std::int32_t> into) const = 0;
};

}  // namespace pipegraph
