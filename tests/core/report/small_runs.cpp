#include "tests/core/report/small_runs.h"

#include <utility>
#include <variant>

#include "core/program/lower.h"
#include "core/run/analytic_backend.h"
#include "core/run/run_program.h"
#include "core/schedule/table.h"
#include "tests/support/tiny_clusters.h"
#include "tests/support/tiny_graphs.h"
#include "tests/support/tiny_stages.h"

namespace pipegraph::test {
namespace {

Device reserving_device() {
  Device device;
  device.memory = Bytes{10'000};
  device.reserved = Bytes{50};
  return device;
}

TinyOperator chain_operator(Bytes message) {
  TinyOperator costs;
  costs.output = message;
  costs.parameters = Bytes{1000};
  costs.saved = Bytes{100};
  return costs;
}

}  // namespace

Timeline run_analytically(const Program& program, const Topology& topology) {
  const auto backend = make_analytic_backend(program, topology);
  return std::get<Timeline>(run_program(program, *backend));
}

ChainRun::ChainRun(const ChainOptions& options)
    : topology_(delayed_cluster(options.stages, options.latency, reserving_device())),
      workload_(tiny_workload(chain_graph(options.stages, chain_operator(options.message)),
                              topology_,
                              {.mini_batch = options.micro_batches, .optimizer = Optimizer::None})),
      stages_(*workload_.graph, stage_per_operator(*workload_.graph), PlanKind::Graph),
      schedule_(std::get<Schedule>(
          make_schedule(stages_, *find_schedule("1f1b"), {.mini_batch = options.micro_batches}))),
      program_(lower(workload_, stages_, schedule_)),
      timeline_(run_analytically(program_, topology_)),
      memory_(plan_memory(workload_, stages_, program_)),
      run_(std::make_unique<Run>(
          Run{workload_, stages_, schedule_, program_, timeline_, memory_, {}})) {}

}  // namespace pipegraph::test
