// How well two devices share the work of one: a stack of equal layers on one core, and the same in
// two stages on two. Steps alternate, so that both see the same machine. With M micro-batches a
// perfect pipeline of two stages takes (M + 1) / (2 M) of the time of one device; `efficiency` is
// that over what it takes. Says little where the machine is busy.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include "models/layers.h"
#include "tests/exec/numerics/trained_plans.h"

namespace pipegraph::bench {
namespace {

constexpr int k_layers = 4;
constexpr int k_warm_up = 2;

ComputationGraph stack(std::int64_t width, int layers = k_layers) {
  GraphBuilder builder("stack", Precision::Fp32, {});
  Tensor x = feature_input(builder, "x", 1, width);
  for (int layer = 0; layer < layers; ++layer)
    x = linear(builder, "fc" + std::to_string(layer), x,
               {.columns = width, .activation = Activation::Gelu});
  mean_squared_error(builder, "loss", x);
  return std::move(builder).finish();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// A plan that trains, and the times of its steps.
class Trained {
 public:
  Trained(const ComputationGraph& graph, const test::PlanSketch& sketch)
      : plan_(test::plan_from(graph, sketch)),
        run_(plan_->workload, plan_->stages, plan_->program,
             {.memory = MemoryUse::Tight, .pinning = Pinning::WhereCoresSuffice}) {
    run_.train(k_warm_up);
  }

  double step() {
    run_.step();
    times_.push_back(run_.runner().last().time.count());
    return times_.back();
  }
  double median_time() const { return median(times_); }

  /// Of the forwards of the first stage, traced.
  double forward_time() {
    run_.step(Tracing::On);
    std::vector<double> times;
    for (std::size_t n = 0; n < plan_->program.size(); ++n) {
      const Instruction& i = plan_->program.instructions()[n];
      if (i.kind == InstructionKind::Forward && i.stage == StageId{0})
        times.push_back((run_.record().end[n] - run_.record().start[n]).count());
    }
    return median(times);
  }

 private:
  std::unique_ptr<test::TrainedPlan> plan_;
  test::TrainingRun run_;
  std::vector<double> times_;
};

void TwoDevices(benchmark::State& state) {
  const std::int64_t width = state.range(0);
  const auto micro_batches = static_cast<std::int32_t>(state.range(1));
  const auto samples = static_cast<std::int32_t>(state.range(2));
  const ComputationGraph graph = stack(width);
  const test::PlanSketch shape{
      .mini_batch = micro_batches * samples, .micro_batch = samples, .optimizer = Optimizer::Sgd};
  Trained one(graph, test::on_one_device(graph, shape));
  Trained two(graph, test::cut_before(graph, {"fc2"}, shape));
  for (auto _ : state) {
    one.step();
    state.SetIterationTime(two.step());
  }
  const double m = micro_batches;
  state.counters["one_ms"] = 1e3 * one.median_time();
  state.counters["two_ms"] = 1e3 * two.median_time();
  state.counters["forward_ms"] = 1e3 * two.forward_time();
  state.counters["efficiency"] = one.median_time() * (m + 1) / (2 * m * two.median_time());
}

/// What is worked out for one of two devices before anything runs.
void WorkOutPasses(benchmark::State& state) {
  const auto layers = static_cast<int>(state.range(0));
  const auto micro_batches = static_cast<std::int32_t>(state.range(1));
  const ComputationGraph graph = stack(8, layers);
  const auto plan = test::plan_from(
      graph,
      test::cut_before(graph, {"fc" + std::to_string(layers / 2)},
                       {.mini_batch = micro_batches, .micro_batch = 1, .schedule = "gpipe"}));
  const PassTables tables(plan->workload, plan->stages, plan->program);
  std::size_t steps = 0;
  for (auto _ : state) {
    const DevicePasses passes(tables, DeviceId{0});
    steps = passes.steps().steps.size();
  }
  state.counters["steps"] = static_cast<double>(steps);
  state.counters["us_per_step"] = benchmark::Counter(
      static_cast<double>(steps) * static_cast<double>(state.iterations()) * 1e-6,
      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

BENCHMARK(WorkOutPasses)
    ->ArgNames({"layers", "micro_batches"})
    ->Args({16, 16})
    ->Args({64, 16})
    ->Args({16, 256})
    ->Args({64, 256})
    ->Unit(benchmark::kMillisecond);

BENCHMARK(TwoDevices)
    ->ArgNames({"width", "micro_batches", "samples"})
    ->Args({64, 4, 4})
    ->Args({1024, 4, 128})
    ->Args({1024, 8, 128})
    ->Args({1024, 16, 128})
    ->UseManualTime()
    ->Iterations(15)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pipegraph::bench
