// The arena against the memory function and against the program's own paths of dependencies, on
// plans of every kind.
#include "exec/memory/arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "exec/memory/arena_check.h"
#include "tests/core/program/random_plans.h"

namespace pipegraph {
namespace {

using test::TinyPlan;

struct Excess {
  int devices = 0;
  int above = 0;
  double most = 0.0;  ///< of the peak
};

void check_plan(const TinyPlan& plan, Excess& excess) {
  const MemoryAnalysis memory(plan.workload, plan.stages, plan.program);
  for (std::size_t d = 0; d < plan.program.device_count(); ++d) {
    const auto device = make_id<DeviceId>(d);
    const ArenaLayout arena(memory.lifetimes(device));
    ASSERT_EQ(arena_problem(plan.program, arena), "") << "on device " << d;
    const DeviceMemory needs = memory.device(device);
    ASSERT_EQ(arena.peak() + needs.parameters + needs.gradients + needs.optimizer_state,
              needs.peak);
    ++excess.devices;
    if (arena.bytes() == arena.peak()) continue;
    ++excess.above;
    excess.most = std::max(excess.most, arena.bytes().as_double() / arena.peak().as_double() - 1);
  }
}

std::vector<Stage> shaped(const ComputationGraph& graph, int replicas, std::int32_t micro_batch,
                          std::size_t recomputed) {
  std::vector<Stage> stages =
      test::replicated(test::stage_per_operator(graph, micro_batch), replicas);
  for (std::size_t s = 0; s < std::min(recomputed, stages.size()); ++s)
    stages[s].recompute = stages[s].operators;
  return stages;
}

void check_shapes(const ComputationGraph& graph, const test::PlanOptions& options, Excess& excess) {
  for (const int replicas : {1, 2, 3})
    for (const std::int32_t micro_batch : {3, 4})
      for (const std::size_t recomputed : {0, 2}) {
        const Workload workload = test::tiny_workload(
            graph, test::ideal_cluster(3 * static_cast<int>(graph.size())), {.mini_batch = 14});
        const auto stages = shaped(graph, replicas, micro_batch, recomputed);
        const StageGraph stage_graph(graph, stages, options.kind, options.skip);
        const auto schedule = make_schedule(stage_graph, *find_schedule(options.schedule),
                                            {.mini_batch = workload.training.mini_batch});
        if (!std::holds_alternative<Schedule>(schedule)) continue;  // the order against the data
        ASSERT_NO_FATAL_FAILURE(check_plan(test::make_plan(workload, stages, options), excess));
      }
}

TEST(Arena, IsValidOnSmallPlansOfEveryKindAndNearlyAlwaysThePeak) {
  const std::vector<ComputationGraph> graphs{
      test::chain_graph(1),        test::chain_graph(4),         test::diamond_graph(),
      test::fork_join_graph(3, 2), test::crossing_skips_graph(), test::two_branches_graph(3)};
  Excess excess;
  for (const ComputationGraph& graph : graphs)
    for (const char* schedule : {"1f1b", "gpipe", "kfkb"})
      for (const PlanKind kind : {PlanKind::Graph, PlanKind::Sequential})
        for (const SkipTransfer skip : {SkipTransfer::Direct, SkipTransfer::Relay})
          ASSERT_NO_FATAL_FAILURE(
              check_shapes(graph, {.kind = kind, .skip = skip, .schedule = schedule}, excess));
  RecordProperty("devices", excess.devices);
  RecordProperty("above_peak", excess.above);
  RecordProperty("most_percent", static_cast<int>(100 * excess.most));
  EXPECT_LE(excess.above * 200, excess.devices) << "one device in two hundred may need a gap";
  EXPECT_LE(excess.most, 0.1);
}

TEST(Arena, IsValidOnRandomPlansAndRarelyAboveThePeak) {
  std::mt19937 random(17);
  Excess excess;
  int plans = 0;
  while (plans < 150) {
    const auto plan = test::random_plan(random, {.receive_slots = static_cast<int>(random() % 3)});
    if (!plan || plan->validated().verdict != Verdict::Strict) continue;
    ++plans;
    ASSERT_NO_FATAL_FAILURE(check_plan(*plan, excess)) << "plan " << plans;
  }
  RecordProperty("devices", excess.devices);
  RecordProperty("above_peak", excess.above);
  RecordProperty("most_percent", static_cast<int>(100 * excess.most));
  EXPECT_LE(excess.above * 10, excess.devices) << "one device in ten may need a gap";
  EXPECT_LE(excess.most, 0.2);
}

TEST(Arena, CheckerFindsBytesThatAreSharedTooEarly) {
  // Every lifetime is said to end when it begins: then many share bytes that must not.
  const TinyPlan plan = test::plan_of(test::chain_graph(3), 4);
  const MemoryAnalysis memory(plan.workload, plan.stages, plan.program);
  std::vector<Lifetime> lifetimes = memory.lifetimes(DeviceId{0});
  for (Lifetime& lifetime : lifetimes) lifetime.latest = lifetime.earliest;
  EXPECT_NE(arena_problem(plan.program, ArenaLayout(lifetimes)), "");
}

TEST(Arena, SeparateLifetimesShareNothing) {
  const TinyPlan plan = test::plan_of(test::chain_graph(3), 4);
  const MemoryAnalysis memory(plan.workload, plan.stages, plan.program);
  const std::vector<Lifetime> lifetimes = memory.lifetimes(DeviceId{1});
  Bytes sum;
  for (const Lifetime& lifetime : lifetimes) sum += lifetime.bytes;
  const ArenaLayout arena(lifetimes, ArenaKind::Separate);
  EXPECT_EQ(arena.bytes(), sum);
  EXPECT_EQ(arena_problem(plan.program, arena), "");
  EXPECT_LT(ArenaLayout(lifetimes).bytes(), sum);
}

TEST(Arena, FindsLifetimesByName) {
  // Device 1 of a chain keeps the input it receives in its slot, and its output for the backward.
  const TinyPlan plan = test::plan_of(test::chain_graph(3), 2, {.schedule = "gpipe"});
  const MemoryAnalysis memory(plan.workload, plan.stages, plan.program);
  const ArenaLayout arena(memory.lifetimes(DeviceId{1}));
  const InstructionId recv = test::find(plan.program, DeviceId{1}, "recv F0[0,1)<d0").at(0);
  EXPECT_TRUE(arena.find({recv, MemoryPart::ReceiveSlots, OperatorId{0}, 0, {}}));
  EXPECT_FALSE(arena.find({recv, MemoryPart::ReceiveSlots, OperatorId{0}, 1, {}}));
  EXPECT_FALSE(arena.find({recv, MemoryPart::Activations, OperatorId{0}, 0, {}}));
}

}  // namespace
}  // namespace pipegraph
