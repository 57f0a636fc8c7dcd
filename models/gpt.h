// A decoder-only language model: token and position embeddings, causal transformer layers, a last
// layer norm, a projection to the vocabulary without bias, cross entropy on every position.
//
// Parameters: layers 24, hidden 1024, heads 16, sequence 1024, vocabulary 50257, feed_forward 4 x
// hidden, activation gelu, tied_embeddings true (the projection shares the token embedding). With
// the defaults GPT-2 medium (Radford et al., 2019): 354.8 M parameters.
#pragma once

#include "models/family.h"

namespace pipegraph {

Family gpt();

}  // namespace pipegraph
