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

/// Most that all sizes of a graph (outputs, saved, parameters, traffic) may add up to: 1 PiB. Keeps
/// sums over operators and samples away from the limits of 64 bits.
inline constexpr Bytes k_most_model_bytes{std::uint64_t{1} << 50};

class ComputationGraph {
 public:
  ComputationGraph() = default;
  /// Operators in any order; ids are positions. A split backward's `backward` is set to the sum of
  /// its parts. Errors: ConfigError at the operator's position for a duplicate or empty name, an
  /// unknown or repeated input, a cycle (printed), a `tied_to` that is unknown, itself tied or of
  /// other parameter bytes, half a split, sizes or FLOPs beyond reason, no operators at all.
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
  /// `saved` bytes one private entry of those bytes, else the inputs, the output, and a private
  /// entry for `internal` bytes if there are any.
  struct SavedTensor {
    OperatorId tensor;  ///< the operator that produced it
    Bytes bytes;
    bool given = false;  ///< private to the operator, shared with nobody: not its output
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

}  // namespace pipegraph
