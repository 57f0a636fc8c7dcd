// Schedules on chains and graphs of stages.
#include <gmock/gmock.h>

#include <algorithm>

#include "core/program/text.h"
#include "core/schedule/table.h"
#include "tests/support/expected_values.h"
#include "tests/support/tiny_clusters.h"
#include "tests/support/tiny_graphs.h"
#include "tests/support/tiny_stages.h"

namespace pipegraph::test {
namespace {

using testing::Each;
using testing::ElementsAre;

/// Makespan and share of device time without compute, of a run on P devices.
struct ChainRow {
  int stages;
  std::int32_t micro_batches;
  double forward;
  double backward;
  double makespan() const {
    return (micro_batches + stages - 1) * (forward + backward);  // M (F+B) + (P-1) (F+B)
  }
};

// P, M, F, B; the makespans are 33, 21, 15, 12, 117, 78.
const std::vector<ChainRow> k_chain_rows{{4, 8, 1, 2}, {4, 4, 1, 2},  {4, 2, 1, 2},
                                         {4, 1, 1, 2}, {8, 32, 1, 2}, {8, 32, 1, 1}};

/// 1 - computing time / device time.
double bubble_fraction(const PaperRun& run, int devices) {
  double computing = 0;
  for (const Instruction& instruction : run.program.instructions())
    computing += instruction.duration.count();
  return 1 - computing / (devices * run.makespan_s);
}

TEST_P(ExpectedValues, OneForwardOneBackwardOnChains) {
  for (const ChainRow& row : k_chain_rows) {
    PaperCase paper = chain(row.stages, row.forward, row.backward);
    paper.mini_batch = row.micro_batches;
    const PaperRun result = run(paper);
    EXPECT_NEAR(result.makespan_s / GetParam().unit_s, row.makespan(), 1e-9);
    for (int s = 0; s < row.stages; ++s)  // min(P - s, M)
      EXPECT_EQ(result.in_flight[static_cast<std::size_t>(s)],
                std::min(row.stages - s, row.micro_batches));
    EXPECT_NEAR(bubble_fraction(result, row.stages),
                (row.stages - 1.0) / (row.micro_batches + row.stages - 1.0), 1e-9);
  }
}

TEST_P(ExpectedValues, GPipeOnChains) {
  for (const ChainRow& row : k_chain_rows) {
    PaperCase paper = chain(row.stages, row.forward, row.backward);
    paper.mini_batch = row.micro_batches;
    paper.schedule = "gpipe";
    const PaperRun result = run(paper);
    EXPECT_NEAR(result.makespan_s / GetParam().unit_s, row.makespan(), 1e-9);
    EXPECT_THAT(result.in_flight, Each(row.micro_batches));
  }
}

TEST_P(ExpectedValues, OneDeviceHasNoBubble) {
  PaperCase paper = chain(1);
  paper.mini_batch = 5;
  EXPECT_NEAR(units(paper), 5 * (1 + 2), 1e-9);
  PaperCase together = chain(4);  // four stages on one device: all the work, one after the other
  together.mini_batch = 5;
  for (Stage& stage : together.stages) stage.devices = {DeviceId{0}};
  EXPECT_NEAR(units(together), 4 * 5 * (1 + 2), 1e-9);
}

/// 1F1B, P = 4, M = 8: two round trips of stage 0, which has 4 samples in flight, and of the three
/// that are left one of stage 1.
double delayed_makespan(double delay) { return 2 * (4 * 3 + 6 * delay) + (3 * 3 + 4 * delay); }

TEST_P(ExpectedValues, AThousandStages) {
  const int stages = GetParam().most_stages;
  PaperCase paper = chain(stages);
  paper.mini_batch = 2;
  EXPECT_NEAR(units(paper), (2 + stages - 1) * 3, 1e-6);
}

TEST_P(ExpectedValues, AnOperatorWithoutCostTakesNoTime) {
  // Of three stages the middle one is free: two stages' worth of fill and drain.
  PaperCase paper = chain(3);
  std::vector<Operator> operators = paper.graph.operators();
  operators[1].forward = operators[1].backward = PassWork{};
  paper.graph = ComputationGraph("free", operators);
  paper.mini_batch = 4;
  EXPECT_NEAR(units(paper), (4 + 2 - 1) * 3, 1e-9);
}

TEST_P(ExpectedValues, StagesOnAllDevicesShareTheWorkEvenly) {
  // Two stages on four devices each, three micro-batches of four: a sample of each to everybody.
  PaperCase paper = batched(chain(2), 4);
  paper.mini_batch = 12;
  for (Stage& stage : paper.stages)
    stage.devices = {DeviceId{0}, DeviceId{1}, DeviceId{2}, DeviceId{3}};
  const PaperRun result = run(paper, ideal_cluster(4));
  EXPECT_NEAR(result.makespan_s / GetParam().unit_s, 2 * 3 * (1 + 2), 1e-9);
}

TEST_P(ExpectedValues, AMessageDelayOfOneIsHiddenByExtraSamplesInFlight) {
  PaperCase paper = chain(4);
  paper.mini_batch = 8;
  const double expected[] = {delayed_makespan(1), 44, 40, 39};  // 49 with none
  for (int extra = 0; extra < 4; ++extra) {
    paper.extra_in_flight = extra;
    EXPECT_NEAR(units_delayed(paper, 1), expected[extra], 1e-9) << extra;
  }
  paper.extra_in_flight = 0;
  paper.schedule = "gpipe";
  EXPECT_NEAR(units_delayed(paper, 1), 33 + 2 * 3 * 1, 1e-9);  // three hops there and back
}

TEST_P(ExpectedValues, AMessageDelayAboveTheForwardBindsTheMessageLane) {
  PaperCase paper = chain(4);
  paper.mini_batch = 8;
  EXPECT_NEAR(units_delayed(paper, 3), delayed_makespan(3), 1e-9);  // 81
  paper.schedule = "gpipe";
  // A channel takes 3 for each of 8 messages. Forwards: 1 + 8 x 3, two more hops of 1 + 3, 1; then
  // likewise backwards: 2 + 8 x 3, two more hops of 2 + 3, 2.
  const double forwards = 1 + 24 + 2 * (1 + 3) + 1;
  const double backwards = 2 + 24 + 2 * (2 + 3) + 2;
  EXPECT_NEAR(units_delayed(paper, 3), forwards + backwards, 1e-9);  // 72
}

TEST_P(ExpectedValues, KForwardKBackward) {
  PaperCase paper = chain(4);
  paper.mini_batch = 8;
  paper.schedule = "kfkb";
  for (Stage& stage : paper.stages) stage.k = 2;
  EXPECT_THAT(run(paper).in_flight, ElementsAre(8, 6, 4, 2));
  EXPECT_NEAR(units(paper), 33, 1e-9);
  EXPECT_NEAR(units_delayed(paper, 1), 39, 1e-9);
  for (Stage& stage : paper.stages) stage.k = 3;
  EXPECT_THAT(run(paper).in_flight, ElementsAre(8, 8, 6, 3));
  EXPECT_NEAR(units(paper), 33, 1e-9);
  EXPECT_NEAR(units_delayed(paper, 1), 39, 1e-9);
}

TEST_P(ExpectedValues, ZeroBubble) {
  // F = I = W = 1 and P in flight on every stage until the W: M (F + I + W) + (P - 1)(F + I - W).
  PaperCase paper = split(chain(4), 1, 1);
  paper.schedule = "zb1p";
  paper.mini_batch = 8;
  const PaperRun result = run(paper);
  EXPECT_NEAR(result.makespan_s / GetParam().unit_s, 8 * 3 + 3 * 1, 1e-9);  // 27
  EXPECT_THAT(result.in_flight, Each(4));
  // 1 - 8 x 3 / 27
  EXPECT_NEAR(bubble_fraction(result, 4), 1.0 / 9, 1e-9);
  PaperCase long_chain = split(chain(8), 1, 1);
  long_chain.schedule = "zb1p";
  long_chain.mini_batch = 32;
  EXPECT_NEAR(units(long_chain), 32 * 3 + 7 * 1, 1e-9);  // 103
  EXPECT_THAT(run(long_chain).in_flight, Each(8));
}

TEST_P(ExpectedValues, ZeroBubbleHidesNoMoreThanTheWeightsTake) {
  PaperCase paper = split(chain(4), 1.5, 0.5);
  paper.schedule = "zb1p";
  paper.mini_batch = 8;
  EXPECT_NEAR(units(paper), 8 * 3 + 3 * (1 + 1.5 - 0.5), 1e-9);  // 30
  paper = split(paper, 2, 0);  // nothing to hide the bubble with: 1F1B
  EXPECT_NEAR(units(paper), 33, 1e-9);
}

TEST_P(ExpectedValues, ZeroBubbleWithFewMicroBatches) {
  // The sink's last gradient leaves at P - 1 + 2 M, passes P - 1 stages, and a W is left on the
  // first: 11 for two micro-batches, 9 for one.
  PaperCase paper = split(chain(4), 1, 1);
  paper.schedule = "zb1p";
  paper.mini_batch = 2;
  EXPECT_NEAR(units(paper), 3 + 2 * 2 + 3 + 1, 1e-9);
  paper.mini_batch = 1;
  EXPECT_NEAR(units(paper), 3 + 2 * 1 + 3 + 1, 1e-9);
}

TEST_P(ExpectedValues, ZeroBubbleWithMessagesThatTakeTime) {
  // Two stages, three micro-batches, messages of 1. Sink: F0 2-3, I0 3-4, F1 4-5, I1 5-6, W0 6-7.
  // Stage 0: F0 0-1, F1 1-2, I0 5-6, W0 6-7, F2 7-8, I1 8-9, W1 9-10. Sink: F2 9-10, I2 10-11, its
  // two W until 13. Stage 0: I2 12-13, W2 13-14.
  PaperCase paper = split(chain(2), 1, 1);
  paper.schedule = "zb1p";
  paper.mini_batch = 3;
  EXPECT_NEAR(units_delayed(paper, 1), 14, 1e-9);
}

TEST_P(ExpectedValues, InterleavedWithMessagesThatTakeTime) {
  // Stages 0 and 2 on device 0, 1 and 3 on device 1, two micro-batches, messages of 1; forwards of
  // stages 0 to 3 are f g h i, backwards likewise. Device 0 runs f0 f1 h0 h1, then backwards h0 h1
  // f0 f1; device 1 g0 g1 i0 then its backward, i1 and its backward, g0 g1.
  // f 0-1, 1-2; g 2-3, 3-4; h 4-5, 5-6; i0 6-7, backward 7-9, i1 9-10, backward 10-12; backwards of
  // h 10-12, 13-15, of g 13-15, 16-18, of f 16-18, 19-21.
  PaperCase paper = chain(4);
  paper.schedule = "interleaved_1f1b";
  paper.mini_batch = 2;
  for (std::size_t s = 0; s < 4; ++s)
    paper.stages[s].devices = {DeviceId{static_cast<std::int32_t>(s % 2)}};
  EXPECT_NEAR(units_delayed(paper, 1), 21, 1e-9);
}

TEST_P(ExpectedValues, InterleavedChunks) {
  // v = 2 stages on each device, each with half of the device's F = 1 and B = 2:
  // M (F + B) + (P - 1)(F + B) / v. Before its first backward a device forwards
  // 2 (P - 1 - p) + (v - 1) P of its M v, and one more in turn.
  struct Row {
    int devices;
    std::int32_t micro_batches;
    double makespan;
    std::vector<std::int64_t> in_flight;
  };
  const std::vector<Row> rows{{4, 8, 8 * 3 + 3 * 1.5, {11, 9, 7, 5}},
                              {2, 4, 4 * 3 + 1 * 1.5, {5, 3}},
                              {8, 8, 8 * 3 + 7 * 1.5, {16, 16, 16, 16, 15, 13, 11, 9}},
                              {4, 4, 4 * 3 + 3 * 1.5, {8, 8, 7, 5}}};
  for (const Row& row : rows) {
    PaperCase paper = chain(2 * row.devices, 0.5, 1);
    paper.schedule = "interleaved_1f1b";
    paper.mini_batch = row.micro_batches;
    for (std::size_t s = 0; s < paper.stages.size(); ++s)
      paper.stages[s].devices = {DeviceId{static_cast<std::int32_t>(s) % row.devices}};
    const PaperRun result = run(paper, ideal_cluster(row.devices));
    EXPECT_NEAR(result.makespan_s / GetParam().unit_s, row.makespan, 1e-9);
    EXPECT_EQ(result.in_flight_of_devices, row.in_flight);
  }
}

TEST_P(ExpectedValues, SeveralMicroBatchSizesOnAChain) {
  PaperCase paper = chain(3, 1, 1);
  paper.mini_batch = 64;
  const PaperRun mixed = run(batched(paper, {1, 2, 4}));
  EXPECT_THAT(mixed.in_flight, ElementsAre(10, 8, 4));
  // Two samples pass stage 0 by 2, four pass stage 1 by 6; the sink computes 64 x 2 without a pause
  // until 134; two backwards of 2 samples follow on stage 1, of which stage 0 has two of 1 left:
  // 134 + 4 + 2.
  EXPECT_NEAR(mixed.makespan_s / GetParam().unit_s, 140, 1e-9);
  const PaperRun equal = run(batched(paper, 4));
  EXPECT_THAT(equal.in_flight, ElementsAre(12, 8, 4));
  EXPECT_NEAR(equal.makespan_s / GetParam().unit_s, (16 + 3 - 1) * 8, 1e-9);  // 144
}

TEST_P(ExpectedValues, TwoMicroBatchSizesEitherWay) {
  PaperCase paper = chain(2);
  paper.mini_batch = 16;
  const PaperRun larger_first = run(batched(paper, {4, 1}));
  EXPECT_THAT(larger_first.in_flight, ElementsAre(8, 1));
  EXPECT_NEAR(larger_first.makespan_s / GetParam().unit_s, 4 + 48 + 8, 1e-9);
  const PaperRun smaller_first = run(batched(paper, {1, 4}));
  EXPECT_THAT(smaller_first.in_flight, ElementsAre(8, 4));
  EXPECT_NEAR(smaller_first.makespan_s / GetParam().unit_s, 4 + 48 + 8, 1e-9);
}

TEST_P(ExpectedValues, ARaggedLastMicroBatch) {
  // 3, 3, 2 samples. Stage 1: F 3-6, B 6-12, F 12-15, B 15-21, F 21-23, B 23-27; B0 27-31.
  PaperCase paper = batched(chain(2), 3);
  paper.mini_batch = 8;
  EXPECT_NEAR(units(paper), 31, 1e-9);
}

TEST_P(ExpectedValues, TwoBranchesOfFour) {
  PaperCase graph = two_branches(PlanKind::Graph);
  PaperCase sequential = two_branches(PlanKind::Sequential);
  graph.mini_batch = sequential.mini_batch = 8;
  EXPECT_THAT(run(graph).in_flight, ElementsAre(4, 3, 2, 1, 5, 4, 3, 2));
  EXPECT_THAT(run(sequential).in_flight, ElementsAre(8, 7, 6, 5, 4, 3, 2, 1));
  EXPECT_NEAR(units(graph), (8 + 5 - 1) * 3, 1e-9);       // 36
  EXPECT_NEAR(units(sequential), (8 + 8 - 1) * 3, 1e-9);  // 45
  graph.mini_batch = sequential.mini_batch = 16;
  EXPECT_NEAR(units(graph), (16 + 5 - 1) * 3, 1e-9);       // 60
  EXPECT_NEAR(units(sequential), (16 + 8 - 1) * 3, 1e-9);  // 69
}

TEST_P(ExpectedValues, FourBranchesWithStemAndJoin) {
  PaperCase graph = four_branches(PlanKind::Graph);
  PaperCase sequential = four_branches(PlanKind::Sequential);
  graph.mini_batch = sequential.mini_batch = 16;
  EXPECT_NEAR(units(graph), (16 + 4 - 1) * 3, 1e-9);        // 57
  EXPECT_NEAR(units(sequential), (16 + 10 - 1) * 3, 1e-9);  // 75
  EXPECT_THAT(run(sequential).in_flight, ElementsAre(10, 9, 8, 7, 6, 5, 4, 3, 2, 1));
}

TEST_P(ExpectedValues, AJoinBeforeOneOfItsBranchesIsADeadlock) {
  PaperCase paper = four_branches(PlanKind::Sequential);
  std::swap(paper.stages[8], paper.stages[9]);  // the join before the last branch's end
  const StageGraph stages(paper.graph, paper.stages, PlanKind::Sequential);
  EXPECT_TRUE(std::holds_alternative<ScheduleDeadlock>(
      make_schedule(stages, *find_schedule("1f1b"), {.mini_batch = 16})));
}

TEST_P(ExpectedValues, APlainChainIsTheSameProgramAsAGraphAndInSequence) {
  PaperCase paper = chain(4);
  paper.mini_batch = 8;
  const std::string as_graph = to_text(run(paper).program);
  paper.kind = PlanKind::Sequential;
  EXPECT_EQ(to_text(run(paper).program), as_graph);
}

TEST_P(ExpectedValues, TheSlowestStageSetsTheCycle) {
  // Forward + backward per micro-batch of 3.153, six times 3.150 and 3.901 (units): in the steady
  // state a micro-batch takes 3.901, which is 83.2 % balance and a speed-up of 6.65.
  const std::vector<double> times{3.153, 3.15, 3.15, 3.15, 3.15, 3.15, 3.15, 3.901};
  std::vector<Operator> operators;
  for (const double time : times) {
    const Seconds forward{time / 3 * GetParam().unit_s};
    operators.push_back(tiny_operator("o" + std::to_string(operators.size()), {},
                                      {.forward = forward, .backward = 2 * forward}));
    if (operators.size() > 1) operators.back().inputs = {make_id<OperatorId>(operators.size() - 2)};
  }
  PaperCase paper = per_operator(ComputationGraph("measured", operators));
  paper.mini_batch = 40;
  const double forty = units(paper);
  paper.mini_batch = 80;
  const double cycle = (units(paper) - forty) / 40;
  EXPECT_NEAR(cycle, 3.901, 1e-9);
  EXPECT_NEAR((3.153 + 6 * 3.15 + 3.901) / cycle, 6.65, 0.005);
}

}  // namespace
}  // namespace pipegraph::test
