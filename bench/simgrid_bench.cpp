// The SimGrid backend: chains of four sizes, 16 384 devices in lockstep, and a platform of 100 000
// GPUs. Times are CPU seconds of the simulating child, given to the library as manual time.
#include <benchmark/benchmark.h>

#include "bench/cases.h"
#include "sim/simulate.h"
#include "tests/support/program_sketch.h"
#include "topologies/uniform.h"

namespace pipegraph::bench {
namespace {

void measure(benchmark::State& state, const Program& program, const Topology& topology,
             TransferMode mode) {
  for ([[maybe_unused]] auto iteration : state) {
    const SimulationResult result = simulate(program, topology, {.transfers = mode});
    const double seconds = result.cpu_time.count();
    state.SetIterationTime(seconds);
    state.counters["makespan_s"] = std::get<Timeline>(result.outcome).makespan().count();
    state.counters["ns_per_instruction"] = 1e9 * seconds / static_cast<double>(program.size());
    state.counters["child_memory_bytes"] = result.peak_memory.as_double();
    state.counters["timers"] = static_cast<double>(result.counts.timers);
    state.counters["flows"] = static_cast<double>(result.counts.flows + result.counts.converted);
  }
  state.counters["peak_memory_bytes"] = peak_memory_bytes();
}

TransferMode mode_of(std::int64_t full) {
  return full == 0 ? TransferMode::LoneAsTimers : TransferMode::AllAsFlows;
}

void SimGridChain(benchmark::State& state) {
  const Case made = chain_case(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)));
  measure(state, lower_case(made), *made.workload.topology, mode_of(state.range(2)));
}
BENCHMARK(SimGridChain)
    ->ArgNames({"stages", "micro_batches", "all_as_flows"})
    ->Args({64, 128, 0})
    ->Args({64, 128, 1})
    ->Args({256, 256, 0})
    ->Args({256, 256, 1})
    ->Args({256, 1024, 0})
    ->Args({1024, 1024, 0})
    ->Args({1024, 1024, 1})
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

void SimGridReplicas(benchmark::State& state, const ReplicasCluster& cluster) {
  const Case made = replicas_case(static_cast<int>(state.range(0)), cluster);
  measure(state, lower_case(made), *made.workload.topology, TransferMode::LoneAsTimers);
}
BENCHMARK_CAPTURE(SimGridReplicas, dgx_h100, k_dgx_h100)
    ->ArgNames({"replicas"})
    ->Arg(16)
    ->Arg(256)
    ->Arg(2048)
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(SimGridReplicas, summit, k_summit)
    ->ArgNames({"replicas"})
    ->Arg(16)
    ->Arg(256)
    ->Arg(2048)
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

/// One transfer as a flow, which makes the platform be built.
void SimGridPlatform(benchmark::State& state) {
  const auto devices = static_cast<int>(state.range(0));
  test::ProgramSketch sketch(devices);
  sketch.transfer({0, devices - 1}, 1000);
  const Program program = std::move(sketch).build();
  measure(state, program, uniform_cluster(devices, Seconds{5e-6}, {25e9}),
          TransferMode::AllAsFlows);
  state.counters.erase("ns_per_instruction");
}
BENCHMARK(SimGridPlatform)
    ->ArgNames({"devices"})
    ->Arg(1'000)
    ->Arg(10'000)
    ->Arg(100'000)
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pipegraph::bench
