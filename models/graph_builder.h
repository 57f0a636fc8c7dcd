// Collects the operators of a network family: keeps each tensor's shape, sums nothing that could
// overflow, and stops at a size no machine could plan.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "core/base/precision.h"
#include "core/model/computation_graph.h"

namespace pipegraph {

/// Most operators a model may have, from a family or from a file.
inline constexpr std::size_t k_most_operators = 200'000;

/// What an operator of the network under construction produces: [rows, columns] per sample.
struct Tensor {
  OperatorId producer;
  std::int64_t rows = 1;
  std::int64_t columns = 0;
  bool needs_gradient = true;
};

class GraphBuilder {
 public:
  /// `position` is where the model was asked for; its errors point there.
  GraphBuilder(std::string name, Precision precision, SourcePosition position);

  /// Product of the sizes. Errors: ConfigError above 2^48, so that bytes can be added up safely.
  std::int64_t elements(std::initializer_list<std::int64_t> sizes) const;
  /// Bytes of a tensor of the model's precision. Errors: as elements().
  Bytes bytes(std::initializer_list<std::int64_t> sizes) const;

  /// Appends `op`; its output shape is that of its arithmetic. A gradient flows back into the
  /// output if one flows on to an input or to parameters. Errors: ConfigError above
  /// k_most_operators.
  Tensor add(Operator op);
  /// Valid until the next add().
  const Operator& at(OperatorId id) const { return operators_[id.index()]; }
  const SourcePosition& position() const { return position_; }

  /// The graph of all operators added. Errors: as ComputationGraph.
  ComputationGraph finish() &&;

 private:
  std::string name_;
  Bytes element_;
  SourcePosition position_;
  std::vector<Operator> operators_;
};

}  // namespace pipegraph
