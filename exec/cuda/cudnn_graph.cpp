#include "exec/cuda/cudnn_graph.h"

#include "exec/operators/fused_attention.h"

namespace pipegraph {

FourDims dense_strides(const FourDims& dims) {
  return {dims[1] * dims[2] * dims[3], dims[2] * dims[3], dims[3], 1};
}

CudnnGraph::Tensor CudnnGraph::add(const CudnnTensor& tensor) {
  const auto number = static_cast<Tensor>(tensors_.size() + 1);
  CudnnDescriptor& made = tensors_.emplace_back(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  made.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, number)
      .set_type(CUDNN_ATTR_TENSOR_DATA_TYPE, tensor.type)
      .set(CUDNN_ATTR_TENSOR_DIMENSIONS, tensor.dims)
      .set(CUDNN_ATTR_TENSOR_STRIDES, tensor.strides)
      .set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, k_fused_alignment);
  if (tensor.kind == TensorKind::Scalar) made.set_flag(CUDNN_ATTR_TENSOR_IS_BY_VALUE);
  if (tensor.kind == TensorKind::Virtual) made.set_flag(CUDNN_ATTR_TENSOR_IS_VIRTUAL);
  made.finalize();
  return number;
}

void CudnnGraph::matmul(Tensor a, Tensor b, Tensor product) {
  CudnnDescriptor& how = parts_.emplace_back(CUDNN_BACKEND_MATMUL_DESCRIPTOR);
  how.set_type(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_DATA_FLOAT).finalize();
  operations_.emplace_back(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR)
      .set(CUDNN_ATTR_OPERATION_MATMUL_ADESC, at(a))
      .set(CUDNN_ATTR_OPERATION_MATMUL_BDESC, at(b))
      .set(CUDNN_ATTR_OPERATION_MATMUL_CDESC, at(product))
      .set(CUDNN_ATTR_OPERATION_MATMUL_DESC, how)
      .finalize();
}

void CudnnGraph::pointwise(const Pointwise& operation, Tensor result) {
  CudnnDescriptor& how = parts_.emplace_back(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  how.set_mode(CUDNN_ATTR_POINTWISE_MODE, operation.mode)
      .set_type(CUDNN_ATTR_POINTWISE_MATH_PREC, operation.arithmetic);
  if (operation.axis) how.set(CUDNN_ATTR_POINTWISE_AXIS, *operation.axis);
  how.finalize();
  CudnnDescriptor& made = operations_.emplace_back(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  made.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, how)
      .set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, at(operation.x))
      .set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, at(result));
  if (operation.second > 0) made.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, at(operation.second));
  if (operation.condition > 0)
    made.set(CUDNN_ATTR_OPERATION_POINTWISE_TDESC, at(operation.condition));
  made.finalize();
}

void CudnnGraph::reduce(cudnnReduceTensorOp_t reduction, Tensor x, Tensor result) {
  CudnnDescriptor& how = parts_.emplace_back(CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
  how.set_type(CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_DATA_FLOAT)
      .set_operator(CUDNN_ATTR_REDUCTION_OPERATOR, reduction)
      .finalize();
  operations_.emplace_back(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR)
      .set(CUDNN_ATTR_OPERATION_REDUCTION_XDESC, at(x))
      .set(CUDNN_ATTR_OPERATION_REDUCTION_YDESC, at(result))
      .set(CUDNN_ATTR_OPERATION_REDUCTION_DESC, how)
      .finalize();
}

void CudnnGraph::view(Tensor x, Tensor result) {
  operations_.emplace_back(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR)
      .set(CUDNN_ATTR_OPERATION_RESHAPE_XDESC, at(x))
      .set(CUDNN_ATTR_OPERATION_RESHAPE_YDESC, at(result))
      .finalize();
}

CudnnDescriptor CudnnGraph::finished(cudnnHandle_t handle) const {
  CudnnDescriptor graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  if (handle != nullptr) graph.set_handle(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, handle);
  graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, std::span(operations_)).finalize();
  return graph;
}

}  // namespace pipegraph
