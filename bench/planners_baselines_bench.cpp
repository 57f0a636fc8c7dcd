// `graphpipe` against straightforward programmes for the same problem: the chain programme (a table
// over the prefixes of the linearised graph) and the downset programme (the same over all ideals).
// Both keep stages in flight by position, so memory puts the number of stages into the table.
// Each row solves one case at every candidate micro-batch size; `graphpipe_ms` is what the search
// of `graphpipe` takes for the same, `times` how often that fits into the row's own time (CPU time
// of one thread), `against_graphpipe` the bottleneck found relative to graphpipe's.
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

/// Least bottleneck over all micro-batch sizes; nothing: more ideals than the programme takes.
std::optional<double> solve(const Workload& workload, const Programme& programme) {
  SearchInput input = programme.granularity == Granularity::Operator
                          ? search_input(workload)
                          : search_input(workload, layer_blocks(*workload.graph));
  input.problem.in_flight = InFlightRule::Position;
  const std::optional<IdealFamily> family = programme.family(input.problem.graph);
  if (!family) return std::nullopt;
  const PairTable pairs(input.problem, *family);
  ShareTimes times(workload, input);
  double least = std::numeric_limits<double>::infinity();
  for (const std::int32_t size : micro_batch_candidates({}, workload.training.mini_batch))
    least = std::min(least,
                     table_bottleneck(input.problem, pairs, batch_costs(input.problem, times, size))
                         .value_or(least));
  return least;
}

void compare(benchmark::State& state, const Workload& workload, const Programme& programme) {
  GraphpipeRun ours;
  const double ours_s = seconds_of([&] { ours = search_all_sizes(workload); });
  std::optional<double> least;
  double own_s = 0.0;
  for ([[maybe_unused]] auto iteration : state) {
    const double begin = cpu_seconds();
    least = solve(workload, programme);
    own_s += cpu_seconds() - begin;
    if (!least) break;
  }
  if (!least) {
    state.SkipWithError("more than 40000 downsets");
    return;
  }
  state.counters["graphpipe_ms"] = 1e3 * ours_s;
  state.counters["times"] = own_s / static_cast<double>(state.iterations()) / ours_s;
  state.counters["against_graphpipe"] = *least / ours.least_s;
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
