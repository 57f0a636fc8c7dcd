// How the planners' time grows with operators, branches and devices: CPU seconds of one core, on
// nodes of four V100s of Summit, 16 samples a device.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>

#include "core/planners/candidates.h"
#include "core/planners/contraction.h"
#include "core/planners/search/family.h"
#include "core/planners/search/optimise.h"
#include "core/planners/search/polish.h"
#include "core/planners/table.h"
#include "models/table.h"
#include "tests/support/tiny_stages.h"
#include "topologies/cluster_reader.h"

namespace pipegraph::bench {
namespace {

Workload on_summit(const ComputationGraph& graph, int devices) {
  const std::string cluster = "{file: " PIPEGRAPH_SOURCE_DIR "/topologies/summit.yaml, nodes: " +
                              std::to_string((devices + 3) / 4) +
                              ", devices_per_node: " + std::to_string(std::min(devices, 4)) + "}";
  return test::tiny_workload(graph, read_cluster(YamlValue::parse(cluster, "bench")),
                             {.mini_batch = 16 * devices, .precision = Precision::Fp32Tensor});
}

/// The search of `graphpipe` over all micro-batch sizes, nothing evaluated.
void search(benchmark::State& state, const ComputationGraph& graph) {
  const Workload workload = on_summit(graph, static_cast<int>(state.range(0)));
  std::size_t ideals = 0;
  for ([[maybe_unused]] auto iteration : state) {
    const SearchInput input = contracted_input(workload, 200).input;
    const IdealFamily family = choose_family(input.problem, input.signature);
    const PairTable pairs(input.problem, family);
    ShareTimes times(workload, input);
    ideals = family.ideals.size();
    for (const std::int32_t size : micro_batch_candidates({}, workload.training.mini_batch)) {
      const BatchCosts costs = batch_costs(input.problem, times, size);
      Prober prober(input.problem, pairs, costs);
      SearchOutcome found = least_bottleneck(input.problem, costs, prober);
      if (!found.plan) continue;
      if (!family.complete) found.plan = polish(input.problem, costs, std::move(*found.plan)).plan;
      benchmark::DoNotOptimize(break_ties(input.problem, costs, prober, std::move(*found.plan)));
    }
  }
  state.counters["operators"] = static_cast<double>(graph.size());
  state.counters["ideals"] = static_cast<double>(ideals);
}

void SearchTransformer(benchmark::State& state) {
  search(state, build_family("multimodal_transformer"));
}
void SearchDlrm(benchmark::State& state) { search(state, build_family("dlrm")); }
void SearchCandleUno(benchmark::State& state) { search(state, build_family("candle_uno")); }
void SearchGpt(benchmark::State& state) {
  search(state, build_family("gpt", {{"layers", state.range(1)}}));
}
void SearchBranches(benchmark::State& state) {
  search(state, build_family("candle_uno", {{"branches", state.range(1)}}));
}
BENCHMARK(SearchTransformer)->Arg(8)->Arg(64)->Arg(1024)->Unit(benchmark::kMillisecond);
BENCHMARK(SearchDlrm)->Arg(8)->Arg(64)->Arg(1024)->Unit(benchmark::kMillisecond);
BENCHMARK(SearchCandleUno)->Arg(8)->Arg(64)->Arg(1024)->Unit(benchmark::kMillisecond);
BENCHMARK(SearchGpt)
    ->ArgNames({"devices", "layers"})
    ->ArgsProduct({{64}, {12, 24, 48, 96}})
    ->Args({1024, 96})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(SearchBranches)
    ->ArgNames({"devices", "branches"})
    ->ArgsProduct({{32}, {2, 4, 8, 16, 32}})
    ->Unit(benchmark::kMillisecond);

/// A planner from workload to plan, candidates evaluated, its options at their defaults.
void whole(benchmark::State& state, const std::string& planner, const std::string& family) {
  const Workload workload = on_summit(build_family(family), static_cast<int>(state.range(0)));
  const PlannerEntry& entry = *find_planner(planner);
  MapReader nothing(YamlValue::parse("{}", "bench"), "a plan");
  const Planner plan = entry.configure(nothing);
  for ([[maybe_unused]] auto iteration : state)
    benchmark::DoNotOptimize(plan(workload, {.name = planner, .kind = entry.kind}));
}
#define PIPEGRAPH_WHOLE(planner, family)                          \
  BENCHMARK_CAPTURE(whole, planner##_##family, #planner, #family) \
      ->Arg(8)                                                    \
      ->Arg(32)                                                   \
      ->Iterations(1)                                             \
      ->Unit(benchmark::kMillisecond)
PIPEGRAPH_WHOLE(pipegraph, multimodal_transformer);
PIPEGRAPH_WHOLE(pipegraph, dlrm);
PIPEGRAPH_WHOLE(pipegraph, candle_uno);
PIPEGRAPH_WHOLE(pipegraph, gpt);
PIPEGRAPH_WHOLE(pipedream, multimodal_transformer);
PIPEGRAPH_WHOLE(piper, multimodal_transformer);
#undef PIPEGRAPH_WHOLE

}  // namespace
}  // namespace pipegraph::bench
