// Times of instructions from CUPTI's records: of the same instructions as from events, in the order
// of streams and of causes; and what is said where there are none, or too few.
#include <gmock/gmock.h>

#include <cmath>

#include "core/base/errors.h"
#include "tests/exec/cuda/cut_networks.h"
#include "tests/exec/cuda/gpu_devices.h"

namespace pipegraph::test {
namespace {

using testing::HasSubstr;

/// A plan that runs, and where its times come from.
struct TimedRun {
  std::unique_ptr<TrainedPlan> plan;
  WatchedTimes* watched = nullptr;
  std::unique_ptr<TrainingRun> run;

  TimedRun(const ComputationGraph& graph, const PlanSketch& sketch, GpuTimeSource source)
      : plan(plan_from(graph, sketch)) {
    TrainingRunOptions options = on_gpus({.times = source, .watched = &watched});
    options.memory = MemoryUse::Tight;
    run = std::make_unique<TrainingRun>(plan->workload, plan->stages, plan->program, options);
  }
  std::string source() const { return watched->times().source(); }
  const Program& program() const { return plan->program; }
  /// Of a traced step.
  const RunRecord& record() {
    run->step(Tracing::On);
    return run->record();
  }
};

PlanSketch four_stages() {
  return cut_before(diamond_network(), {"left", "right", "sum"},
                    {.mini_batch = 16, .micro_batch = 2, .optimizer = Optimizer::Adam});
}

class CuptiTimes : public CudaTraining {
 protected:
  /// Bit by bit, as one would be copied from the other.
  static bool same(const RunRecord& a, const RunRecord& b, InstructionId id) {
    return a.start[id.index()] == b.start[id.index()] && a.end[id.index()] == b.end[id.index()];
  }
  static bool timed(const Instruction& instruction) {
    return is_compute(instruction.kind) || is_transfer(instruction.kind);
  }
};
INSTANTIATE_TEST_SUITE_P(Paces, CuptiTimes, gpu_paces(), gpu_pace_name);

TEST_P(CuptiTimes, AreKnownOfAllComputesAndMessages) {
  TimedRun timed_run(diamond_network(), four_stages(), GpuTimeSource::Auto);
  timed_run.run->step();
  const RunRecord& record = timed_run.record();
  if (timed_run.source().starts_with("events")) GTEST_SKIP() << timed_run.source();
  EXPECT_THAT(timed_run.source(), testing::StartsWith("CUPTI activity (on the host's clock to"));
  EXPECT_THAT(timed_run.source(), testing::Not(HasSubstr("lost")));
  const RunRecord& by_events = timed_run.watched->by_events();
  const Seconds bound = timed_run.watched->times().clock_bound();
  const Seconds step = timed_run.run->runner().last().time;
  for (std::size_t i = 0; i < record.start.size(); ++i) {
    const auto id = make_id<InstructionId>(i);
    EXPECT_GE(record.start[i].count(), -bound.count());
    EXPECT_GE(record.end[i], record.start[i]);
    EXPECT_LE(record.end[i], step + bound);
    if (!timed(timed_run.program().at(id))) continue;
    EXPECT_FALSE(same(record, by_events, id)) << i;
  }
}

#ifdef PIPEGRAPH_CUDA_STAND_IN
constexpr Seconds k_between_gpus{0};  // all have one clock
#else
constexpr Seconds k_between_gpus{20e-6};
#endif

// A GPU's clock is one: what it does before, it does before, to the last nanosecond. What a send
// waits for was on the sender's GPU, its copy is on the receiver's.
TEST_P(CuptiTimes, KeepTheOrderOfStreamsAndOfCauses) {
  TimedRun timed_run(diamond_network(), four_stages(), GpuTimeSource::Auto);
  timed_run.run->step();
  const RunRecord& record = timed_run.record();
  if (timed_run.source().starts_with("events")) GTEST_SKIP() << timed_run.source();
  const Program& program = timed_run.program();
  std::map<DeviceId, InstructionId> before;
  for (std::size_t i = 0; i < program.size(); ++i) {
    const auto id = make_id<InstructionId>(i);
    if (!timed(program.at(id))) continue;
    for (const InstructionId cause : program.waits_on(id))
      if (timed(program.at(cause))) {
        const bool two_gpus = program.at(id).kind == InstructionKind::Send;
        EXPECT_LE(record.end[cause.index()],
                  record.start[i] + (two_gpus ? k_between_gpus : Seconds{0}))
            << i;
      }
    if (!is_compute(program.at(id).kind)) continue;
    const InstructionId last = std::exchange(before[program.at(id).device], id);
    if (last.valid()) {
      EXPECT_LE(record.end[last.index()], record.start[i]) << i;
    }
  }
}

#ifdef PIPEGRAPH_CUDA_STAND_IN

void expect_times_of_events(TimedRun& timed_run) {
  const RunRecord& record = timed_run.record();
  EXPECT_EQ(record.start, timed_run.watched->by_events().start);
  EXPECT_EQ(record.end, timed_run.watched->by_events().end);
}

TEST_P(CuptiTimes, AreThoseOfEventsWhereTheDriverRefuses) {
  constexpr int k_insufficient_privileges = 35;
  cuda_stand_in::fail_call("cuptiActivityEnable", 3, k_insufficient_privileges);
  TimedRun timed_run(dense_chain(), cut_before(dense_chain(), {"fc1"}), GpuTimeSource::Auto);
  expect_times_of_events(timed_run);
  EXPECT_THAT(timed_run.source(), testing::StartsWith("events (cupti().cuptiActivityEnable(kind)"));
  EXPECT_THAT(timed_run.source(), HasSubstr("INSUFFICIENT_PRIVILEGES: the driver lets only"));
}

TEST_P(CuptiTimes, AreThoseOfEventsIfThatIsWanted) {
  cuda_stand_in::fail_call("cuptiGetVersion", 1, 999);  // nobody asks
  TimedRun timed_run(dense_chain(), cut_before(dense_chain(), {"fc1"}), GpuTimeSource::Events);
  expect_times_of_events(timed_run);
  EXPECT_EQ(timed_run.source(), "events (CUPTI was not asked for)");
}

TEST_P(CuptiTimes, AreAnErrorWhereTheyAreDemandedAndRefused) {
  cuda_stand_in::fail_call("cuptiGetVersion", 1, 15);
  try {
    TimedRun(dense_chain(), cut_before(dense_chain(), {"fc1"}), GpuTimeSource::Cupti);
    ADD_FAILURE() << "no error";
  } catch (const MachineError& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("--gpu-times cupti: cupti().cuptiGetVersion"));
    EXPECT_THAT(error.what(), HasSubstr("--gpu-times events needs no CUPTI"));
  }
}

// The second traced step has all of its records again.
TEST_P(CuptiTimes, AreThoseOfEventsInAStepThatLosesRecords) {
  start({.activity_records = 10});
  TimedRun timed_run(diamond_network(), four_stages(), GpuTimeSource::Cupti);
  expect_times_of_events(timed_run);
  EXPECT_THAT(timed_run.source(), HasSubstr("but 1 of 1 traced steps lost records"));
  EXPECT_THAT(timed_run.source(), HasSubstr("have those of events"));
}

// More records than a buffer of the stand-in's holds before it hands it out, from several threads.
TEST_P(CuptiTimes, LoseNothingWhenBuffersComeBackMeanwhile) {
  const PlanSketch many =
      cut_before(diamond_network(), {"left", "right", "sum"},
                 {.mini_batch = 96, .micro_batch = 2, .optimizer = Optimizer::Momentum});
  TimedRun timed_run(diamond_network(), many, GpuTimeSource::Cupti);
  const RunRecord& record = timed_run.record();
  EXPECT_THAT(timed_run.source(), testing::Not(HasSubstr("lost")));
  std::size_t changed = 0, all = 0;
  for (std::size_t i = 0; i < record.start.size(); ++i) {
    const auto id = make_id<InstructionId>(i);
    if (!timed(timed_run.program().at(id))) continue;
    ++all;
    changed += same(record, timed_run.watched->by_events(), id) ? 0 : 1;
  }
  EXPECT_EQ(changed, all);
}

TEST_P(CuptiTimes, CostUntracedStepsNothing) {
  TimedRun timed_run(dense_chain(), cut_before(dense_chain(), {"fc1"}), GpuTimeSource::Cupti);
  for (const char* call : {"cuptiActivityEnable", "cuptiActivityPushExternalCorrelationId",
                           "cuptiActivityFlushAll", "cuptiGetTimestamp"})
    cuda_stand_in::fail_call(call, 1, 999);
  EXPECT_NO_THROW(timed_run.run->train(3));
}

TEST_P(CuptiTimes, EndTheRunWhenACallFails) {
  TimedRun timed_run(dense_chain(), cut_before(dense_chain(), {"fc1"}), GpuTimeSource::Auto);
  timed_run.record();
  cuda_stand_in::fail_call("cuptiActivityFlushAll", 1, 999);
  try {
    timed_run.record();
    ADD_FAILURE() << "no error";
  } catch (const MachineError& error) {
    EXPECT_THAT(error.what(), HasSubstr("cuptiActivityFlushAll"));
    EXPECT_THAT(error.what(), HasSubstr("error 999"));
  }
}

#else

// A pair of events encloses its kernels; both clocks are brought to the host's, each to some
// microseconds.
TEST_P(CuptiTimes, LieWithinThoseOfEvents) {
  constexpr Seconds k_clocks{100e-6};
  TimedRun timed_run(diamond_network(), four_stages(), GpuTimeSource::Auto);
  timed_run.run->train(2);
  const RunRecord& record = timed_run.record();
  if (timed_run.source().starts_with("events")) GTEST_SKIP() << timed_run.source();
  const RunRecord& by_events = timed_run.watched->by_events();
  for (std::size_t i = 0; i < record.start.size(); ++i) {
    if (!timed(timed_run.program().at(make_id<InstructionId>(i)))) continue;
    EXPECT_GE(record.start[i], by_events.start[i] - k_clocks) << i;
    EXPECT_LE(record.end[i], by_events.end[i] + k_clocks) << i;
  }
}

#endif

}  // namespace
}  // namespace pipegraph::test
