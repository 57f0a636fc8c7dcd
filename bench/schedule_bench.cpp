// Ordering of stages and list scheduling on chains and on replicas in lockstep.
#include <benchmark/benchmark.h>

#include <string_view>
#include <variant>
#include <vector>

#include "bench/cases.h"
#include "core/schedule/table.h"

namespace pipegraph::bench {
namespace {

void schedule(benchmark::State& state, const Case& made, std::string_view name = "1f1b") {
  const ScheduleOptions options{.mini_batch = made.workload.training.mini_batch};
  std::size_t tasks = 0;
  double seconds = 0.0;
  for ([[maybe_unused]] auto iteration : state) {
    const double begin = cpu_seconds();
    const auto result = make_schedule(made.stages, *find_schedule(name), options);
    seconds += cpu_seconds() - begin;
    tasks += std::get<Schedule>(result).sequence.size();
  }
  state.counters["tasks"] = static_cast<double>(tasks);
  state.counters["ns_per_task"] = 1e9 * seconds / static_cast<double>(tasks);
}

void ScheduleChain(benchmark::State& state) {
  schedule(state, chain_case(static_cast<int>(state.range(0)), static_cast<int>(state.range(1))));
}
BENCHMARK(ScheduleChain)
    ->ArgNames({"stages", "micro_batches"})
    ->Args({64, 128})
    ->Args({256, 256})
    ->Args({512, 512})
    ->Args({1024, 1024})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

void ScheduleSplitBackwards(benchmark::State& state) {
  schedule(state, chain_case(static_cast<int>(state.range(0)), static_cast<int>(state.range(1))),
           "zb1p");
}
BENCHMARK(ScheduleSplitBackwards)
    ->ArgNames({"stages", "micro_batches"})
    ->Args({256, 256})
    ->Args({1024, 1024})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

/// Two stages on each device.
void ScheduleInterleaved(benchmark::State& state) {
  Case made = chain_case(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)));
  std::vector<Stage> stages = made.stages.stages();
  for (std::size_t s = stages.size() / 2; s < stages.size(); ++s)
    stages[s].devices = stages[s - stages.size() / 2].devices;
  made.stages = StageGraph(*made.workload.graph, std::move(stages), PlanKind::Sequential);
  schedule(state, made, "interleaved_1f1b");
}
BENCHMARK(ScheduleInterleaved)
    ->ArgNames({"stages", "micro_batches"})
    ->Args({256, 256})
    ->Args({1024, 1024})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

void ScheduleReplicas(benchmark::State& state) {
  schedule(state, replicas_case(static_cast<int>(state.range(0)), k_dgx_h100));
}
BENCHMARK(ScheduleReplicas)
    ->ArgName("replicas")
    ->Arg(32)
    ->Arg(256)
    ->Arg(2048)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pipegraph::bench
