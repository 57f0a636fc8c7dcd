// All operators, compiled for the GPU (or, without nvcc, for the host in the order of a stream).
#include "exec/cuda/cuda_device.h"
#include "exec/operators/operator_definition.h"

namespace pipegraph {

void CudaDevice::add(const float* from, float* into, std::int64_t count) {
  elements(count, kernels::AddElements<float>{{into, count}, {from, count}, {into, count}});
}

template void forward(CudaDevice&, const OperatorShape&, const OperatorData<float>&);
template void backward_input(CudaDevice&, const OperatorShape&, const OperatorData<float>&,
                             const OperatorGradients<float>&);
template void backward_weight(CudaDevice&, const OperatorShape&, const OperatorData<float>&,
                              const OperatorGradients<float>&);

}  // namespace pipegraph
