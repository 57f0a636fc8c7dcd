// What the executor itself costs: programs whose computes and messages take no time, so that only
// dispatching, channels and waiting remain. Where each device has a core, waiting spins.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include "bench/cases.h"
#include "exec/cores.h"
#include "exec/emulated/emulated_engine.h"
#include "exec/executor.h"
#include "exec/transport/in_process.h"

namespace pipegraph::bench {
namespace {

/// An executor of devices that do nothing, on real clocks.
struct IdleExecutor {
  explicit IdleExecutor(const Program& program)
      : channels(program),
        state(program),
        transport(make_in_process_transport(program, channels, state)),
        executor({.program = program,
                  .channels = channels,
                  .state = state,
                  .transport = *transport,
                  .ranks = ranks,
                  .devices = devices_of(program),
                  .engines = emulated_engines(),
                  .clocks = [](DeviceId) { return make_real_clock(); }},
                 {}) {}

  static std::vector<DeviceId> devices_of(const Program& program) {
    std::vector<DeviceId> devices;
    for (std::size_t i = 0; i < program.device_count(); ++i)
      devices.push_back(make_id<DeviceId>(i));
    return devices;
  }

  Channels channels;
  RunState state;
  SingleRank ranks;
  std::unique_ptr<Transport> transport;
  Executor executor;
};

/// `ns_per_instruction` is time of one core; the best step, since others are disturbed.
void Executing(benchmark::State& state, Tracing tracing) {
  const Case made = chain_case(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)));
  const Program program = lower_case(made);
  IdleExecutor idle(program);
  Seconds best{1e9};
  for ([[maybe_unused]] auto iteration : state)
    best = std::min(best, idle.executor.run_step(tracing).time);
  const std::size_t cores = std::min(program.device_count(), usable_cores().size());
  state.counters["ns_per_instruction"] =
      1e9 * best.count() * static_cast<double>(cores) / static_cast<double>(program.size());
}

void each_on_a_core(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"stages", "micro_batches"})
      ->Args({1, 1024})
      ->Args({2, 256})
      ->Iterations(200)
      ->Unit(benchmark::kMillisecond);
}
void many_on_a_core(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"stages", "micro_batches"})
      ->Args({8, 256})
      ->Args({64, 128})
      ->Iterations(5)
      ->Unit(benchmark::kMillisecond);
}
BENCHMARK_CAPTURE(Executing, untraced, Tracing::Off)->Apply(each_on_a_core);
BENCHMARK_CAPTURE(Executing, crowded, Tracing::Off)->Apply(many_on_a_core);
BENCHMARK_CAPTURE(Executing, traced, Tracing::On)->Apply(each_on_a_core);

}  // namespace
}  // namespace pipegraph::bench
