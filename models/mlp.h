// A chain of linear layers with a mean-squared-error loss: the plainest pipeline.
//
// Parameters: layers 8 (hidden ones), inputs 1024, hidden 1024, outputs 1 (one more linear layer
// without activation), bias true, activation relu. Sizes are ours; the family is a yardstick.
#pragma once

#include "models/family.h"

namespace pipegraph {

Family mlp();

}  // namespace pipegraph
