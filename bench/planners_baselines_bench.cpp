// `graphpipe` against straightforward programmes for the same problem: the chain programme (a table
// over the prefixes of the linearised graph) and the downset programme (the same over all ideals).
// Both keep stages in flight by position, so memory puts the number of stages into the table.
// Each row solves one case at every candidate micro-batch size. `graphpipe_ms` is what the search
// of `graphpipe` takes, over graphs of stages; `times` how often that fits into the row's own time
// (CPU time of one thread). `same_stages_ms` and `times_same_stages` are of the search over the
// stages of the programme, and `against_graphpipe` is the bottleneck found relative to graphpipe's.
#include <benchmark/benchmark.h>

#include <ctime>
#include <functional>
#include <limits>
#include <optional>

#include "bench/baselines/planner_cases.h"
#include "bench/baselines/stage_table.h"
#include "core/planners/candidates.h"
#include "core/planners/layer_input.h"
#include "core/planners/linearise.h"
#include "core/planners/search/optimise.h"
#include "models/table.h"

namespace pipegraph::bench {
namespace {

constexpr std::size_t k_most_downsets = 40'000;  // Piper's program refuses more
constexpr double k_least_measured_s = 0.2;

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// CPU seconds of one call, on average of as many as make up a fifth of a second.
double seconds_of(const std::function<void()>& work) {
  const double begin = cpu_seconds();
  int calls = 0;
  do {
    work();
    ++calls;
  } while (cpu_seconds() - begin < k_least_measured_s);
  return (cpu_seconds() - begin) / calls;
}

/// The family of ideals that a straightforward programme cuts, and what is a block of it.
using FamilyOf = std::function<std::optional<IdealFamily>(const Digraph&)>;
struct Programme {
  Granularity granularity = Granularity::Operator;
  FamilyOf family;
};

std::optional<IdealFamily> chain_family(const Digraph& graph) {
  return prefixes(graph, branch_by_branch(graph));
}
std::optional<IdealFamily> downset_family(const Digraph& graph) {
  return all_ideals(graph, k_most_downsets);
}

/// What a programme works on, as the searches do: the problem, its family, and costs by size.
struct Case {
  Case(const Workload& workload, const Programme& programme)
      : input(programme.granularity == Granularity::Operator
                  ? search_input(workload)
                  : search_input(workload, layer_blocks(*workload.graph))),
        family(programme.family(input.problem.graph)),
        times(workload, input),
        sizes(micro_batch_candidates({}, workload.training.mini_batch)) {
    input.problem.in_flight = InFlightRule::Position;
  }
  SearchInput input;
  std::optional<IdealFamily> family;  ///< nothing: more ideals than the programme takes
  ShareTimes times;
  std::vector<std::int32_t> sizes;
};

/// Least bottleneck over all micro-batch sizes by the programme's table.
double fill_tables(Case& of) {
  const PairTable pairs(of.input.problem, *of.family);
  double least = std::numeric_limits<double>::infinity();
  for (const std::int32_t size : of.sizes) {
    const BatchCosts costs = batch_costs(of.input.problem, of.times, size);
    least = std::min(least, table_bottleneck(of.input.problem, pairs, costs).value_or(least));
  }
  return least;
}

/// The same by the search.
double search_family(Case& of) {
  const PairTable pairs(of.input.problem, *of.family);
  double least = std::numeric_limits<double>::infinity();
  for (const std::int32_t size : of.sizes) {
    const BatchCosts costs = batch_costs(of.input.problem, of.times, size);
    Prober prober(of.input.problem, pairs, costs);
    const auto plan = least_bottleneck(of.input.problem, costs, prober).plan;
    if (plan) least = std::min(least, plan->max_time_per_sample);
  }
  return least;
}

void compare(benchmark::State& state, const Workload& workload, const Programme& programme) {
  Case of(workload, programme);
  if (!of.family) {
    state.SkipWithError("more than 40000 downsets");
    return;
  }
  GraphpipeRun ours;
  const double graphpipe_s = seconds_of([&] { ours = search_all_sizes(workload); });
  const double search_s = seconds_of([&] { benchmark::DoNotOptimize(search_family(of)); });
  double least = 0.0;
  double own_s = 0.0;
  for ([[maybe_unused]] auto iteration : state) {
    const double begin = cpu_seconds();
    least = fill_tables(of);
    own_s += cpu_seconds() - begin;
  }
  own_s /= static_cast<double>(state.iterations());
  state.counters["graphpipe_ms"] = 1e3 * graphpipe_s;
  state.counters["times"] = own_s / graphpipe_s;
  state.counters["same_stages_ms"] = 1e3 * search_s;
  state.counters["times_same_stages"] = own_s / search_s;
  state.counters["against_graphpipe"] = least / ours.least_s;
}

/// One of the paper's networks, with the mini-batch of its scenario.
struct Network {
  std::string name;
  std::string family;
  ParameterValues parameters;
  int samples_per_device = 16;
};

const std::vector<Network>& networks() {
  static const std::vector<Network> all{
      {"mmt", "multimodal_transformer", {}, 16},
      {"candle_uno", "candle_uno", {}, 1024},
      {"case_study", "two_branch_transformer", {{"layers", 4}}, 16}};
  return all;
}

void add(const std::string& name, const Programme& programme, const std::vector<int>& devices,
         const std::string& only = "") {
  for (const Network& network : networks())
    for (const int count : devices) {
      if (!only.empty() && network.name != only) continue;
      benchmark::RegisterBenchmark(
          (name + "/" + network.name + "/" + std::to_string(count)).c_str(),
          [network, programme, count](benchmark::State& state) {
            compare(state,
                    on_summit(build_family(network.family, network.parameters),
                              {.devices = count, .samples_per_device = network.samples_per_device}),
                    programme);
          })
          ->Iterations(1)
          ->Unit(benchmark::kMillisecond);
    }
}

const bool k_registered = [] {
  add("chain", {Granularity::Operator, chain_family}, {4, 8, 16, 32, 64});
  add("downsets", {Granularity::Operator, downset_family}, {4, 8, 16, 32});
  add("downsets_of_layers", {Granularity::Layer, downset_family}, {4, 8}, "mmt");
  return true;
}();

}  // namespace
}  // namespace pipegraph::bench
