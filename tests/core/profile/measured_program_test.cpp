#include "core/profile/measured_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/program/lower.h"
#include "core/schedule/table.h"
#include "tests/support/tiny_clusters.h"
#include "tests/support/tiny_graphs.h"
#include "tests/support/tiny_stages.h"

namespace pipegraph {
namespace {

using testing::HasSubstr;

/// One stage on two replicas, micro-batches of 3 of a mini-batch of 5: shares of 1 and 2 samples,
/// then of 1 and 1; parameters to reduce and to update.
Program replicated_program() {
  const ComputationGraph graph = test::chain_graph(1, {.parameters = Bytes{64}});
  const Workload workload = test::tiny_workload(graph, test::ideal_cluster(2), {.mini_batch = 5});
  const StageGraph stages(graph, test::replicated(test::stage_per_operator(graph, 3), 2),
                          PlanKind::Graph);
  const Schedule schedule =
      std::get<Schedule>(make_schedule(stages, *find_schedule("1f1b"), {.mini_batch = 5}));
  return lower(workload, stages, schedule);
}

MeasuredPlan measured_plan() {
  return {.hash = "1",
          .name = "p",
          .instructions = {{"s0", InstructionKind::Forward, 1, {Seconds{10}}},
                           {"s0", InstructionKind::Forward, 2, {Seconds{11}}},
                           {"s0", InstructionKind::Backward, 1, {Seconds{20}}},
                           {"s0", InstructionKind::Backward, 2, {Seconds{22}}},
                           {"s0", InstructionKind::AllReduce, 0, {Seconds{5}}},
                           {"s0", InstructionKind::Optimizer, 0, {Seconds{7}}}}};
}

/// What `instruction` is expected to take.
Seconds expected(const Instruction& instruction) {
  const bool two = instruction.samples.samples() == 2;
  switch (instruction.kind) {
    case InstructionKind::Forward:
      return Seconds{two ? 11.0 : 10.0};
    case InstructionKind::Backward:
      return Seconds{two ? 22.0 : 20.0};
    case InstructionKind::AllReduce:
      return Seconds{5};
    case InstructionKind::Optimizer:
      return Seconds{7};
    default:
      return Seconds{0};
  }
}

TEST(MeasuredProgram, GivesEveryComputeAndReductionTheTimeOfItsShare) {
  const Program program = replicated_program();
  const Program timed = with_measured_times(program, measured_plan(), MissingSize::Refuse);
  ASSERT_EQ(timed.size(), program.size());
  for (const Instruction& instruction : timed.instructions())
    EXPECT_EQ(instruction.duration, expected(instruction)) << to_text(instruction.kind);
}

TEST(MeasuredProgram, ChangesNothingButTimes) {
  const Program program = replicated_program();
  std::vector<Seconds> before;
  for (const Instruction& instruction : program.instructions())
    before.push_back(instruction.duration);
  const Program timed = with_measured_times(program, measured_plan(), MissingSize::Refuse);
  EXPECT_EQ(timed.with_durations(before), program);
}

TEST(MeasuredProgram, RefusesAMissingShareOrTakesTheNearestInProportion) {
  MeasuredPlan plan = measured_plan();
  std::erase_if(plan.instructions, [](const MeasuredInstruction& measured) {
    return measured.kind == InstructionKind::Forward && measured.samples == 2;
  });
  const Program program = replicated_program();
  try {
    with_measured_times(program, plan, MissingSize::Refuse);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("stage 's0' forward of 2 samples was not measured"));
  }
  const Program timed = with_measured_times(program, plan, MissingSize::Proportion);
  for (const Instruction& instruction : timed.instructions()) {
    if (instruction.kind != InstructionKind::Forward) continue;
    // Twice the 10 s of one sample where there are two.
    EXPECT_EQ(instruction.duration, Seconds{10.0 * instruction.samples.samples()});
  }
}

TEST(MeasuredProgram, NeedsEveryKindOfComputeButNoReduction) {
  for (const InstructionKind kind : {InstructionKind::Optimizer, InstructionKind::AllReduce}) {
    MeasuredPlan plan = measured_plan();
    std::erase_if(plan.instructions,
                  [&](const MeasuredInstruction& measured) { return measured.kind == kind; });
    const auto timed = [&] {
      return with_measured_times(replicated_program(), plan, MissingSize::Proportion);
    };
    if (kind == InstructionKind::Optimizer)
      EXPECT_THROW(timed(), ConfigError);
    else
      EXPECT_NO_THROW(timed());
  }
}

TEST(MeasuredProgram, AddsDispatchToComputesOnly) {
  const Program timed =
      with_measured_times(replicated_program(), measured_plan(), MissingSize::Refuse);
  const Program longer = with_dispatch(timed, Seconds{0.5});
  for (std::size_t i = 0; i < timed.size(); ++i) {
    const Instruction& instruction = timed.instructions()[i];
    const Seconds added = longer.instructions()[i].duration - instruction.duration;
    EXPECT_EQ(added, is_compute(instruction.kind) ? Seconds{0.5} : Seconds{0});
  }
}

}  // namespace
}  // namespace pipegraph
