// Arithmetic on the cpu: time per element and bytes per second of the row and element kernels,
// floating-point operations per second of linear layers and attention. Times are CPU times.
#include <benchmark/benchmark.h>

#include <vector>

#include "exec/cpu/cpu_device.h"
#include "exec/kernels/activation.h"
#include "exec/kernels/bias.h"
#include "exec/kernels/column_sums.h"
#include "exec/kernels/layer_norm.h"
#include "exec/kernels/optimizer.h"
#include "exec/kernels/random.h"
#include "exec/kernels/softmax.h"

namespace pipegraph::bench {
namespace {

using kernels::View;

std::vector<float> numbers(std::int64_t count) {
  std::vector<float> result(static_cast<std::size_t>(count));
  CpuDevice().elements(count,
                       kernels::FillSymmetric<float>{
                           kernels::random_stream(1, "numbers"), 0, 1.0F, {result.data(), count}});
  return result;
}

/// Three matrices of [rows, columns] for kernels to work on.
struct Matrices {
  explicit Matrices(const benchmark::State& state)
      : rows(state.range(0)), columns(state.range(1)) {}
  std::int64_t rows, columns;
  std::vector<float> a = numbers(rows * columns), b = a, c = a;
  std::int64_t elements() const { return rows * columns; }
  View<float> view(std::vector<float>& values) { return {values.data(), elements()}; }
  View<float> row(std::vector<float>& values) { return {values.data(), columns}; }
};

/// `touched`: elements read or written per element of a matrix.
void report(benchmark::State& state, const Matrices& m, double touched) {
  const auto elements = static_cast<double>(state.iterations() * m.elements());
  state.counters["ns_per_element"] = benchmark::Counter(
      elements * 1e-9, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["GB_per_s"] =
      benchmark::Counter(elements * touched * 4e-9, benchmark::Counter::kIsRate);
}

template <class MakeBody>
void measure_elements(benchmark::State& state, double touched, const MakeBody& make_body) {
  Matrices m(state);
  const auto body = make_body(m);
  CpuDevice device;
  for ([[maybe_unused]] auto iteration : state) {
    device.elements(m.elements(), body);
    benchmark::ClobberMemory();
  }
  report(state, m, touched);
}

template <class MakeBody>
void measure_rows(benchmark::State& state, double touched, const MakeBody& make_body) {
  Matrices m(state);
  const auto body = make_body(m);
  CpuDevice device;
  for ([[maybe_unused]] auto iteration : state) {
    device.rows(m.rows, body);
    benchmark::ClobberMemory();
  }
  report(state, m, touched);
}

void Gelu(benchmark::State& state) {
  measure_elements(state, 2, [](Matrices& m) {
    return kernels::ActivationForward<float, kernels::Gelu>{m.view(m.a), m.view(m.b)};
  });
}
void GeluGradient(benchmark::State& state) {
  measure_elements(state, 3, [](Matrices& m) {
    return kernels::ActivationBackward<float, kernels::Gelu>{m.view(m.a), m.view(m.b), m.view(m.c)};
  });
}
void ReluGradient(benchmark::State& state) {
  measure_elements(state, 3, [](Matrices& m) {
    return kernels::ActivationBackward<float, kernels::Relu>{m.view(m.a), m.view(m.b), m.view(m.c)};
  });
}
void BiasRelu(benchmark::State& state) {
  measure_rows(state, 2, [](Matrices& m) {
    return kernels::BiasActivation<float, kernels::Relu>{
        m.columns, m.row(m.b), {}, {}, m.view(m.a)};
  });
}
void BiasGelu(benchmark::State& state) {
  measure_rows(state, 3, [](Matrices& m) {
    return kernels::BiasActivation<float, kernels::Gelu>{
        m.columns, m.row(m.b), {}, m.view(m.c), m.view(m.a)};
  });
}
void Softmax(benchmark::State& state) {
  measure_rows(state, 2, [](Matrices& m) {
    return kernels::SoftmaxForward<float>{m.columns, 0, m.view(m.a), m.view(m.b)};
  });
}
void SoftmaxGradient(benchmark::State& state) {
  measure_rows(state, 3, [](Matrices& m) {
    return kernels::SoftmaxBackward<float>{m.columns, m.view(m.a), m.view(m.b), m.view(m.c)};
  });
}
void LayerNorm(benchmark::State& state) {
  measure_rows(state, 2, [](Matrices& m) {
    return kernels::LayerNormForward<float>{m.columns, m.view(m.a), m.row(m.c), m.row(m.c),
                                            m.view(m.b)};
  });
}
void LayerNormGradient(benchmark::State& state) {
  measure_rows(state, 3, [](Matrices& m) {
    return kernels::LayerNormBackwardInput<float>{m.columns, m.view(m.a), m.row(m.a), m.view(m.b),
                                                  m.view(m.c)};
  });
}
void Adam(benchmark::State& state) {
  measure_elements(state, 7, [](Matrices& m) {
    return kernels::AdamStep<float>{{1e-3F, 0.9F, 0.999F, 1e-8F, 1.0F, 1.0F},
                                    m.view(m.a),
                                    m.view(m.b),
                                    m.view(m.c),
                                    m.view(m.a)};
  });
}
void ColumnSums(benchmark::State& state) {
  Matrices m(state);
  const kernels::ColumnSums<float, kernels::MatrixTerm<float>> body{
      m.rows, m.columns, {m.view(m.a), m.columns}, m.row(m.b)};
  CpuDevice device;
  for ([[maybe_unused]] auto iteration : state) {
    device.rows(kernels::column_strips(m.columns), body);
    benchmark::ClobberMemory();
  }
  report(state, m, 1);
}

void matrix_sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"rows", "columns"})->Args({64, 256})->Args({1024, 1024});
}
BENCHMARK(Gelu)->Apply(matrix_sizes);
BENCHMARK(GeluGradient)->Apply(matrix_sizes);
BENCHMARK(ReluGradient)->Apply(matrix_sizes);
BENCHMARK(BiasRelu)->Apply(matrix_sizes);
BENCHMARK(BiasGelu)->Apply(matrix_sizes);
BENCHMARK(Softmax)->Apply(matrix_sizes);
BENCHMARK(SoftmaxGradient)->Apply(matrix_sizes);
BENCHMARK(LayerNorm)->Apply(matrix_sizes);
BENCHMARK(LayerNormGradient)->Apply(matrix_sizes);
BENCHMARK(Adam)->Apply(matrix_sizes);
BENCHMARK(ColumnSums)->Apply(matrix_sizes);

/// An operator with one input, and all its tensors.
struct Tensors {
  Tensors(OperatorShape made, std::int64_t count) : shape(std::move(made)), samples(count) {
    for (const ParameterTensor& tensor : parameter_layout(shape)) parameters += tensor.elements();
  }
  OperatorShape shape;
  std::int64_t samples;
  std::int64_t parameters = 0;
  std::vector<float> x = numbers(samples * shape.inputs.front().elements());
  std::vector<float> y = numbers(samples * shape.output_elements());
  std::vector<float> internal = numbers(samples * internal_elements(shape));
  std::vector<float> scratch = numbers(scratch_elements(shape, samples));
};

struct Work {
  double forward_flops, backward_flops;
};

void measure_operator(benchmark::State& state, Tensors t, const Work& work) {
  std::vector<float> weights = numbers(t.parameters), weight_gradient = weights;
  std::vector<float> input_gradient = t.x, output_gradient = t.y;
  const float* input = t.x.data();
  float* gradient = input_gradient.data();
  OperatorData<float> data;
  data.samples = t.samples;
  data.inputs = {&input, 1};
  data.output = t.y.data();
  data.parameters = weights.data();
  data.internal = t.internal.data();
  data.scratch = t.scratch.data();
  const OperatorGradients<float> gradients{
      output_gradient.data(), {&gradient, 1}, weight_gradient.data(), t.samples};
  const bool forwards = state.range(0) == 0;
  CpuDevice device;
  forward(device, t.shape, data);
  for ([[maybe_unused]] auto iteration : state) {
    if (forwards)
      forward(device, t.shape, data);
    else
      backward(device, t.shape, data, gradients);
  }
  const double flops = forwards ? work.forward_flops : work.backward_flops;
  state.counters["GFLOP_per_s"] = benchmark::Counter(
      flops * 1e-9 * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

/// Products only: 2 m n k each.
void Linear(benchmark::State& state) {
  const std::int64_t rows = state.range(1);
  const std::int64_t columns = state.range(2);
  const OperatorShape shape{{.kind = Arithmetic::Linear,
                             .rows = 1,
                             .columns = columns,
                             .bias = true,
                             .activation = Activation::Gelu},
                            {{1, columns}}};
  const auto product = 2.0 * static_cast<double>(rows * columns * columns);
  measure_operator(state, Tensors(shape, rows), {product, 2 * product});
}
BENCHMARK(Linear)
    ->ArgNames({"backward", "rows", "columns"})
    ->ArgsProduct({{0, 1}, {8, 64, 512}, {256, 1024}})
    ->Unit(benchmark::kMicrosecond);

void Attention(benchmark::State& state) {
  const std::int64_t tokens = state.range(1);
  const std::int64_t columns = state.range(2);
  const OperatorShape shape{{.kind = Arithmetic::Attention,
                             .rows = tokens,
                             .columns = columns,
                             .heads = columns / 64,
                             .bias = true},
                            {{tokens, columns}}};
  const std::int64_t samples = 2;
  const auto projections = 8.0 * static_cast<double>(samples * tokens * columns * columns);
  const auto products = 4.0 * static_cast<double>(samples * tokens * tokens * columns);
  measure_operator(state, Tensors(shape, samples),
                   {projections + products, 2 * (projections + products)});
}
BENCHMARK(Attention)
    ->ArgNames({"backward", "tokens", "columns"})
    ->ArgsProduct({{0, 1}, {64, 256}, {256, 1024}})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace pipegraph::bench
