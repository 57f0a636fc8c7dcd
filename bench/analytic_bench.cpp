// The analytic backend on chains: the cost per instruction must not grow with devices or
// micro-batches.
#include <benchmark/benchmark.h>

#include "bench/cases.h"
#include "core/run/analytic_backend.h"
#include "core/run/run_program.h"

namespace pipegraph::bench {
namespace {

void Analytic(benchmark::State& state) {
  const Case made = chain_case(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)));
  const Program program = lower_case(made);
  std::size_t instructions = 0;
  double seconds = 0.0;
  for ([[maybe_unused]] auto iteration : state) {
    const double begin = cpu_seconds();
    const auto backend = make_analytic_backend(program, *made.workload.topology);
    const auto outcome = run_program(program, *backend);
    seconds += cpu_seconds() - begin;
    instructions += std::get<Timeline>(outcome).size();
  }
  state.counters["ns_per_instruction"] = 1e9 * seconds / static_cast<double>(instructions);
  state.counters["peak_memory_bytes"] = peak_memory_bytes();
}
BENCHMARK(Analytic)
    ->ArgNames({"stages", "micro_batches"})
    ->Args({64, 128})
    ->Args({64, 1024})
    ->Args({256, 1024})
    ->Args({1024, 128})
    ->Args({1024, 1024})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pipegraph::bench
