#include "apps/backends.h"

#include "apps/processor_time.h"
#include "core/base/errors.h"
#include "core/run/analytic_backend.h"
#include "core/run/counting_backend.h"
#include "core/run/run_program.h"
#include "core/run/threads_backend.h"
#ifdef PIPEGRAPH_HAS_SIMGRID
#include "sim/simulate.h"
#endif

namespace pipegraph {
namespace {

Timeline timeline_of(std::variant<Timeline, Stuck> outcome) {
  if (const Stuck* stuck = std::get_if<Stuck>(&outcome))
    throw InternalError("a valid program got stuck: " + stuck->text);
  return std::get<Timeline>(std::move(outcome));
}

BackendRun run_analytic(const Program& program, const Topology& topology,
                        const Simulation& simulation, std::atomic<std::uint64_t>& completed) {
  const auto backend =
      make_analytic_backend(program, topology, {.algorithm = simulation.collective});
  CountingBackend counting(*backend, completed);
  return {.timeline = timeline_of(run_program(program, counting)),
          .note = note_of_choice(simulation)};
}

BackendRun run_threads(const Program& program, const Topology& topology,
                       const Simulation& simulation, std::atomic<std::uint64_t>& completed) {
  const auto backend = make_threads_backend(
      program, topology,
      {.cores = simulation.cores, .collectives = {.algorithm = simulation.collective}});
  CountingBackend counting(*backend, completed);
  return {.timeline = timeline_of(run_program(program, counting))};
}

#ifdef PIPEGRAPH_HAS_SIMGRID
constexpr bool k_has_simgrid = true;

BackendRun run_simgrid(const Program& program, const Topology& topology,
                       const Simulation& simulation, std::atomic<std::uint64_t>& completed) {
  SimulationOptions options;
  options.completed = &completed;
  options.network = parse_network_model(to_text(simulation.network)).value();
  options.transfers = simulation.mode == SimulationMode::Full ? TransferMode::AllAsFlows
                                                              : TransferMode::LoneAsTimers;
  options.collectives.algorithm = simulation.collective;
  SimulationResult result = simulate(program, topology, options);
  BackendRun run{.timeline = timeline_of(std::move(result.outcome))};
  if (simulation.network != NetworkKind::Ideal)
    run.note = fmt::format("network {}: {}", to_text(simulation.network), to_text(result.factors));
  return run;
}
#else
constexpr bool k_has_simgrid = false;

BackendRun run_simgrid(const Program& /*program*/, const Topology& /*topology*/,
                       const Simulation& /*simulation*/,
                       std::atomic<std::uint64_t>& /*completed*/) {
  throw ConfigError({.key = "simulation.backend"}, "pipegraph was built without SimGrid",
                    "simulation: {backend: analytic}");
}
#endif

BackendRun run_kind(const Program& program, const Topology& topology, const Simulation& simulation,
                    std::atomic<std::uint64_t>& completed) {
  switch (simulation.backend) {
    case BackendKind::Analytic:
      return run_analytic(program, topology, simulation, completed);
    case BackendKind::Threads:
      return run_threads(program, topology, simulation, completed);
    case BackendKind::SimGrid:
      break;
  }
  if (topology.transfers() != nullptr && simulation.network != NetworkKind::Ideal)
    throw ConfigError({.key = "simulation.network"},
                      fmt::format("network {} has its own idea of what a transfer takes, and costs "
                                  "bring measured ones",
                                  to_text(simulation.network)),
                      "network: ideal, or costs without transfers");
  return run_simgrid(program, topology, simulation, completed);
}

}  // namespace

bool is_built_in(BackendKind kind) { return kind != BackendKind::SimGrid || k_has_simgrid; }

void do_without_simgrid(Simulation& simulation) {
  if (!k_has_simgrid && !simulation.backend_named && simulation.network == NetworkKind::Ideal)
    simulation.backend = BackendKind::Analytic;
}

std::string note_of_choice(const Simulation& simulation) {
  if (simulation.backend_named || simulation.backend != BackendKind::Analytic) return "";
  return "built without SimGrid: the analytic backend simulates, in which no link is shared";
}

BackendRun run_backend(const Program& program, const Topology& topology,
                       const Simulation& simulation, std::atomic<std::uint64_t>& completed) {
  const Seconds before = processor_time();
  BackendRun run = run_kind(program, topology, simulation, completed);
  run.time = processor_time() - before;
  return run;
}

}  // namespace pipegraph
