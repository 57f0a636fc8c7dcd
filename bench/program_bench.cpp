// Lowering and validation of 1F1B on chains.
#include <benchmark/benchmark.h>

#include "bench/cases.h"
#include "core/base/errors.h"
#include "core/program/validate.h"

namespace pipegraph::bench {
namespace {

void LowerAndValidate(benchmark::State& state) {
  const Case made = chain_case(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)));
  std::size_t instructions = 0;
  double seconds = 0.0;
  for ([[maybe_unused]] auto iteration : state) {
    const double begin = cpu_seconds();
    const Program program = lower_case(made);
    const ValidationReport report = validate(program, made.workload, made.stages);
    check(report.ok(), "the case is valid");
    seconds += cpu_seconds() - begin;
    instructions += program.size();
  }
  state.counters["ns_per_instruction"] = 1e9 * seconds / static_cast<double>(instructions);
  state.counters["peak_memory_bytes"] = peak_memory_bytes();
}
BENCHMARK(LowerAndValidate)
    ->ArgNames({"stages", "micro_batches"})
    ->Args({64, 128})
    ->Args({256, 256})
    ->Args({512, 512})
    ->Args({1024, 1024})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pipegraph::bench
