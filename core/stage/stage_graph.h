// Stages: convex sets of operators, each placed on a device group, and the DAG they form.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/errors.h"
#include "core/base/ids.h"
#include "core/graph/digraph.h"
#include "core/model/computation_graph.h"

namespace pipegraph {

/// Graph: stages depend on each other by data alone (GPP). Sequential: consecutive stages are also
/// ordered where no tensor flows (SPP).
enum class PlanKind : std::uint8_t { Graph, Sequential };
std::string_view to_text(PlanKind kind);  ///< "graph", "sequential"

/// How a tensor reaches a stage that is not the next one of a sequential plan.
enum class SkipTransfer : std::uint8_t { Direct, Relay };
std::string_view to_text(SkipTransfer skip);  ///< "direct", "relay"

struct Stage {
  std::string name;
  std::vector<OperatorId> operators;      ///< ascending
  std::vector<DeviceId> devices;          ///< replicas x tensor_parallel, replica-major
  std::int32_t micro_batch = 1;           ///< samples of the whole stage, at least its replicas
  std::int32_t k = 1;                     ///< kFkB factor
  std::optional<std::int64_t> in_flight;  ///< samples, replaces the schedule's rule
  std::vector<OperatorId> recompute;      ///< ascending; their forwards run again in the backward
  std::int32_t tensor_parallel = 1;
  SourcePosition position;  ///< where it was written; may be empty

  int replicas() const { return static_cast<int>(devices.size()) / tensor_parallel; }
};

/// Tensors that flow along one edge of the stage graph; empty for an edge that only orders
/// consecutive stages of a sequential plan.
struct StageEdge {
  StageId from;
  StageId to;
  std::vector<OperatorId> tensors;  ///< ascending by producer
  Bytes bytes;                      ///< of all tensors, per sample
};

class StageGraph {
 public:
  StageGraph() = default;
  /// Checks that every operator is in exactly one stage, stages are convex and (for
  /// PlanKind::Graph) acyclic, device groups are not empty, without duplicates, a multiple of
  /// tensor_parallel, and no micro-batch is smaller than its replicas. Errors: ConfigError at the
  /// stage's position. A sequential order against the data flow makes `edges()` cyclic; schedules
  /// refuse it as a deadlock. With SkipTransfer::Relay a sequential plan's edges join consecutive
  /// stages only and carry every tensor that has to pass.
  StageGraph(const ComputationGraph& graph, std::vector<Stage> stages, PlanKind kind,
             SkipTransfer skip = SkipTransfer::Direct);

  PlanKind kind() const { return kind_; }
  std::size_t size() const { return stages_.size(); }
  const std::vector<Stage>& stages() const { return stages_; }
  const Stage& at(StageId id) const { return stages_[id.index()]; }
  StageId stage_of(OperatorId id) const { return stage_of_[id.index()]; }
  /// Which stage precedes which; node = stage id.
  const Digraph& edges() const { return digraph_; }
  /// Sorted by (from, to), one per edge of edges().
  const std::vector<StageEdge>& transfers() const { return transfers_; }
  bool acyclic() const { return acyclic_; }
  /// Longest path in stages; of a sequential plan its number of stages. 0 if cyclic.
  int depth() const;
  /// All devices used, ascending.
  std::vector<DeviceId> devices() const;

 private:
  PlanKind kind_ = PlanKind::Graph;
  std::vector<Stage> stages_;
  std::vector<StageId> stage_of_;
  Digraph digraph_;
  std::vector<StageEdge> transfers_;
  bool acyclic_ = true;
};

}  // namespace pipegraph
