// One operator on a device with tensors of its own, for measuring its passes alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/model/computation_graph.h"
#include "exec/kernels/random.h"
#include "exec/operators/operator.h"
#include "exec/training/data_source.h"

namespace pipegraph {

/// An operator to be measured, and the samples of one pass.
struct BenchedOperator {
  OperatorId id;
  OperatorShape shape;
  std::int64_t parameters = 0;  ///< elements
  std::int64_t samples = 1;
};

/// Of a graph whose numbers have `element` bytes.
inline BenchedOperator benched(const ComputationGraph& graph, OperatorId id, std::int64_t samples,
                               Bytes element = Bytes{sizeof(float)}) {
  const Bytes parameters = graph.at(graph.parameter_owner(id)).parameters;
  return {.id = id,
          .shape = operator_shape(graph, id),
          .parameters = static_cast<std::int64_t>(parameters.count / element.count),
          .samples = samples};
}

/// Numbers in [-1, 1), the same at every call.
template <class T = float>
std::vector<T> bench_reals(std::int64_t count) {
  const kernels::RandomStream stream = kernels::random_stream(1, "profile");
  std::vector<T> result(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = T(static_cast<float>(stream.symmetric(i)));
  return result;
}

/// Numbers in [0, limit); none if there is no limit.
inline std::vector<std::int32_t> bench_indices(std::int64_t count, std::int64_t limit) {
  const kernels::RandomStream stream = kernels::random_stream(2, "profile");
  std::vector<std::int32_t> result(static_cast<std::size_t>(limit > 0 ? count : 0));
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = stream.below(static_cast<std::int32_t>(limit), i);
  return result;
}

/// `Store::put(std::vector<T>)` brings numbers into the device's memory and returns where they lie
/// there, for as long as the store lives; `Store::fill(place, read)` has `read(std::span<T>)` make
/// others of as many in the course of a pass.
template <ArithmeticDevice D, class Store>
class OperatorBench {
 public:
  using Scalar = typename D::Scalar;
  using Wide = kernels::Wide<Scalar>;

  /// All must outlive it; `data` is what inputs and losses read.
  struct Context {
    D& device;
    Store& store;
    const DataSource& data;
  };
  OperatorBench(const Context& context, const BenchedOperator& op)
      : context_(context), id_(op.id), shape_(op.shape), samples_(op.samples) {
    Store& store = context.store;
    const auto count = [&](std::int64_t of_sample) { return op.samples * of_sample; };
    for (const InputShape& input : shape_.inputs) {
      const bool read = !reads_indices();
      const std::int64_t elements = read ? count(input.elements()) : 0;
      inputs_.push_back(read ? store.put(bench_reals<Scalar>(elements)) : nullptr);
      input_gradients_.push_back(input.needs_gradient ? store.put(bench_reals<Scalar>(elements))
                                                      : nullptr);
    }
    const InputShape first = shape_.inputs.empty() ? InputShape{} : shape_.inputs.front();
    data_.indices = store.put(bench_indices(count(first.rows), shape_.arithmetic.table_rows));
    if (shape_.arithmetic.kind == Arithmetic::CrossEntropy)
      classes_ = put(bench_indices(count(first.rows), first.columns));
    if (shape_.arithmetic.kind == Arithmetic::MeanSquaredError)
      targets_ = put(bench_reals<Wide>(count(first.elements())));
    if (yields_indices(shape_.arithmetic))
      classes_ =
          put(std::vector<std::int32_t>(static_cast<std::size_t>(count(shape_.output_elements()))));
    // A loss gives wide numbers.
    const std::int64_t wider = is_loss(shape_.arithmetic) ? sizeof(Wide) / sizeof(Scalar) : 1;
    output_ = put(bench_reals<Scalar>(wider * count(shape_.output_elements())));
    data_.classes = classes_.data();
    data_.targets = targets_.data();
    data_.output = output_.data();
    data_.parameters = store.put(bench_reals<Scalar>(op.parameters));
    data_.internal = store.put(bench_reals<Scalar>(count(internal_elements(shape_))));
    data_.scratch = store.put(bench_reals<Wide>(scratch_elements(shape_, op.samples)));
    gradients_.output = store.put(bench_reals<Scalar>(count(shape_.output_elements())));
    gradients_.parameters = store.put(bench_reals<Wide>(op.parameters));
  }

  void run_forward() {
    read_samples();
    forward(context_.device, shape_, data());
  }
  /// After run_forward, one after the other.
  void run_backward_input() {
    if (is_loss(shape_.arithmetic)) read_samples();
    backward_input(context_.device, shape_, data(), gradients());
  }
  void run_backward_weight() { backward_weight(context_.device, shape_, data(), gradients()); }

 private:
  /// Where numbers lie in the device's memory.
  template <class T>
  std::span<T> put(std::vector<T> numbers) {
    const std::size_t count = numbers.size();
    return {context_.store.put(std::move(numbers)), count};
  }
  /// What the pass of a stage reads from outside the network, where it does so.
  void read_samples() {
    const auto fill = [&](auto place) {
      context_.store.fill(place, [&](auto into) { read(into); });
    };
    if (!classes_.empty())
      fill(classes_);
    else if (shape_.arithmetic.kind == Arithmetic::Input)
      fill(output_);
    else if (!targets_.empty())
      fill(targets_);
  }
  template <class T>
  void read(std::span<T> into) {
    if constexpr (std::is_same_v<T, kernels::BFloat16>) {
      real_.resize(into.size());
      context_.data.read(id_, 0, std::span<float>(real_));
      std::copy(real_.begin(), real_.end(), into.begin());
    } else {
      context_.data.read(id_, 0, into);
    }
  }
  bool reads_indices() const {
    return shape_.arithmetic.kind == Arithmetic::Embedding ||
           shape_.arithmetic.kind == Arithmetic::EmbeddingBag;
  }
  OperatorData<Scalar> data() {
    data_.samples = samples_;
    data_.inputs = inputs_;
    return data_;
  }
  OperatorGradients<Scalar> gradients() {
    gradients_.inputs = input_gradients_;
    gradients_.mini_batch = samples_;
    return gradients_;
  }

  Context context_;
  OperatorId id_;
  OperatorShape shape_;
  std::int64_t samples_;
  std::span<std::int32_t> classes_;
  std::span<Wide> targets_;
  std::span<Scalar> output_;
  std::vector<float> real_;  ///< what was read, before it is rounded
  std::vector<const Scalar*> inputs_;
  std::vector<Scalar*> input_gradients_;
  OperatorData<Scalar> data_;
  OperatorGradients<Scalar> gradients_;
};

}  // namespace pipegraph
