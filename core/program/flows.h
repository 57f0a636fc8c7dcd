// What passes of one stage hand to passes of another: activations along the edges of the stage
// graph, gradients against them. The one table that lowering and validation agree on.
#pragma once

#include <array>
#include <vector>

#include "core/model/computation_graph.h"
#include "core/stage/stage_graph.h"

namespace pipegraph {

enum class Direction : std::uint8_t { Forward, Backward };
inline constexpr std::size_t k_directions = 2;

/// From one stage to another for every sample they have in common. Without tensors it only orders
/// consecutive stages of a sequential plan.
struct StageFlow {
  StageId producer;
  StageId consumer;
  std::vector<OperatorId> tensors;  ///< ascending; of a backward flow those that need a gradient
};

class StageFlows {
 public:
  StageFlows(const ComputationGraph& graph, const StageGraph& stages);

  /// By consumer, ascending.
  const std::vector<StageFlow>& from(StageId producer, Direction direction) const {
    return from_[index(direction)][producer.index()];
  }
  /// By producer, ascending.
  const std::vector<StageFlow>& to(StageId consumer, Direction direction) const {
    return to_[index(direction)][consumer.index()];
  }

 private:
  static std::size_t index(Direction direction) { return static_cast<std::size_t>(direction); }
  void add(const StageFlow& flow, Direction direction);

  std::array<std::vector<std::vector<StageFlow>>, k_directions> from_, to_;
};

}  // namespace pipegraph
