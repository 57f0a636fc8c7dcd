// How an operator's traffic of parameters and their gradients is spread over the passes.
#pragma once

#include "core/model/operator.h"

namespace pipegraph {

/// Adds to the passes of an operator with parameters: read once in the forward and once for the
/// input's gradient (if there is one), their gradient read and written.
inline void add_parameter_traffic(Operator& op) {
  op.forward.fixed_bytes += op.parameters;
  if (!op.backward_input->empty()) op.backward_input->fixed_bytes += op.parameters;
  op.backward_weight->fixed_bytes += 2 * op.parameters;
}

}  // namespace pipegraph
