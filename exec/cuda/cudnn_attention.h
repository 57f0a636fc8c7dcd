// Attention by cuDNN, on data of 16 bits: what an engine is given instead of its own kernels. cuDNN
// compiles a kernel for each shape and pass, so shapes are planned before steps begin.
#pragma once

#include <cuda_runtime_api.h>

#include <compare>
#include <cstddef>
#include <memory>
#include <string>

#include "core/base/precision.h"
#include "core/model/computation_graph.h"
#include "exec/cuda/gpu_options.h"
#include "exec/operators/fused_attention.h"

namespace pipegraph {

struct AttentionShape {
  std::int64_t samples = 0, tokens = 0, heads = 0, head_columns = 0;
  bool causal = false;
  auto operator<=>(const AttentionShape&) const = default;
};
/// "2 samples of 16 tokens, 4 heads of 8 columns, causal"
std::string to_text(const AttentionShape& shape);
AttentionShape attention_shape(const OperatorArithmetic& attention, std::int64_t samples);

/// Errors: ConfigError for attention by cuDNN in another precision than bf16, or of a shape that
/// cuDNN does not take.
void check_attention(GpuAttention attention, const ComputationGraph& graph, Precision precision);

class CudnnAttention {
 public:
  using Scalar = kernels::BFloat16;

  /// Of the calling thread's current GPU. Errors: MachineError, one line, without cuDNN.
  explicit CudnnAttention(cudaStream_t stream);
  ~CudnnAttention();

  /// Both passes of a shape. Errors: MachineError if cuDNN has none for this GPU.
  void plan(const AttentionShape& shape);
  /// Most that a planned pass needs.
  Bytes workspace() const;
  /// Where it lies; before the first pass.
  void use_workspace(std::byte* memory);

  /// Enqueued on the stream. Of a shape that was planned.
  void forward(const FusedAttention<Scalar>& attention);
  void backward(const FusedAttention<Scalar>& attention,
                const FusedAttentionGradients<Scalar>& gradients);

  /// "cuDNN 9.19.0", for notes. Errors: those of the constructor.
  static std::string version();

 private:
  struct Plans;
  std::unique_ptr<Plans> plans_;
};

}  // namespace pipegraph
