// Networks small enough to train in milliseconds, one for each shape that plans can have trouble
// with. Smooth where nothing else is said.
#pragma once

#include "core/base/precision.h"
#include "core/model/computation_graph.h"

namespace pipegraph::test {

/// x -> fc0 -> fc1 -> fc2 -> fc3 -> loss, with GELU.
ComputationGraph dense_chain(Precision precision = Precision::Fp32);
/// The same with ReLU, of sizes that are powers of two, for data of whole numbers.
ComputationGraph whole_number_chain(Precision precision = Precision::Fp32);
/// x -> stem -> {left, right} -> sum -> head -> loss.
ComputationGraph diamond_network(Precision precision = Precision::Fp32);
/// As the chain, but fc0 is also read by fc2 (added) and by join, which concatenates it with fc3:
/// three readers, and edges that skip one and two stages.
ComputationGraph skipping_network(Precision precision = Precision::Fp32);
/// tokens -> table -> norm -> middle -> head (tied to the table) -> loss, [4, 8] per sample.
ComputationGraph tied_network(Precision precision = Precision::Fp32);
/// Two tables of the same size, each tied to a head with a loss: their sums look alike.
ComputationGraph two_tied_pairs_network(Precision precision = Precision::Fp32);
/// One transformer layer with causal attention over [4, 8], and a mean over the sequence.
ComputationGraph transformer_network(Precision precision = Precision::Fp32);
/// x and fc0(x) both feed join: two tensors from one stage, of which x needs no gradient.
ComputationGraph half_gradient_network(Precision precision = Precision::Fp32);
/// Two towers with a loss each that share a stem.
ComputationGraph two_losses_network(Precision precision = Precision::Fp32);
/// Bags of embeddings and features meet in dot products.
ComputationGraph recommendation_network(Precision precision = Precision::Fp32);

}  // namespace pipegraph::test
