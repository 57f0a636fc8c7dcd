// What is to be trained, on what, and how: the read-only inputs that planners, lowering and
// evaluation share.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "core/base/precision.h"
#include "core/cluster/topology.h"
#include "core/model/computation_graph.h"
#include "core/model/cost_model.h"

namespace pipegraph {

enum class Optimizer : std::uint8_t { None, Sgd, Momentum, Adam };
/// Copies of the parameters an optimizer keeps as state: 0, 0, 1, 2.
std::uint64_t state_copies(Optimizer optimizer);
std::string_view to_text(Optimizer optimizer);  ///< "none", "sgd", "momentum", "adam"
std::optional<Optimizer> parse_optimizer(std::string_view text);

struct Training {
  std::int32_t mini_batch = 1;  ///< samples per optimizer step
  Precision precision = Precision::Fp32;
  Optimizer optimizer = Optimizer::Sgd;
  bool operator==(const Training&) const = default;
};

struct Workload {
  std::shared_ptr<const ComputationGraph> graph;
  std::shared_ptr<const Topology> topology;
  std::shared_ptr<const CostModel> costs;
  Training training;
};

/// What `device` computes with at `precision`.
ComputeRate compute_rate(const Device& device, Precision precision);

}  // namespace pipegraph
