// Max-min fair sharing against examples worked out by hand, with lone transfers as timers and with
// every transfer given to SimGrid.
#include <gtest/gtest.h>

#include "sim/simulate.h"
#include "tests/support/program_sketch.h"
#include "tests/support/tiny_clusters.h"
#include "tests/support/wired_clusters.h"

namespace pipegraph {
namespace {

using test::ProgramSketch;
using test::wired_cluster;
using test::Wiring;

class Sharing : public testing::TestWithParam<TransferMode> {
 protected:
  SimulationResult run(const Program& program, const Topology& topology) {
    return simulate(program, topology, {.transfers = GetParam()});
  }
  std::vector<double> ends(const Program& program, const Topology& topology,
                           const std::vector<InstructionId>& of) {
    const SimulationResult result = run(program, topology);
    std::vector<double> times;
    for (InstructionId id : of)
      times.push_back(std::get<Timeline>(result.outcome).end[id.index()].count());
    return times;
  }
};

void expect_times(const std::vector<double>& actual, const std::vector<double>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-11) << i;
}

/// Transfers 0 -> 1, 2 -> 3, ... that all cross one link of 100 B/s.
Topology one_link(int pairs, Seconds latency = Seconds{0}) {
  Wiring wiring{2 * pairs, {{"shared", {100.0}, latency}}, {}};
  for (int p = 0; p < pairs; ++p) wiring.routes[{2 * p, 2 * p + 1}] = {0};
  return wired_cluster(wiring);
}

// l + n/c = 0.5 + 100/100.
TEST_P(Sharing, OneFlowHasItsLinkAlone) {
  ProgramSketch sketch(2);
  const auto moved = sketch.transfer({0, 1}, 100);
  expect_times(ends(std::move(sketch).build(), one_link(1, Seconds{0.5}), {moved.send}), {1.5});
}

// l + 2n/c.
TEST_P(Sharing, TwoEqualFlowsEndTogether) {
  ProgramSketch sketch(4);
  const auto a = sketch.transfer({0, 1}, 100);
  const auto b = sketch.transfer({2, 3}, 100);
  expect_times(ends(std::move(sketch).build(), one_link(2, Seconds{0.5}), {a.send, b.send}),
               {2.5, 2.5});
}

// l + n'/(c/2) = l + n/c for the half one; then the other has c: l + 1.5 n/c.
TEST_P(Sharing, AFlowOfHalfTheSizeLeavesTheRestAlone) {
  ProgramSketch sketch(4);
  const auto a = sketch.transfer({0, 1}, 100);
  const auto b = sketch.transfer({2, 3}, 50);
  expect_times(ends(std::move(sketch).build(), one_link(2, Seconds{0.5}), {a.send, b.send}),
               {2.0, 1.5});
}

// 100 B/s. A (100 B) at 0, B (100 B) at 0.5, C (50 B) at 1:
// at 0.5 A has 50 left; at 1 A has 25, B has 75; a third each: A ends at 1.75, when B has 50 and C
// 25 left; a half each: C ends at 2.25, when B has 25 left: 2.5.
TEST_P(Sharing, ThreeFlowsThatOverlapInPart) {
  ProgramSketch sketch(6);
  const auto a = sketch.transfer({0, 1}, 100);
  const auto b = sketch.transfer({2, 3}, 100, {sketch.compute(2, 0.5)});
  const auto c = sketch.transfer({4, 5}, 50, {sketch.compute(4, 1.0)});
  expect_times(ends(std::move(sketch).build(), one_link(3), {a.send, b.send, c.send}),
               {1.75, 2.5, 2.25});
}

// Latency 1 s. A (100 B) at 0 moves from 1 on; B (100 B) begins at 0.5, in A's latency, and moves
// from 1.5 on: A has 50 left then, halves: A ends at 2.5, B has 50 left: 3.0.
TEST_P(Sharing, AFlowJoinedDuringItsLatency) {
  ProgramSketch sketch(4);
  const auto a = sketch.transfer({0, 1}, 100);
  const auto b = sketch.transfer({2, 3}, 100, {sketch.compute(2, 0.5)});
  expect_times(ends(std::move(sketch).build(), one_link(2, Seconds{1}), {a.send, b.send}),
               {2.5, 3.0});
}

// Links of 100, 200 and 300 B/s. X crosses all, A, B and C one each. Link 1 is X's bottleneck:
// X and A get 50, B the other 150, C the other 250.
// A (100 B) and X (100 B) end at 2; C (250 B) at 1; B (450 B) has 150 left at 2, then 200
// B/s: 2.75.
TEST_P(Sharing, ParkingLot) {
  Wiring wiring{
      8, {{"1", {100.0}, Seconds{0}}, {"2", {200.0}, Seconds{0}}, {"3", {300.0}, Seconds{0}}}, {}};
  wiring.routes = {{{0, 1}, {0, 1, 2}}, {{2, 3}, {0}}, {{4, 5}, {1}}, {{6, 7}, {2}}};
  ProgramSketch sketch(8);
  const auto x = sketch.transfer({0, 1}, 100);
  const auto a = sketch.transfer({2, 3}, 100);
  const auto b = sketch.transfer({4, 5}, 450);
  const auto c = sketch.transfer({6, 7}, 250);
  expect_times(
      ends(std::move(sketch).build(), wired_cluster(wiring), {x.send, a.send, b.send, c.send}),
      {2.0, 2.0, 2.75, 1.0});
}

// The latencies of two routes must not weigh their shares. A (latency 0.1 s) and B (none), 100 B
// each: B has 90 left at 0.1; halves: B ends at 1.9, when A has 10 left: 2.0.
TEST_P(Sharing, SharesDoNotDependOnLatency) {
  Wiring wiring{4, {{"shared", {100.0}, Seconds{0}}, {"far", {1e6}, Seconds{0.1}}}, {}};
  wiring.routes = {{{0, 1}, {1, 0}}, {{2, 3}, {0}}};
  ProgramSketch sketch(4);
  const auto a = sketch.transfer({0, 1}, 100);
  const auto b = sketch.transfer({2, 3}, 100);
  expect_times(ends(std::move(sketch).build(), wired_cluster(wiring), {a.send, b.send}),
               {2.0, 1.9});
}

TEST_P(Sharing, DirectionsOfACableDoNotShare) {
  ProgramSketch sketch(2);
  const auto there = sketch.transfer({0, 1}, 100);
  const auto back = sketch.transfer({1, 0}, 100);
  expect_times(ends(std::move(sketch).build(), test::ported_cluster(2, Seconds{0}, {100.0}),
                    {there.send, back.send}),
               {1.0, 1.0});
}

TEST_P(Sharing, LinksWithoutLimitAreNeverShared) {
  ProgramSketch sketch(3);
  const auto a = sketch.transfer({0, 1}, 1'000'000'000);
  const auto b = sketch.transfer({0, 2}, 1'000'000'000);
  expect_times(
      ends(std::move(sketch).build(), test::delayed_cluster(3, Seconds{0.25}), {a.send, b.send}),
      {0.25, 0.25});
}

// The empty message pays its latency of 0.5 and takes nothing from A: 0.5 + 100/100.
TEST_P(Sharing, AnEmptyMessageTakesNoBandwidth) {
  ProgramSketch sketch(4);
  const auto a = sketch.transfer({0, 1}, 100);
  const auto empty = sketch.transfer({2, 3}, 0);
  expect_times(ends(std::move(sketch).build(), one_link(2, Seconds{0.5}), {a.send, empty.send}),
               {1.5, 0.5});
}

// Ring of two, 200 B: two rounds of 100 B each way. A transfer 0 -> 1 of 100 B shares the port of 0
// in the first round: halves until 2, when both end. Member 1's first message ends at 1; its second
// waits for what 0 sends until 2, and ends at 3, as 0's second does.
TEST_P(Sharing, CollectivesShareWithTransfers) {
  ProgramSketch sketch(2);
  const auto moved = sketch.transfer({0, 1}, 100);
  const auto reduced = sketch.all_reduce({0, 1}, 200);
  expect_times(ends(std::move(sketch).build(), test::ported_cluster(2, Seconds{0}, {100.0}),
                    {moved.send, reduced[0], reduced[1]}),
               {2.0, 3.0, 3.0});
}

std::string mode_name(const testing::TestParamInfo<TransferMode>& mode) {
  return mode.param == TransferMode::LoneAsTimers ? "LoneAsTimers" : "AllAsFlows";
}

INSTANTIATE_TEST_SUITE_P(, Sharing,
                         testing::Values(TransferMode::LoneAsTimers, TransferMode::AllAsFlows),
                         mode_name);

TEST(FlowCounts, LoneTransfersAreTimersAndJoinedOnesAreConverted) {
  ProgramSketch sketch(6);
  sketch.transfer({0, 1}, 100);                             // joined at 0.5
  sketch.transfer({2, 3}, 100, {sketch.compute(2, 0.5)});   // joins
  sketch.transfer({4, 5}, 100, {sketch.compute(4, 10.0)});  // alone
  const SimulationResult result = simulate(std::move(sketch).build(), one_link(3));
  EXPECT_EQ(result.counts, (FlowCounts{.timers = 1, .flows = 1, .converted = 1}));
}

TEST(FlowCounts, ATransferThatBeginsWhereAnotherEndsIsAlone) {
  ProgramSketch sketch(4);
  const auto first = sketch.transfer({0, 1}, 30);
  sketch.transfer({1, 0}, 0, {first.recv});
  sketch.transfer({2, 3}, 30, {sketch.compute(2, 0.1), sketch.compute(2, 0.2)});  // 0.1 + 0.2 > 0.3
  Wiring wiring{4, {{"shared", {100.0}, Seconds{0}}, {"back", {100.0}, Seconds{0}}}, {}};
  wiring.routes = {{{0, 1}, {0}}, {{2, 3}, {0}}, {{1, 0}, {1}}};
  const SimulationResult result = simulate(std::move(sketch).build(), wired_cluster(wiring));
  EXPECT_EQ(result.counts.converted, 0U);
  EXPECT_EQ(result.counts.flows, 0U);
}

}  // namespace
}  // namespace pipegraph
