#include "tests/support/expected_values.h"

#include "core/program/lower.h"
#include "core/program/validate.h"
#include "core/schedule/table.h"
#include "tests/support/tiny_clusters.h"
#include "tests/support/tiny_graphs.h"
#include "tests/support/tiny_stages.h"

namespace pipegraph::test {
namespace {

/// Samples forwarded and not yet backwarded by each stage, at most, in the order it computes.
std::vector<std::int64_t> peaks_in_flight(const Program& program, std::size_t stages) {
  std::vector<std::int64_t> now(stages, 0);
  std::vector<std::int64_t> peak(stages, 0);
  for (const Instruction& instruction : program.instructions()) {
    if (!is_pass(instruction.kind)) continue;
    const std::size_t stage = instruction.stage.index();
    const std::int64_t samples = instruction.samples.samples();
    now[stage] += instruction.kind == InstructionKind::Forward ? samples : -samples;
    peak[stage] = std::max(peak[stage], now[stage]);
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
    return {std::move(program), Timeline{}, 0.0, {}};
  }
  Timeline timeline = std::get<Timeline>(std::move(result));
  const double makespan = timeline.makespan().count();
  std::vector<std::int64_t> peaks = peaks_in_flight(program, stages.size());
  return {std::move(program), std::move(timeline), makespan, std::move(peaks)};
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
