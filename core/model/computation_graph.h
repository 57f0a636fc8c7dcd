// The DAG of operators that is to be planned: names, edges with tensor sizes, totals.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/graph/digraph.h"
#include "core/model/operator.h"

namespace pipegraph {

class ComputationGraph {
 public:
  ComputationGraph() = default;
  /// Operators in any order; ids are positions. Errors: ConfigError at the operator's position for
  /// a duplicate or empty name, an unknown input id, a cycle (printed), a `tied_to` that is itself
  /// tied or has other parameter bytes, no operators at all.
  ComputationGraph(std::string name, std::vector<Operator> operators);

  const std::string& name() const { return name_; }
  std::size_t size() const { return operators_.size(); }
  const Operator& at(OperatorId id) const { return operators_[id.index()]; }
  const std::vector<Operator>& operators() const { return operators_; }
  /// Edges from producer to consumer; node = operator id.
  const Digraph& edges() const { return edges_; }
  /// Topological, smallest id first.
  const std::vector<OperatorId>& order() const { return order_; }
  std::optional<OperatorId> find(std::string_view name) const;

  /// What is kept from forward to backward, per sample, each tensor once by its id: with given
  /// `saved` bytes the operator itself (one entry with its own id and those bytes, counted as its
  /// own), else its inputs and its output.
  struct SavedTensor {
    OperatorId tensor;  ///< the operator that produced it
    Bytes bytes;
    bool given = false;  ///< stands for the operator's given `saved` bytes, shared with nobody
    bool operator==(const SavedTensor&) const = default;
  };
  std::vector<SavedTensor> saved_tensors(OperatorId id) const;

  /// Owner of the operator's parameters: itself unless tied.
  OperatorId parameter_owner(OperatorId id) const;

  Bytes parameters() const;  ///< total, shared ones once
  /// Per sample, products included; explicit times have none.
  Flops forward_flops() const;
  Flops backward_flops() const;
  /// Whether any operator carries explicit times (then no peak is needed for it).
  bool has_explicit_times() const;

 private:
  std::string name_;
  std::vector<Operator> operators_;
  Digraph edges_;
  std::vector<OperatorId> order_;
  std::unordered_map<std::string, OperatorId> by_name_;
};

/// FLOPs of a pass per sample, products included.
Flops flops(const PassWork& work);

}  // namespace pipegraph
