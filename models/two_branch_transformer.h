// The case study of GraphPipe (arXiv 2406.17145): two branches of four transformer layers and a
// concatenation, small enough to compare its pipelines stage by stage.
//
// Parameters: layers 4 (of each branch), hidden 1024, heads 16, sequence 256, feed_forward 4 x
// hidden, activation gelu. The paper does not give the dimensions: those of its MMT are assumed.
#pragma once

#include "models/family.h"

namespace pipegraph {

Family two_branch_transformer();

}  // namespace pipegraph
