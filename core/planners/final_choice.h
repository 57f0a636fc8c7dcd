// Which of many rated plans a planner returns: one that no other planner's plan beats, where
// transfers share links as well as with every transfer alone, if there is one.
#pragma once

#include <string>
#include <vector>

#include "core/planners/rated_layouts.h"

namespace pipegraph {

struct ChoiceOptions {
  LinkRates links = LinkRates::Shared;
  double memory_slack = 0.01;  ///< of plans this much slower than the best, the leanest is taken
};

struct FinalChoice {
  std::size_t index = 0;           ///< in `rated.all()`, which is sorted by time
  std::vector<std::string> notes;  ///< what speaks against it
};

/// Of the plans that are no worse than any other planner's - on links of their own, and on shared
/// links where these count - the shortest by `options.links`, or the leanest that is nearly as
/// short. Without such plans the shortest on shared links of all. Rates on shared links what that
/// needs; plans too large for that are compared on links of their own. `rated` is not empty.
FinalChoice choose_finally(RatedLayouts& rated, const ChoiceOptions& options);

}  // namespace pipegraph
