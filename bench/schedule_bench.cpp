// Ordering of stages and list scheduling on chains and on replicas in lockstep.
#include <benchmark/benchmark.h>

#include <variant>

#include "bench/cases.h"
#include "core/schedule/table.h"

namespace pipegraph::bench {
namespace {

void schedule(benchmark::State& state, const Case& made) {
  const ScheduleOptions options{.mini_batch = made.workload.training.mini_batch};
  std::size_t tasks = 0;
  double seconds = 0.0;
  for ([[maybe_unused]] auto iteration : state) {
    const double begin = cpu_seconds();
    const auto result = make_schedule(made.stages, *find_schedule("1f1b"), options);
    seconds += cpu_seconds() - begin;
    tasks += std::get<Schedule>(result).sequence.size();
  }
  state.counters["tasks"] = static_cast<double>(made.schedule.sequence.size());
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
