// The baseline planners on the graphs that their public originals were measured on. `public_s` is
// what the original took, CPU seconds on one core of such a machine, `times` how often our time
// fits into it. Profiles come from the folder PIPEGRAPH_PROFILES; without it those cases are
// skipped.
#include <benchmark/benchmark.h>

#include <ctime>
#include <filesystem>
#include <functional>

#include "core/planners/chain_input.h"
#include "core/planners/layer_input.h"
#include "core/planners/search/chain_search.h"
#include "core/planners/search/downset_search.h"
#include "models/importers/pipedream_profile.h"
#include "models/importers/piper_json.h"
#include "models/table.h"
#include "tests/support/tiny_clusters.h"
#include "tests/support/tiny_stages.h"

namespace pipegraph::bench {
namespace {

constexpr double k_gib = 1024.0 * 1024.0 * 1024.0;

std::filesystem::path profile(const std::string& name) {
  return std::filesystem::path(PIPEGRAPH_PROFILES) / name;
}

bool missing(benchmark::State& state, const std::string& name) {
  if (std::filesystem::exists(profile(name))) return false;
  state.SkipWithError(("no profile " + profile(name).string()).c_str());
  return true;
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Measures `work`, and how often it fits into the public program's CPU seconds (0: not measured).
void against(benchmark::State& state, double public_s, const std::function<void()>& work) {
  const double begin = cpu_seconds();
  for ([[maybe_unused]] auto iteration : state) work();
  const double own_s = (cpu_seconds() - begin) / static_cast<double>(state.iterations());
  if (public_s == 0.0) return;
  state.counters["public_s"] = public_s;
  state.counters["times"] = public_s / own_s;
}

/// Piper's program was measured at 512 devices.
void PiperBert(benchmark::State& state) {
  if (missing(state, "piper/bert32a100.json")) return;
  const Workload workload = test::tiny_workload(
      import_piper_json({.name = "bert", .file = profile("piper/bert32a100.json")}),
      test::ideal_cluster(static_cast<int>(state.range(0))), {.mini_batch = 1920});
  double value = 0.0;
  against(state, state.range(0) == 512 ? 6.5 : 0.0, [&] {
    LayerProblem problem =
        layer_input(workload, {.micro_batch = 1, .recompute = true, .most_tensor_parallel = 8})
            .problem;
    problem.memory = 8 * k_gib;
    problem.bandwidth = 25 * k_gib;
    problem.transfer = TransferCharge::Edge;
    problem.knapsack = state.range(1) == 0 ? KnapsackMethod::Greedy : KnapsackMethod::Exact;
    const IdealFamily family = *all_ideals(problem.graph, 40'000);
    const DownsetPairs pairs(problem.graph, family);
    value = DownsetSearch(problem, pairs).run().plan->bottleneck;
  });
  state.counters["bottleneck_s"] = value;
}
BENCHMARK(PiperBert)
    ->ArgNames({"devices", "exact"})
    ->ArgsProduct({{8, 64, 512}, {0, 1}})
    ->Unit(benchmark::kMillisecond);

/// Four branches of eight transformer layers; Piper's program was measured at 8 devices.
void PiperBranches(benchmark::State& state) {
  const Workload workload =
      test::tiny_workload(build_family("multimodal_transformer"),
                          test::ported_cluster(static_cast<int>(state.range(0)), Seconds{5e-6},
                                               {25e9}, test::round_device()),
                          {.mini_batch = 128});
  LayerInput input = layer_input(workload, {.micro_batch = 4, .granularity = Granularity::Layer});
  input.problem.memory = 16e9;
  std::uint64_t pairs = 0;
  std::uint64_t probes = 0;
  against(state, state.range(0) == 8 ? 137.0 : 0.0, [&] {
    const IdealFamily family = *all_ideals(input.problem.graph, 40'000);
    const DownsetPairs stages(input.problem.graph, family, input.search.signature);
    probes = DownsetSearch(input.problem, stages).run().probes;
    pairs = stages.size();
  });
  state.counters["pairs"] = static_cast<double>(pairs);
  state.counters["probes"] = static_cast<double>(probes);
}
BENCHMARK(PiperBranches)->ArgName("devices")->Arg(8)->Iterations(1)->Unit(benchmark::kMillisecond);

/// Two levels of four devices each.
void PipedreamResnet50(benchmark::State& state) {
  if (missing(state, "pipedream/resnet50.graph.txt")) return;
  const Workload workload = test::tiny_workload(
      import_pipedream_profile(
          {.name = "resnet50", .file = profile("pipedream/resnet50.graph.txt")}),
      test::ideal_cluster(16), {.mini_batch = 1});
  double value = 0.0;
  against(state, 23.6, [&] {
    const ChainInput input = chain_input(workload, {.micro_batch = 1,
                                                    .levels = {{4, 10e9}, {4, 1.25e9}},
                                                    .sync = SyncRule::Sum,
                                                    .exactly = true});
    const IdealFamily family = *all_ideals(input.problem.base.graph, 4'000);
    const PairTable pairs(input.problem.base, family);
    value = ChainSearch(input.problem, pairs).run().plan->max_time_per_sample;
  });
  state.counters["bottleneck_s"] = value;
}
BENCHMARK(PipedreamResnet50)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pipegraph::bench
