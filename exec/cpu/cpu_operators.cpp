// All operators, compiled for the host.
#include <fmt/format.h>

#include "exec/cpu/cpu_device.h"
#include "exec/operators/operator_definition.h"

namespace pipegraph {

static_assert(ArithmeticDevice<CpuDevice>);

std::string cpu_arithmetic() {
  return fmt::format("{}, loops in {}", blas_name(), to_text(machine_simd_level()));
}

template void forward(CpuDevice&, const OperatorShape&, const OperatorData<float>&);
template void backward_input(CpuDevice&, const OperatorShape&, const OperatorData<float>&,
                             const OperatorGradients<float>&);
template void backward_weight(CpuDevice&, const OperatorShape&, const OperatorData<float>&,
                              const OperatorGradients<float>&);

}  // namespace pipegraph
