#include "tests/support/cuda_stand_in/cudnn_descriptors.h"

namespace pipegraph::cuda_stand_in {

namespace {

using Name = cudnnBackendAttributeName_t;

Index four(const Descriptor& tensor, Name name) {
  Index values{};
  const Attribute* const set = tensor.find(name);
  if (set == nullptr || set->count != static_cast<std::int64_t>(values.size())) return {};
  for (std::size_t d = 0; d < values.size(); ++d)
    values[d] = set->as<std::int64_t>(static_cast<std::int64_t>(d));
  return values;
}

template <class T>
T value_or(const Descriptor& descriptor, Name name, T otherwise) {
  const Attribute* const set = descriptor.find(name);
  return set == nullptr ? otherwise : set->as<T>();
}

GraphTensor tensor_of(const Descriptor* descriptor) {
  if (descriptor == nullptr) return {};
  const Descriptor& d = *descriptor;
  return {.number = value_or<std::int64_t>(d, CUDNN_ATTR_TENSOR_UNIQUE_ID, 0),
          .dims = four(d, CUDNN_ATTR_TENSOR_DIMENSIONS),
          .strides = four(d, CUDNN_ATTR_TENSOR_STRIDES),
          .type = value_or(d, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_DATA_FLOAT),
          .alignment = value_or<std::int64_t>(d, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, 1),
          .is_virtual = value_or(d, CUDNN_ATTR_TENSOR_IS_VIRTUAL, false),
          .by_value = value_or(d, CUDNN_ATTR_TENSOR_IS_BY_VALUE, false)};
}

GraphOperation pointwise_of(const Descriptor& d) {
  GraphOperation op{.kind = GraphKind::Pointwise,
                    .a = tensor_of(d.link(CUDNN_ATTR_OPERATION_POINTWISE_XDESC)),
                    .b = tensor_of(d.link(CUDNN_ATTR_OPERATION_POINTWISE_BDESC)),
                    .condition = tensor_of(d.link(CUDNN_ATTR_OPERATION_POINTWISE_TDESC)),
                    .result = tensor_of(d.link(CUDNN_ATTR_OPERATION_POINTWISE_YDESC))};
  if (const Descriptor* const how = d.link(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR)) {
    op.mode = value_or(*how, CUDNN_ATTR_POINTWISE_MODE, CUDNN_POINTWISE_IDENTITY);
    op.axis = value_or<std::int64_t>(*how, CUDNN_ATTR_POINTWISE_AXIS, -1);
  }
  return op;
}

std::optional<GraphOperation> operation_of(const Descriptor& d) {
  switch (d.kind) {
    case CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR:
      return GraphOperation{.kind = GraphKind::Matmul,
                            .a = tensor_of(d.link(CUDNN_ATTR_OPERATION_MATMUL_ADESC)),
                            .b = tensor_of(d.link(CUDNN_ATTR_OPERATION_MATMUL_BDESC)),
                            .result = tensor_of(d.link(CUDNN_ATTR_OPERATION_MATMUL_CDESC))};
    case CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR:
      return pointwise_of(d);
    case CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR: {
      GraphOperation op{.kind = GraphKind::Reduction,
                        .a = tensor_of(d.link(CUDNN_ATTR_OPERATION_REDUCTION_XDESC)),
                        .result = tensor_of(d.link(CUDNN_ATTR_OPERATION_REDUCTION_YDESC))};
      if (const Descriptor* const how = d.link(CUDNN_ATTR_OPERATION_REDUCTION_DESC))
        op.reduction = value_or(*how, CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_REDUCE_TENSOR_ADD);
      return op;
    }
    case CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR:
      return GraphOperation{.kind = GraphKind::Reshape,
                            .a = tensor_of(d.link(CUDNN_ATTR_OPERATION_RESHAPE_XDESC)),
                            .result = tensor_of(d.link(CUDNN_ATTR_OPERATION_RESHAPE_YDESC))};
    default:
      return std::nullopt;
  }
}

std::string finish_tensor(const Descriptor& d) {
  const GraphTensor tensor = tensor_of(&d);
  if (tensor.number <= 0) return "a tensor has no number";
  for (const std::int64_t size : tensor.dims)
    if (size <= 0) return "a tensor has no four dimensions";
  return tensor.is_virtual && tensor.by_value ? "a tensor is virtual and a value" : "";
}

std::string finish_graph(Descriptor& d) {
  const Attribute* const operations = d.find(CUDNN_ATTR_OPERATIONGRAPH_OPS);
  if (operations == nullptr) return "there are no operations";
  if (d.find(CUDNN_ATTR_OPERATIONGRAPH_HANDLE) == nullptr) return "a graph has no handle";
  CudnnGraph graph;
  for (std::int64_t i = 0; i < operations->count; ++i) {
    const Descriptor* const operation = d.link(CUDNN_ATTR_OPERATIONGRAPH_OPS, i);
    const auto read = operation->finished ? operation_of(*operation) : std::nullopt;
    if (!read || read->a.number == 0 || read->result.number == 0)
      return "an operation is not finished";
    graph.operations.push_back(*read);
  }
  d.graph = std::move(graph);
  return {};
}

/// What stands on another's graph.
std::string inherit(Descriptor& d, Name from, const std::string& without) {
  const Descriptor* const other = d.link(from);
  if (other == nullptr || !other->finished || !other->graph) return without;
  d.graph = other->graph;
  return {};
}

}  // namespace

const Attribute* Descriptor::find(Name name) const {
  const auto found = attributes.find(name);
  return found == attributes.end() ? nullptr : &found->second;
}
const Descriptor* Descriptor::link(Name name, std::int64_t index) const {
  const Attribute* const set = find(name);
  return set == nullptr ? nullptr : static_cast<const Descriptor*>(set->as<void*>(index));
}

std::size_t bytes_of(cudnnBackendAttributeType_t type) {
  switch (type) {
    case CUDNN_TYPE_INT64:
      return sizeof(std::int64_t);
    case CUDNN_TYPE_BOOLEAN:
      return sizeof(bool);
    case CUDNN_TYPE_HANDLE:
    case CUDNN_TYPE_VOID_PTR:
    case CUDNN_TYPE_BACKEND_DESCRIPTOR:
      return sizeof(void*);
    case CUDNN_TYPE_DATA_TYPE:
    case CUDNN_TYPE_POINTWISE_MODE:
    case CUDNN_TYPE_REDUCTION_OPERATOR_TYPE:
    case CUDNN_TYPE_HEUR_MODE:
      return sizeof(int);
    default:
      return 0;
  }
}

std::string finish(Descriptor& d) {
  std::string problem;
  switch (d.kind) {
    case CUDNN_BACKEND_TENSOR_DESCRIPTOR:
      problem = finish_tensor(d);
      break;
    case CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR:
      problem = finish_graph(d);
      break;
    case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR:
      problem = inherit(d, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, "a heuristic has no graph");
      break;
    case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR:
      problem = inherit(d, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, "a plan has no engine");
      if (problem.empty()) problem = d.graph->problem();
      break;
    default:
      break;
  }
  d.finished = problem.empty();
  return problem;
}

}  // namespace pipegraph::cuda_stand_in
