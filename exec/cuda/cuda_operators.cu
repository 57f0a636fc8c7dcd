// All operators and optimizers, compiled for the GPU (or, without nvcc, for the host in the order
// of a stream).
#include <cstring>
#include <type_traits>

#include "exec/cuda/cuda_device.h"
#include "exec/cuda/optimizer_slot.h"
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

namespace {

/// An element body that lies in memory.
template <class Body>
struct FromSlot {
  kernels::View<const Body> body;
  PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t i) const { body[0](i); }
};

/// Writes bodies to the host's side of a slot.
struct SlotWriter {
  using Scalar = float;
  const OptimizerSlot& slot;
  template <class Body>
  void elements(std::int64_t /*count*/, const Body& body) {
    static_assert(std::is_trivially_copyable_v<Body> && sizeof(Body) <= k_optimizer_slot.count);
    std::memcpy(slot.host, &body, sizeof body);
  }
  void zero(float* /*into*/, std::int64_t /*count*/) {}
};

/// Runs what was written there.
struct SlotReader {
  using Scalar = float;
  CudaDevice& device;
  const OptimizerSlot& slot;
  template <class Body>
  void elements(std::int64_t count, const Body& /*body*/) {
    PIPEGRAPH_CUDA(cudaMemcpyAsync(slot.gpu, slot.host, sizeof(Body), cudaMemcpyHostToDevice,
                                   device.stream()));
    device.elements(count, FromSlot<Body>{{reinterpret_cast<const Body*>(slot.gpu), 1}});
  }
  void zero(float* into, std::int64_t count) { device.zero(into, count); }
};

}  // namespace

void fill_slot(const OptimizerSlot& slot, const OptimizerWork& work) {
  SlotWriter writer{slot};
  optimizer_step(writer, work.optimizer, work.order, work.tensors);
}

void step_from_slot(CudaDevice& device, const OptimizerSlot& slot, const OptimizerWork& work) {
  SlotReader reader{device, slot};
  optimizer_step(reader, work.optimizer, work.order, work.tensors);
}

template void forward(CudaDevice&, const OperatorShape&, const OperatorData<float>&);
template void backward_input(CudaDevice&, const OperatorShape&, const OperatorData<float>&,
                             const OperatorGradients<float>&);
template void backward_weight(CudaDevice&, const OperatorShape&, const OperatorData<float>&,
                              const OperatorGradients<float>&);

}  // namespace pipegraph
