// A GPU as a device of operators whose data has 16 bits: products of bfloat16 by cuBLAS, added up
// in fp32; everything else by the kernel bodies, which compute in fp32 and round what they store.
// Gradients of parameters are fp32.
#pragma once

#include "exec/cuda/cuda_device.h"
#include "exec/cuda/cudnn_attention.h"

namespace pipegraph {

class CudaBf16Device {
 public:
  using Scalar = kernels::BFloat16;
  static constexpr std::int64_t k_table_pieces = CudaDevice::k_table_pieces;

  /// Enqueues on the stream of `gpu`, which outlives this and multiplies in ProductPrecision::Bf16.
  explicit CudaBf16Device(CudaDevice& gpu) : gpu_(gpu) {}

  /// Attention between projections by `attention`, which outlives this and knows the shapes.
  void fuse_attention(CudnnAttention& attention) { attention_ = &attention; }
  bool fuses_attention() const { return attention_ != nullptr; }
  void attend(const FusedAttention<Scalar>& attention) { attention_->forward(attention); }
  void attend_backward(const FusedAttention<Scalar>& attention,
                       const FusedAttentionGradients<Scalar>& gradients) {
    attention_->backward(attention, gradients);
  }

  void gemm(const Gemm<Scalar>& gemm);
  void gemm(const Gemm<Scalar, float>& gemm);
  void gemm_strided_batched(const Gemm<Scalar>& gemm, const BatchStrides& strides);
  template <class Body>
  void elements(std::int64_t count, const Body& body) {
    gpu_.elements(count, body);
  }
  template <class Body>
  void rows(std::int64_t count, const Body& body) {
    gpu_.rows(count, body);
  }
  void zero(Scalar* into, std::int64_t count);
  void copy(const Scalar* from, Scalar* into, std::int64_t count);
  void add(const Scalar* from, Scalar* into, std::int64_t count);
  void add(const float* from, float* into, std::int64_t count) { gpu_.add(from, into, count); }

 private:
  CudaDevice& gpu_;
  CudnnAttention* attention_ = nullptr;
};

/// Parameters as products read them, from those that are trained.
struct RoundedParameters {
  const float* from = nullptr;
  kernels::BFloat16* into = nullptr;
  std::int64_t count = 0;
};
void round_parameters(cudaStream_t stream, const RoundedParameters& parameters);

extern template void forward(CudaBf16Device&, const OperatorShape&,
                             const OperatorData<kernels::BFloat16>&);
extern template void backward_input(CudaBf16Device&, const OperatorShape&,
                                    const OperatorData<kernels::BFloat16>&,
                                    const OperatorGradients<kernels::BFloat16>&);
extern template void backward_weight(CudaBf16Device&, const OperatorShape&,
                                     const OperatorData<kernels::BFloat16>&,
                                     const OperatorGradients<kernels::BFloat16>&);

}  // namespace pipegraph
