// How the planners' time grows with operators, branches and devices: CPU seconds of one core, on
// nodes of four V100s of Summit, 16 samples a device. Published profiles come from the folder
// PIPEGRAPH_PROFILES; without it those cases are skipped.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <string>

#include "bench/baselines/planner_cases.h"
#include "core/planners/table.h"
#include "models/importers/pipedream_profile.h"
#include "models/table.h"

namespace pipegraph::bench {
namespace {

/// The search of `graphpipe` over all micro-batch sizes, nothing evaluated.
void search(benchmark::State& state, const ComputationGraph& graph) {
  const Workload workload = on_summit(graph, {.devices = static_cast<int>(state.range(0))});
  GraphpipeRun run;
  for ([[maybe_unused]] auto iteration : state)
    benchmark::DoNotOptimize(run = search_all_sizes(workload));
  state.counters["operators"] = static_cast<double>(graph.size());
  state.counters["ideals"] = static_cast<double>(run.ideals);
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

/// Published profiles of networks that are not series-parallel, measured on 128 samples.
void profile(benchmark::State& state, const std::string& name) {
  const auto file = std::filesystem::path(PIPEGRAPH_PROFILES) / "pipedream" / (name + ".graph.txt");
  if (!std::filesystem::exists(file)) {
    state.SkipWithError(("no profile " + file.string()).c_str());
    return;
  }
  search(state, import_pipedream_profile({.name = name, .file = file, .profile_samples = 128}));
}
#define PIPEGRAPH_PROFILE(name)           \
  BENCHMARK_CAPTURE(profile, name, #name) \
      ->ArgName("devices")                \
      ->ArgsProduct({{8, 16, 32}})        \
      ->Unit(benchmark::kMillisecond)
PIPEGRAPH_PROFILE(gnmt);
PIPEGRAPH_PROFILE(inception_v3);
PIPEGRAPH_PROFILE(nasnetamobile);
PIPEGRAPH_PROFILE(nasnetalarge);
#undef PIPEGRAPH_PROFILE

/// A planner from workload to plan, candidates evaluated, its options at their defaults.
void whole(benchmark::State& state, const std::string& planner, const std::string& family) {
  const Workload workload =
      on_summit(build_family(family), {.devices = static_cast<int>(state.range(0))});
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
