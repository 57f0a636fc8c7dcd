// What a run occupies is what the memory function says.
#include "core/program/memory.h"

#include <gtest/gtest.h>

#include "tests/exec/numerics/small_networks.h"
#include "tests/exec/numerics/trained_plans.h"

namespace pipegraph::test {
namespace {

Bytes area(const TrainingRun& run, int device, Area area) {
  return run.devices()
      .engines()[static_cast<std::size_t>(device)]
      ->passes()
      .sizes()[static_cast<std::size_t>(area)];
}

TEST(Occupied, AreParametersGradientsStateAndTheArena) {
  const ComputationGraph graph = transformer_network();
  for (const Optimizer optimizer :
       {Optimizer::None, Optimizer::Sgd, Optimizer::Momentum, Optimizer::Adam}) {
    const auto plan =
        plan_from(graph, cut_before(graph, {"attention", "wide"}, {.optimizer = optimizer}));
    TrainingRun run(plan->workload, plan->stages, plan->program, {.memory = MemoryUse::Tight});
    const MemoryAnalysis memory(plan->workload, plan->stages, plan->program);
    for (int d = 0; d < 3; ++d) {
      const DeviceMemory needs = memory.device(DeviceId{d});
      EXPECT_EQ(area(run, d, Area::Parameters), needs.parameters);
      EXPECT_EQ(area(run, d, Area::Gradients), needs.gradients);
      EXPECT_EQ(area(run, d, Area::State), needs.optimizer_state);
      EXPECT_EQ(area(run, d, Area::State), needs.parameters * state_copies(optimizer));
      EXPECT_EQ(area(run, d, Area::Parameters) + area(run, d, Area::Gradients) +
                    area(run, d, Area::State) + area(run, d, Area::Arena),
                needs.peak)
          << "device " << d;
    }
  }
}

TEST(Occupied, DoNotGrowWithTheMiniBatchUnderOneForwardOneBackward) {
  const ComputationGraph graph = dense_chain();
  const auto arenas = [&](std::int32_t mini_batch, const std::string& schedule) {
    const auto plan = plan_from(
        graph, cut_before(graph, {"fc1", "fc2", "fc3"},
                          {.mini_batch = mini_batch, .micro_batch = 2, .schedule = schedule}));
    const TrainingRun run(plan->workload, plan->stages, plan->program,
                          {.memory = MemoryUse::Tight});
    std::vector<std::uint64_t> bytes;
    for (int d = 0; d < 4; ++d)
      bytes.push_back((area(run, d, Area::Arena) + area(run, d, Area::Scratch)).count);
    return bytes;
  };
  EXPECT_EQ(arenas(24, "1f1b"), arenas(96, "1f1b"));
  EXPECT_LT(arenas(24, "gpipe"), arenas(96, "gpipe"));
}

/// Sweeps the measured starts and ends of a real step.
TEST(Occupied, WhileRunningAreAtMostThePredictedPeakAndNothingIsLeft) {
  for (const char* schedule : {"1f1b", "gpipe", "zb1p"}) {
    const ComputationGraph graph = skipping_network();
    const auto plan = plan_from(graph, cut_before(graph, {"fc1", "fc2", "fc3", "join"},
                                                  {.mini_batch = 16, .schedule = schedule}));
    TrainingRun run(plan->workload, plan->stages, plan->program);
    const MemoryAnalysis memory(plan->workload, plan->stages, plan->program);
    for (int step = 0; step < 5; ++step) {
      run.step(Tracing::On);
      const InstructionTimes times{run.record().start, run.record().end};
      for (int d = 0; d < 5; ++d) {
        const std::vector<Lifetime> lifetimes = memory.lifetimes(DeviceId{d});
        const DeviceMemory predicted = memory.device(DeviceId{d});
        EXPECT_LE(timed_peak(predicted, lifetimes, times).bytes, predicted.peak)
            << schedule << ", device " << d;
        std::int64_t live = 0;
        for (const MemoryEvent& event : memory_events(lifetimes, times)) {
          const auto bytes = static_cast<std::int64_t>(lifetimes[event.lifetime].bytes.count);
          live += event.releases ? -bytes : bytes;
          EXPECT_GE(live, 0);
        }
        EXPECT_EQ(live, 0);
      }
    }
  }
}

/// The arena whose lifetimes share bytes gives the same numbers as one in which each has its own.
TEST(Occupied, SharedBytesChangeNothing) {
  for (const ComputationGraph& graph : {skipping_network(), transformer_network()})
    for (const char* schedule : {"1f1b", "gpipe", "zb1p"}) {
      const std::string middle = graph.operators()[graph.size() / 2].name;
      const PlanSketch sketch = recomputed(cut_before(graph, {graph.operators()[2].name, middle},
                                                      {.mini_batch = 12, .schedule = schedule}));
      expect_same_bits(gradients_of(graph, sketch, {.memory = MemoryUse::Tight}),
                       gradients_of(graph, sketch, {.memory = MemoryUse::Poison}), schedule);
    }
}

}  // namespace
}  // namespace pipegraph::test
