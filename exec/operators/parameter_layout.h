// How the parameters of an operator lie in memory: named tensors one after the other, row-major.
//
//   linear               weight [columns, input columns], bias [1, columns]. The weight lies as a
//                        table of embeddings does, so that a head can share one.
//   layer norm           gain [1, columns], offset [1, columns]
//   attention            projection_weight [3 columns, columns]: queries, keys, values;
//                        projection_bias, output_weight [columns, columns], output_bias
//   embedding (bag)      table [table rows, columns of the table]
//   position embedding   positions [rows, columns]
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "exec/operators/operator_shape.h"

namespace pipegraph {

/// Initial values: uniform in [-bound, bound), or one number everywhere.
struct InitialValues {
  double bound = 0.0;  ///< 0: `constant` everywhere
  double constant = 0.0;
};

struct ParameterTensor {
  std::string_view name;    ///< "weight"; in full "<operator>/weight"
  std::int64_t offset = 0;  ///< elements before it
  std::int64_t rows = 1;
  std::int64_t columns = 0;
  InitialValues initial;
  std::int64_t elements() const { return rows * columns; }
};

/// In memory order; adds up to Operator::parameters. Empty for an operator without parameters. An
/// operator tied to another has the other's layout (its owner's names and initial values count).
std::vector<ParameterTensor> parameter_layout(const OperatorShape& shape);

}  // namespace pipegraph
