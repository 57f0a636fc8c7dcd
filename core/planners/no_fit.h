// Why no cut of a workload into stages fits its devices, in the same words for every planner.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/planners/search/pairs.h"
#include "core/planners/search_input.h"

namespace pipegraph {

struct NoFit {
  std::vector<double> needed;         ///< by block: bytes per device of it alone, at least
  double limit = 0.0;                 ///< bytes per device
  std::string where = "each device";  ///< of those that a block alone would need
  std::string what = "cut into stages";
  std::string finer = "a larger 'blocks'";  ///< what makes smaller blocks
};

/// "stage with 'embedding_3' needs 17.1 GiB on each device, limit 16 GiB" where a block alone is
/// too large, else that nothing of its kind fits; and where blocks are several operators, so.
std::string reason_of(const Workload& workload, const SearchInput& input, const NoFit& no_fit);

/// What to add: the least number of devices, one stage after the other, on which micro-batches of
/// that size would fit, or that no number would do.
std::string fewest_devices_text(const Workload& workload, const SearchInput& input,
                                const PairTable& pairs, std::int32_t micro_batch);

/// The same where a search found `fewest` by its rule of memory, which may be no more than the
/// `devices` there are: then only the final count, with buffers for messages, refused its plans.
std::string fewest_devices_text(int fewest, int devices);

}  // namespace pipegraph
