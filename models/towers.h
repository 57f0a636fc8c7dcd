// Networks side by side that share nothing, each with a loss of its own: as a graph they run at the
// same time, as a chain one after the other.
//
// Parameters: towers 2, layers 4 (hidden ones of each), inputs 1024, hidden 1024, outputs 1 (one
// more linear layer without activation), bias true, activation relu. Sizes are ours; the family is
// a yardstick for graph against chain.
#pragma once

#include "models/family.h"

namespace pipegraph {

Family towers();

}  // namespace pipegraph
