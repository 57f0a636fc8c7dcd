// CANDLE-Uno of GraphPipe's evaluation (arXiv 2406.17145): a drug-response network of feed-forward
// branches, concatenated, and a feed-forward tail; no bias, ReLU, mean squared error.
//
// Parameters: branches 7, layers 4 (of each branch), hidden 4096, features 4096 (columns of each
// branch's input; assumed), tail_layers 4 (assumed), outputs 1 (one more linear layer), bias false,
// activation relu. With the defaults 470 M parameters in the branches.
#pragma once

#include "models/family.h"

namespace pipegraph {

Family candle_uno();

}  // namespace pipegraph
