// One operator with data of its own: filled from streams of random numbers, run on any device, and
// looked at from outside. What is added up is loss = sum over all elements of weight * output.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "exec/kernels/random.h"
#include "exec/operators/operator.h"

namespace pipegraph::test {

struct OperatorCase {
  std::string name;
  OperatorShape shape;
  std::int64_t samples = 2;
};

/// Every kind of arithmetic in the forms that models use, small.
const std::vector<OperatorCase>& operator_cases();
/// Wide enough for loops to be carried out in vectors, with a rest.
const std::vector<OperatorCase>& wide_operator_cases();

/// `expect(case)` for all of `cases`; failures name the case.
template <class Expect>
void for_each_case(const std::vector<OperatorCase>& cases, const Expect& expect) {
  for (const OperatorCase& op : cases) {
    SCOPED_TRACE(op.name);
    expect(op);
  }
}

/// Whole numbers make every sum exact, so that equal means equal bits.
enum class Values : std::uint8_t { Real, Whole };

inline std::int64_t parameter_elements(const OperatorShape& shape) {
  std::int64_t count = 0;
  for (const ParameterTensor& tensor : parameter_layout(shape)) count += tensor.elements();
  return count;
}

inline bool reads_indices(const OperatorShape& shape) {
  return shape.arithmetic.kind == Arithmetic::Embedding ||
         shape.arithmetic.kind == Arithmetic::EmbeddingBag;
}

template <class T>
struct OperatorRun {
  OperatorShape shape;
  std::int64_t samples;
  std::vector<std::vector<T>> inputs;
  std::vector<std::int32_t> indices, classes;
  std::vector<T> targets, output, parameters, internal, scratch;
  std::vector<T> output_gradient;
  std::vector<std::vector<T>> input_gradients;
  std::vector<T> parameter_gradients;

  OperatorRun(const OperatorCase& op, Values values) : shape(op.shape), samples(op.samples) {
    for (const InputShape& input : shape.inputs) {
      inputs.push_back(numbers("input" + std::to_string(inputs.size()),
                               reads_indices(shape) ? 0 : samples * input.elements(), values));
      input_gradients.emplace_back(inputs.back().size(), T(-7));  // is to be overwritten
    }
    const std::int64_t rows = shape.inputs.front().rows;
    indices = whole_numbers("indices", samples * rows, shape.arithmetic.table_rows);
    classes = whole_numbers("classes", samples * rows, shape.inputs.front().columns);
    targets = numbers("targets", samples * shape.inputs.front().elements(), values);
    parameters = numbers("parameters", parameter_elements(shape), values);
    output_gradient = numbers("output gradient", samples * shape.output_elements(), values);
    parameter_gradients.assign(parameters.size(), T{0});
    output.assign(output_gradient.size(), T(-7));
    internal.assign(static_cast<std::size_t>(samples * internal_elements(shape)), T(-7));
    scratch.assign(static_cast<std::size_t>(scratch_elements(shape, samples)), T(-7));
  }

  OperatorData<T> data() {
    input_pointers_.clear();
    for (const std::vector<T>& input : inputs) input_pointers_.push_back(input.data());
    OperatorData<T> d;
    d.samples = samples;
    d.inputs = input_pointers_;
    d.indices = indices.data();
    d.targets = targets.data();
    d.classes = classes.data();
    d.output = output.data();
    d.parameters = parameters.data();
    d.internal = internal.data();
    d.scratch = scratch.data();
    return d;
  }
  OperatorGradients<T> gradients() {
    gradient_pointers_.clear();
    for (std::size_t i = 0; i < inputs.size(); ++i)
      gradient_pointers_.push_back(shape.inputs[i].needs_gradient ? input_gradients[i].data()
                                                                  : nullptr);
    return {output_gradient.data(), gradient_pointers_, parameter_gradients.data(), samples};
  }

 private:
  static std::vector<T> numbers(const std::string& name, std::int64_t count, Values values) {
    const kernels::RandomStream stream = kernels::random_stream(1, name);
    std::vector<T> result(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = values == Values::Real ? T(stream.symmetric(i)) : T(stream.below(9, i) - 4);
    return result;
  }
  static std::vector<std::int32_t> whole_numbers(const std::string& name, std::int64_t count,
                                                 std::int64_t limit) {
    std::vector<std::int32_t> result(static_cast<std::size_t>(count));
    if (limit == 0) return result;
    const kernels::RandomStream stream = kernels::random_stream(1, name);
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = stream.below(static_cast<std::int32_t>(limit), i);
    return result;
  }

  std::vector<const T*> input_pointers_;
  std::vector<T*> gradient_pointers_;
};

}  // namespace pipegraph::test
