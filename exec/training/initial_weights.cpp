#include "exec/training/initial_weights.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/errors.h"
#include "exec/kernels/random.h"
#include "exec/operators/parameter_layout.h"

namespace pipegraph {

void fill_initial_weights(const ComputationGraph& graph, OperatorId owner, std::uint64_t seed,
                          std::span<float> into) {
  for (const ParameterTensor& tensor : parameter_layout(operator_shape(graph, owner))) {
    const auto size = static_cast<std::size_t>(tensor.elements());
    check(static_cast<std::size_t>(tensor.offset) + size <= into.size(),
          "there is room for all parameters of an operator");
    const std::span<float> values = into.subspan(static_cast<std::size_t>(tensor.offset), size);
    const InitialValues& initial = tensor.initial;
    if (initial.bound == 0.0) {
      std::fill(values.begin(), values.end(), static_cast<float>(initial.constant));
      continue;
    }
    const auto stream =
        kernels::random_stream(seed, fmt::format("{}/{}", graph.at(owner).name, tensor.name));
    for (std::size_t i = 0; i < size; ++i)
      values[i] = static_cast<float>(initial.bound) * stream.symmetric(i);
  }
}

}  // namespace pipegraph
