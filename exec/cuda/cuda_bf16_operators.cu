// All operators on data of 16 bits, compiled for the GPU (or, without nvcc, for the host in the
// order of a stream).
#include "exec/cuda/cuda_bf16_device.h"
#include "exec/kernels/rounding.h"
#include "exec/operators/operator_definition.h"

namespace pipegraph {

using kernels::BFloat16;

void CudaBf16Device::add(const Scalar* from, Scalar* into, std::int64_t count) {
  elements(count, kernels::AddElements<Scalar>{{into, count}, {from, count}, {into, count}});
}

void round_parameters(cudaStream_t stream, const RoundedParameters& p) {
  if (p.count > 0)
    launch_elements(stream, p.count,
                    kernels::RoundElements<BFloat16>{{p.from, p.count}, {p.into, p.count}});
}

template void forward(CudaBf16Device&, const OperatorShape&, const OperatorData<BFloat16>&);
template void backward_input(CudaBf16Device&, const OperatorShape&, const OperatorData<BFloat16>&,
                             const OperatorGradients<BFloat16>&);
template void backward_weight(CudaBf16Device&, const OperatorShape&, const OperatorData<BFloat16>&,
                              const OperatorGradients<BFloat16>&);

}  // namespace pipegraph
