// A graph of operations on tensors of four dimensions, as cuDNN is given it.
#pragma once

#include <deque>
#include <optional>

#include "exec/cuda/cudnn_library.h"

namespace pipegraph {

using FourDims = std::array<std::int64_t, 4>;
/// Dense, the last dimension fastest.
FourDims dense_strides(const FourDims& dims);

enum class TensorKind : std::uint8_t {
  Given,    ///< in memory
  Scalar,   ///< one float, read on the host when the graph is executed
  Virtual,  ///< between operations only
};

struct CudnnTensor {
  FourDims dims{1, 1, 1, 1};
  FourDims strides{1, 1, 1, 1};
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  TensorKind kind = TensorKind::Virtual;
};

class CudnnGraph {
 public:
  /// A tensor by its unique number.
  using Tensor = std::int64_t;
  /// Numbers count from 1 in this order.
  Tensor add(const CudnnTensor& tensor);

  void matmul(Tensor a, Tensor b, Tensor product);
  struct Pointwise {
    cudnnPointwiseMode_t mode;
    Tensor x = 0, second = 0, condition = 0;  ///< 0: none
    std::optional<std::int64_t> axis{};       ///< of an index
    cudnnDataType_t arithmetic = CUDNN_DATA_FLOAT;
  };
  void pointwise(const Pointwise& operation, Tensor result);
  void reduce(cudnnReduceTensorOp_t reduction, Tensor x, Tensor result);
  /// The bytes of `x` as a tensor of other dimensions and strides.
  void view(Tensor x, Tensor result);

  /// All operations; with a handle, for its GPU.
  CudnnDescriptor finished(cudnnHandle_t handle) const;

 private:
  const CudnnDescriptor& at(Tensor tensor) const {
    return tensors_[static_cast<std::size_t>(tensor - 1)];
  }

  std::deque<CudnnDescriptor> tensors_, parts_;
  std::vector<CudnnDescriptor> operations_;
};

}  // namespace pipegraph
