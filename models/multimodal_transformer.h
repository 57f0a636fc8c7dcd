// The multi-modal transformer (MMT) of GraphPipe's evaluation (arXiv 2406.17145): branches of
// transformer layers, one for each modality, concatenated at the end.
//
// Parameters: branches 4, layers 8 (of each branch), hidden 1024, heads 16, sequence 256,
// feed_forward 4 x hidden, activation gelu. With the defaults 403 M parameters and 0.64 TFLOP per
// sample forward and backward. The samples are embedded sequences; no embedding, no head.
#pragma once

#include "models/family.h"

namespace pipegraph {

Family multimodal_transformer();

}  // namespace pipegraph
