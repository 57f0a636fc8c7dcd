// A program with measured times in place of computed ones.
#pragma once

#include "core/profile/cost_file.h"

namespace pipegraph {

/// What to do about a share that the plan's profile does not have.
enum class MissingSize : std::uint8_t {
  Refuse,      ///< ConfigError
  Proportion,  ///< the nearest share that was measured, in proportion
};

/// Every compute takes the mean of its (stage, pass, share) in `plan`, and so does every all-reduce
/// that was measured. Errors: ConfigError naming the pass that `plan` lacks.
Program with_measured_times(const Program& program, const MeasuredPlan& plan, MissingSize missing);

/// Every compute takes `dispatch` longer.
Program with_dispatch(const Program& program, Seconds dispatch);

}  // namespace pipegraph
