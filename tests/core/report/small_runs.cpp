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

/// 100 B from the start of each forward to the end of its backward.
MemoryReport activations_of(const Program& program, std::size_t devices) {
  MemoryReport report;
  report.devices.resize(devices);
  for (DeviceMemory& device : report.devices) {
    device.parameters = Bytes{1000};
    device.available = Bytes{9'950};
    device.peak = Bytes{1500};
  }
  for (std::size_t f = 0; f < program.size(); ++f)
    for (std::size_t b = f; b < program.size(); ++b) {
      const Instruction& forward = program.instructions()[f];
      const Instruction& backward = program.instructions()[b];
      if (forward.kind != InstructionKind::Forward || backward.kind != InstructionKind::Backward ||
          forward.device != backward.device || forward.samples != backward.samples)
        continue;
      Lifetime lifetime;
      lifetime.stage = forward.stage;
      lifetime.samples = forward.samples;
      lifetime.first = make_id<InstructionId>(f);
      lifetime.last = make_id<InstructionId>(b);
      lifetime.bytes = Bytes{100};
      report.devices[forward.device.index()].lifetimes.push_back(lifetime);
    }
  return report;
}

}  // namespace

Timeline run_analytically(const Program& program, const Topology& topology) {
  const auto backend = make_analytic_backend(program, topology);
  return std::get<Timeline>(run_program(program, *backend));
}

ChainRun::ChainRun(int stages, std::int32_t micro_batches, Seconds latency)
    : topology_(delayed_cluster(stages, latency, reserving_device())),
      workload_(tiny_workload(chain_graph(stages), topology_,
                              {.mini_batch = micro_batches, .optimizer = Optimizer::None})),
      stages_(*workload_.graph, stage_per_operator(*workload_.graph), PlanKind::Graph),
      schedule_(std::get<Schedule>(
          make_schedule(stages_, *find_schedule("1f1b"), {.mini_batch = micro_batches}))),
      program_(lower(workload_, stages_, schedule_)),
      timeline_(run_analytically(program_, topology_)),
      memory_(activations_of(program_, static_cast<std::size_t>(stages))),
      run_(std::make_unique<Run>(
          Run{workload_, stages_, schedule_, program_, timeline_, memory_, {}})) {}

}  // namespace pipegraph::test
