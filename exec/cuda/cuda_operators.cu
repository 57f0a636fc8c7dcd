// All operators and optimizers, compiled for the GPU (or, without nvcc, for the host in the order
// of a stream).
#include "exec/cuda/cuda_device.h"
#include "exec/operators/operator_definition.h"

namespace pipegraph {

void add_floats(cudaStream_t stream, const FloatSum& s) {
  if (s.count == 0) return;
  launch_elements(
      stream, s.count,
      kernels::AddElements<float>{{s.into, s.count}, {s.from, s.count}, {s.into, s.count}});
}

void cuda_optimizer_step(CudaDevice& device, Optimizer optimizer, const StepOrder& order,
                         const OptimizedTensors<float>& tensors) {
  optimizer_step(device, optimizer, order, tensors);
}

template void forward(CudaDevice&, const OperatorShape&, const OperatorData<float>&);
template void backward_input(CudaDevice&, const OperatorShape&, const OperatorData<float>&,
                             const OperatorGradients<float>&);
template void backward_weight(CudaDevice&, const OperatorShape&, const OperatorData<float>&,
                              const OperatorGradients<float>&);

}  // namespace pipegraph
