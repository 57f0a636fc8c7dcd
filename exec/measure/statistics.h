// Repeated measurements summed up so that one interrupt does not count: docs/crosscheck.md says why
// a mean without gross outliers predicts iterations, and medians and minima do not.
#pragma once

#include <vector>

#include "core/profile/cost_file.h"

namespace pipegraph {

/// What an interrupt may add to a time that is measured by itself.
inline constexpr Seconds k_gross_allowance{0.5e-3};

/// Mean and standard deviation of what is at most twice the median + `allowance`; all zero of
/// nothing. Times that are already means of many have no allowance.
Measured without_gross_outliers(std::vector<Seconds> times, Seconds allowance = k_gross_allowance);

}  // namespace pipegraph
