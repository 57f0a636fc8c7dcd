// Branches of transformer layers, each on an input of its own, concatenated before a loss: the
// shape of both the multi-modal transformer and the two-branch case study.
#pragma once

#include "models/family.h"

namespace pipegraph {

/// branch0.input -> branch0.layer0.norm_1 ... -> concat <- branch1 ...; concat -> loss (mean
/// squared error on the concatenated [sequence, branches x hidden]). Reads "layers" and the
/// parameters of transformer_layer.h.
ComputationGraph branched_transformer(const FamilyArguments& arguments, std::int64_t branches);

}  // namespace pipegraph
