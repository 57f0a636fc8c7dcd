// What cuDNN computes for a graph of operations, by definition: tensors as numbers in float, one
// operation after the other.
#pragma once

#include <cudnn_graph.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace pipegraph::cuda_stand_in {

using Index = std::array<std::int64_t, 4>;

struct GraphTensor {
  std::int64_t number = 0;
  Index dims{1, 1, 1, 1}, strides{1, 1, 1, 1};
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  std::int64_t alignment = 1;
  bool is_virtual = false, by_value = false;

  /// Elements from the first to the last.
  std::int64_t extent() const;
  std::size_t element_bytes() const;
  bool operator==(const GraphTensor&) const = default;
};

enum class GraphKind : std::uint8_t { Matmul, Pointwise, Reduction, Reshape };

struct GraphOperation {
  GraphKind kind = GraphKind::Matmul;
  GraphTensor a, b, condition, result;  ///< number 0: there is none
  cudnnPointwiseMode_t mode = CUDNN_POINTWISE_IDENTITY;
  cudnnReduceTensorOp_t reduction = CUDNN_REDUCE_TENSOR_ADD;
  std::int64_t axis = -1;

  std::vector<GraphTensor> inputs() const;
};

struct CudnnGraph {
  std::vector<GraphOperation> operations;

  /// Why no engine takes it; empty if one does: an operation of an unknown kind, sizes that do not
  /// fit, a virtual tensor that is read before it is written.
  std::string problem() const;
  /// Tensors in memory and scalars, by number.
  std::map<std::int64_t, GraphTensor> outside() const;
  /// Where a backend's result goes to memory, not what it reads.
  bool writes(std::int64_t tensor) const;
};

/// Pointers that the host may follow, by number.
void evaluate(const CudnnGraph& graph, const std::map<std::int64_t, void*>& memory);

}  // namespace pipegraph::cuda_stand_in
