// Which network a checkpoint belongs to, operator by operator, so that a difference can be named.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/computation_graph.h"

namespace pipegraph {

/// What operators compute from what; costs, traffic and the network's name do not count.
struct ModelIdentity {
  /// "fc1: linear(x) rows 1, columns 64, bias, relu", in the graph's order.
  std::vector<std::string> operators;
  bool operator==(const ModelIdentity&) const = default;
};

ModelIdentity identity_of(const ComputationGraph& graph);

/// Sixteen hexadecimal digits over all operators (FNV-1a).
std::string hash_text(const ModelIdentity& model);

/// Sentences about what differs, at most three and "and n more"; empty if nothing does. `saved` is
/// called the checkpoint, `present` this model.
std::vector<std::string> differences(const ModelIdentity& saved, const ModelIdentity& present);

}  // namespace pipegraph
