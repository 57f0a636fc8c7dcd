// In place of cudnn_attention.cpp where there were no headers of cuDNN.
#include "core/base/errors.h"
#include "exec/cuda/cudnn_attention.h"

namespace pipegraph {

namespace {
[[noreturn]] void refuse() {
  throw MachineError(
      "this program was built without cuDNN's headers, which --attention cudnn needs; install them "
      "and build again, or use --attention own");
}
}  // namespace

struct CudnnAttention::Plans {};

CudnnAttention::CudnnAttention(cudaStream_t /*stream*/) { refuse(); }
CudnnAttention::~CudnnAttention() = default;
void CudnnAttention::plan(const AttentionShape& /*shape*/) { refuse(); }
Bytes CudnnAttention::workspace() const { refuse(); }
void CudnnAttention::use_workspace(std::byte* /*memory*/) { refuse(); }
void CudnnAttention::forward(const FusedAttention<Scalar>& /*attention*/) { refuse(); }
void CudnnAttention::backward(const FusedAttention<Scalar>& /*attention*/,
                              const FusedAttentionGradients<Scalar>& /*gradients*/) {
  refuse();
}
std::string CudnnAttention::version() { refuse(); }

}  // namespace pipegraph
