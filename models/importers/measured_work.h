// What both importers make of a measured number: per sample, whole bytes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/model/operator.h"
#include "models/importers/import_table.h"

namespace pipegraph {

/// Most that one size or time of an imported file may be, in bytes or seconds.
inline constexpr double k_most_imported = 1e15;

/// `bytes` of `profile_samples` samples, rounded up to whole bytes per sample.
inline Bytes per_sample(double bytes, std::int64_t profile_samples) {
  return {static_cast<std::uint64_t>(std::ceil(bytes / static_cast<double>(profile_samples)))};
}

/// A pass measured at `request.profile_samples` samples: `launch`, or all of a shorter time, is
/// spent whatever the samples, and the rest grows with them.
inline PassWork measured(Seconds time, const ImportRequest& request) {
  PassWork work;
  work.fixed_time = std::min(time, request.launch);
  work.time = (time - work.fixed_time) / static_cast<double>(request.profile_samples);
  return work;
}

}  // namespace pipegraph
