#include "tests/support/expected_values.h"

#include "core/program/lower.h"
#include "core/program/validate.h"
#include "core/schedule/table.h"
#include "tests/support/tiny_clusters.h"
#include "tests/support/tiny_graphs.h"
#include "tests/support/tiny_stages.h"

namespace pipegraph::test {
namespace {

/// Samples forwarded and not yet backwarded, with both parts of a split backward, at most: those of
/// each stage or device that `index` names, in the order it computes.
template <class Index>
std::vector<std::int64_t> peaks_in_flight(const Program& program, std::size_t size,
                                          const Index& index) {
  std::vector<std::int64_t> now(size, 0);
  std::vector<std::int64_t> peak(size, 0);
  for (const Instruction& instruction : program.instructions()) {
    const bool forward = instruction.kind == InstructionKind::Forward;
    const bool done = instruction.kind == InstructionKind::Backward ||
                      instruction.kind == InstructionKind::BackwardWeight;
    if (!forward && !done) continue;
    const std::size_t i = index(instruction);
    const std::int64_t samples = instruction.samples.samples();
    now[i] += forward ? samples : -samples;
    peak[i] = std::max(peak[i], now[i]);
  }
  return peak;
}

}  // namespace

PaperRun ExpectedValues::run(const PaperCase& paper, const Topology& topology) const {
  const Workload workload = tiny_workload(
      paper.graph, topology, {.mini_batch = paper.mini_batch, .optimizer = Optimizer::None});
  const StageGraph stages(*workload.graph, paper.stages, paper.kind);
  const auto schedule = std::get<Schedule>(
      make_schedule(stages, *find_schedule(paper.schedule),
                    {.mini_batch = paper.mini_batch, .extra_in_flight = paper.extra_in_flight}));
  Program program = lower(workload, stages, schedule);
  const ValidationReport report = validate(program, workload, stages);
  EXPECT_TRUE(report.problems.empty()) << report.problems.front();
  EXPECT_EQ(report.verdict, Verdict::Strict) << report.cycle_text;
  auto result = GetParam().run(program, topology, Dispatching::OneForAll);
  if (const Stuck* stuck = std::get_if<Stuck>(&result)) {
    ADD_FAILURE() << stuck->text;
    return {std::move(program), Timeline{}, 0.0, {}, {}};
  }
  Timeline timeline = std::get<Timeline>(std::move(result));
  const double makespan = timeline.makespan().count();
  std::vector<std::int64_t> of_stages =
      peaks_in_flight(program, stages.size(), [](const Instruction& i) { return i.stage.index(); });
  std::vector<std::int64_t> of_devices = peaks_in_flight(
      program, topology.size(), [](const Instruction& i) { return i.device.index(); });
  return {std::move(program), std::move(timeline), makespan, std::move(of_stages),
          std::move(of_devices)};
}

PaperRun ExpectedValues::run(const PaperCase& paper) const {
  return run(paper, ideal_cluster(static_cast<int>(paper.graph.size())));
}

double ExpectedValues::units_delayed(const PaperCase& paper, double delay) const {
  const double unit = GetParam().unit_s;
  const auto devices = static_cast<int>(paper.graph.size());
  return run(paper, delayed_cluster(devices, Seconds{delay * unit})).makespan_s / unit;
}

PaperCase ExpectedValues::per_operator(ComputationGraph graph) const {
  PaperCase paper{.graph = std::move(graph), .stages = {}};
  paper.stages = stage_per_operator(paper.graph);
  return paper;
}

PaperCase ExpectedValues::chain(int stages, double forward, double backward) const {
  const double unit = GetParam().unit_s;
  return per_operator(
      chain_graph(stages, Seconds{forward * unit}, Seconds{backward * unit}, Bytes{1024}));
}

PaperCase ExpectedValues::split(PaperCase paper, double input, double weight) const {
  std::vector<Operator> operators = paper.graph.operators();
  for (Operator& op : operators) {
    op.backward = {};
    op.backward_input = PassWork{.time = Seconds{input * GetParam().unit_s}};
    op.backward_weight = PassWork{.time = Seconds{weight * GetParam().unit_s}};
  }
  paper.graph = ComputationGraph(paper.graph.name(), operators);
  return paper;
}

PaperCase ExpectedValues::batched(PaperCase paper, std::int32_t size) {
  for (Stage& stage : paper.stages) stage.micro_batch = size;
  return paper;
}

PaperCase ExpectedValues::batched(PaperCase paper, const std::vector<std::int32_t>& sizes) {
  for (std::size_t s = 0; s < sizes.size(); ++s) paper.stages[s].micro_batch = sizes[s];
  return paper;
}

PaperCase ExpectedValues::two_branches(PlanKind kind) const {
  const double unit = GetParam().unit_s;
  PaperCase paper = per_operator(
      two_branches_graph(4, {.forward = Seconds{1 * unit}, .backward = Seconds{2 * unit}}));
  paper.kind = kind;
  if (kind == PlanKind::Sequential) {
    const std::vector<Stage> s = paper.stages;
    paper.stages = {s[0], s[1], s[2], s[4], s[5], s[6], s[7], s[3]};
  }
  return paper;
}

PaperCase ExpectedValues::four_branches(PlanKind kind) const {
  const double unit = GetParam().unit_s;
  PaperCase paper = per_operator(
      fork_join_graph(4, 2, {.forward = Seconds{1 * unit}, .backward = Seconds{2 * unit}}));
  paper.kind = kind;
  return paper;
}

}  // namespace pipegraph::test
