// All operators, compiled for the host.
#include "exec/cpu/cpu_device.h"
#include "exec/operators/operator_definition.h"

namespace pipegraph {

static_assert(ArithmeticDevice<CpuDevice>);

template void forward(CpuDevice&, const OperatorShape&, const OperatorData<float>&);
template void backward_input(CpuDevice&, const OperatorShape&, const OperatorData<float>&,
                             const OperatorGradients<float>&);
template void backward_weight(CpuDevice&, const OperatorShape&, const OperatorData<float>&,
                              const OperatorGradients<float>&);

}  // namespace pipegraph
