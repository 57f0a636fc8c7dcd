#include "tests/support/cuda_stand_in/cudnn_graph.h"

#include <cuda_bf16.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

namespace pipegraph::cuda_stand_in {

namespace {

/// Of an element; a dimension of one is that of all.
std::int64_t place(const GraphTensor& tensor, const Index& index) {
  std::int64_t at = 0;
  for (std::size_t d = 0; d < index.size(); ++d)
    at += tensor.dims[d] == 1 ? 0 : index[d] * tensor.strides[d];
  return at;
}

template <class Visit>
void for_each(const Index& dims, const Visit& visit) {
  Index i{};
  for (i[0] = 0; i[0] < dims[0]; ++i[0])
    for (i[1] = 0; i[1] < dims[1]; ++i[1])
      for (i[2] = 0; i[2] < dims[2]; ++i[2])
        for (i[3] = 0; i[3] < dims[3]; ++i[3]) visit(i);
}

float rounded(cudnnDataType_t type, float value) {
  return type == CUDNN_DATA_BFLOAT16 ? __bfloat162float(__float2bfloat16(value)) : value;
}

class Evaluation {
 public:
  explicit Evaluation(const std::map<std::int64_t, void*>& memory) : memory_(memory) {}

  void run(const GraphOperation& operation) {
    for (const GraphTensor& input : operation.inputs()) load(input);
    std::vector<float>& result = values_[operation.result.number];
    result.assign(static_cast<std::size_t>(operation.result.extent()), 0.0F);
    if (adds_up(operation)) load_into(operation.result, result);
    switch (operation.kind) {
      case GraphKind::Matmul:
        multiply(operation);
        break;
      case GraphKind::Pointwise:
        for_each(operation.result.dims,
                 [&](const Index& i) { set(operation.result, i, value_of(operation, i)); });
        break;
      case GraphKind::Reduction:
        reduce(operation);
        break;
      case GraphKind::Reshape:  // the same bytes
        result = values_.at(operation.a.number);
        for (float& value : result) value = rounded(operation.result.type, value);
        break;
    }
    if (!operation.result.is_virtual) store(operation.result);
  }

 private:
  float at(const GraphTensor& tensor, const Index& index) const {
    return values_.at(tensor.number)[static_cast<std::size_t>(place(tensor, index))];
  }
  void set(const GraphTensor& tensor, const Index& index, float value) {
    values_.at(tensor.number)[static_cast<std::size_t>(place(tensor, index))] =
        rounded(tensor.type, value);
  }

  /// Kernels add up wide products in memory, part by part, so that it has to be zeros before.
  static bool adds_up(const GraphOperation& operation) {
    return operation.kind == GraphKind::Matmul && !operation.result.is_virtual &&
           operation.result.type == CUDNN_DATA_FLOAT;
  }

  void load(const GraphTensor& tensor) {
    if (tensor.is_virtual || values_.contains(tensor.number)) return;
    std::vector<float>& values = values_[tensor.number];
    values.resize(static_cast<std::size_t>(tensor.extent()));
    load_into(tensor, values);
  }
  void load_into(const GraphTensor& tensor, std::vector<float>& values) const {
    const void* const memory = memory_.at(tensor.number);
    for_each(tensor.dims, [&](const Index& i) {
      const auto n = static_cast<std::size_t>(place(tensor, i));
      values[n] = tensor.type == CUDNN_DATA_BFLOAT16
                      ? __bfloat162float(static_cast<const __nv_bfloat16*>(memory)[n])
                      : static_cast<const float*>(memory)[n];
    });
  }
  void store(const GraphTensor& tensor) const {
    const std::vector<float>& values = values_.at(tensor.number);
    void* const memory = memory_.at(tensor.number);
    for_each(tensor.dims, [&](const Index& i) {
      const auto n = static_cast<std::size_t>(place(tensor, i));
      if (tensor.type == CUDNN_DATA_BFLOAT16)
        static_cast<__nv_bfloat16*>(memory)[n] = __float2bfloat16(values[n]);
      else
        static_cast<float*>(memory)[n] = values[n];
    });
  }

  void multiply(const GraphOperation& op) {
    const std::int64_t inner = op.a.dims[3];
    for_each(op.result.dims, [&](const Index& i) {
      float sum = adds_up(op) ? at(op.result, i) : 0.0F;
      for (std::int64_t k = 0; k < inner; ++k)
        sum += at(op.a, {i[0], i[1], i[2], k}) * at(op.b, {i[0], i[1], k, i[3]});
      set(op.result, i, sum);
    });
  }
  void reduce(const GraphOperation& op) {
    const bool most = op.reduction == CUDNN_REDUCE_TENSOR_MAX;
    std::vector<float>& sums = values_.at(op.result.number);
    std::fill(sums.begin(), sums.end(), most ? std::numeric_limits<float>::lowest() : 0.0F);
    for_each(op.a.dims, [&](const Index& i) {
      float& sum = sums[static_cast<std::size_t>(place(op.result, i))];
      sum = most ? std::max(sum, at(op.a, i)) : sum + at(op.a, i);
    });
  }
  float value_of(const GraphOperation& op, const Index& i) const {
    if (op.mode == CUDNN_POINTWISE_GEN_INDEX)
      return static_cast<float>(i[static_cast<std::size_t>(op.axis)]);
    const float x = at(op.a, i);
    const float y = op.b.number > 0 ? at(op.b, i) : 0.0F;
    switch (op.mode) {
      case CUDNN_POINTWISE_ADD:
        return x + y;
      case CUDNN_POINTWISE_SUB:
        return x - y;
      case CUDNN_POINTWISE_MUL:
        return x * y;
      case CUDNN_POINTWISE_DIV:
        return x / y;
      case CUDNN_POINTWISE_EXP:
        return std::exp(x);
      case CUDNN_POINTWISE_LOG:
        return std::log(x);
      case CUDNN_POINTWISE_CMP_GE:
        return x >= y ? 1.0F : 0.0F;
      case CUDNN_POINTWISE_BINARY_SELECT:
        return at(op.condition, i) != 0.0F ? x : y;
      default:
        return x;
    }
  }

  const std::map<std::int64_t, void*>& memory_;
  std::map<std::int64_t, std::vector<float>> values_;
};

constexpr std::array k_known_modes{CUDNN_POINTWISE_ADD,       CUDNN_POINTWISE_SUB,
                                   CUDNN_POINTWISE_MUL,       CUDNN_POINTWISE_DIV,
                                   CUDNN_POINTWISE_EXP,       CUDNN_POINTWISE_LOG,
                                   CUDNN_POINTWISE_CMP_GE,    CUDNN_POINTWISE_BINARY_SELECT,
                                   CUDNN_POINTWISE_GEN_INDEX, CUDNN_POINTWISE_IDENTITY};

/// Each dimension of `small` is that of `large`, or one.
bool spreads(const Index& small, const Index& large) {
  for (std::size_t d = 0; d < small.size(); ++d)
    if (small[d] != large[d] && small[d] != 1) return false;
  return true;
}

std::string problem_of(const GraphOperation& op) {
  const Index &a = op.a.dims, &b = op.b.dims, &r = op.result.dims;
  switch (op.kind) {
    case GraphKind::Matmul:
      if (a[3] != b[2] || r != Index{a[0], a[1], a[2], b[3]} || a[0] != b[0] || a[1] != b[1])
        return "factors of a product do not fit";
      return {};
    case GraphKind::Pointwise:
      if (std::ranges::find(k_known_modes, op.mode) == k_known_modes.end())
        return "an unknown pointwise mode";
      for (const GraphTensor& input : op.inputs())
        if (!spreads(input.dims, r)) return "operands of a pointwise operation do not fit";
      return {};
    case GraphKind::Reduction:
      return spreads(r, a) ? "" : "a reduction does not fit";
    case GraphKind::Reshape:
      return op.a.extent() == op.result.extent() ? "" : "a reshape changes the size";
  }
  return "an unknown operation";
}

}  // namespace

std::int64_t GraphTensor::extent() const {
  std::int64_t last = 0;
  for (std::size_t d = 0; d < dims.size(); ++d) last += (dims[d] - 1) * strides[d];
  return last + 1;
}
std::size_t GraphTensor::element_bytes() const { return type == CUDNN_DATA_BFLOAT16 ? 2 : 4; }

std::vector<GraphTensor> GraphOperation::inputs() const {
  std::vector<GraphTensor> inputs;
  for (const GraphTensor* tensor : {&a, &b, &condition})
    if (tensor->number > 0) inputs.push_back(*tensor);
  return inputs;
}

std::string CudnnGraph::problem() const {
  std::set<std::int64_t> written;
  for (const GraphOperation& op : operations) {
    if (const std::string problem = problem_of(op); !problem.empty()) return problem;
    for (const GraphTensor& input : op.inputs())
      if (input.is_virtual && !written.contains(input.number))
        return "a virtual tensor is read before it is written";
    written.insert(op.result.number);
  }
  return operations.empty() ? "there are no operations" : "";
}

std::map<std::int64_t, GraphTensor> CudnnGraph::outside() const {
  std::map<std::int64_t, GraphTensor> tensors;
  for (const GraphOperation& op : operations) {
    for (const GraphTensor& input : op.inputs())
      if (!input.is_virtual) tensors.emplace(input.number, input);
    if (!op.result.is_virtual) tensors.emplace(op.result.number, op.result);
  }
  return tensors;
}

bool CudnnGraph::writes(std::int64_t tensor) const {
  return std::ranges::any_of(operations,
                             [&](const GraphOperation& op) { return op.result.number == tensor; });
}

void evaluate(const CudnnGraph& graph, const std::map<std::int64_t, void*>& memory) {
  Evaluation evaluation(memory);
  for (const GraphOperation& op : graph.operations) evaluation.run(op);
}

}  // namespace pipegraph::cuda_stand_in
