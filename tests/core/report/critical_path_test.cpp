#include "core/report/critical_path.h"

#include <gtest/gtest.h>

#include <string>

#include "core/run/timeline.h"
#include "tests/core/report/small_runs.h"
#include "tests/support/program_sketch.h"
#include "tests/support/tiny_clusters.h"

namespace pipegraph {
namespace {

using test::ProgramSketch;

/// "0 work 0-2, 1 latency 2-3, ...".
std::string text(const CriticalPath& path) {
  std::string all;
  for (const PathInterval& interval : path.intervals)
    all += fmt::format("{}{} {} {}-{}", all.empty() ? "" : ", ", interval.instruction.value,
                       to_text(interval.cause), interval.start.count(), interval.end.count());
  return all;
}

CriticalPath path_of(const Program& program, const Topology& cluster) {
  return critical_path(ProgramIndex(program), test::run_analytically(program, cluster), cluster);
}

TEST(CriticalPath, FollowsATransferBackToItsProducer) {
  // d0: 2 s, then 40 B at 10 B/s with 1 s latency, then d1: 3 s.
  ProgramSketch sketch(2);
  const InstructionId first = sketch.compute(0, 2);
  const auto message = sketch.transfer({0, 1}, 40, {first});
  sketch.compute(1, 3, {message.recv});
  const CriticalPath path =
      path_of(std::move(sketch).build(), test::ported_cluster(2, Seconds{1}, {10.0}));
  EXPECT_EQ(text(path), "0 work 0-2, 1 latency 2-3, 1 work 3-7, 3 work 7-10");
  EXPECT_EQ(path.by_cause[static_cast<std::size_t>(PathCause::Latency)], Seconds{1});
  EXPECT_EQ(path.by_kind[static_cast<std::size_t>(InstructionKind::Forward)], Seconds{5});
  EXPECT_EQ(path.by_kind[static_cast<std::size_t>(InstructionKind::Send)], Seconds{5});
  EXPECT_EQ(path.by_stage.at(StageId{0}), Seconds{10});
}

TEST(CriticalPath, GoesToTheReceiverWhenItIsLate) {
  // The receiver may only post after its own 5 s: the message then waits for it, not for the 2 s.
  ProgramSketch sketch(2);
  const InstructionId early = sketch.compute(0, 2);
  const InstructionId late = sketch.compute(1, 5);
  const auto message = sketch.transfer({0, 1}, 0, {early}, {late});
  sketch.compute(1, 1, {message.recv});
  EXPECT_EQ(text(path_of(std::move(sketch).build(), test::delayed_cluster(2, Seconds{2}))),
            "1 work 0-5, 2 latency 5-7, 4 work 7-8");
}

TEST(CriticalPath, GoesToTheLastMemberOfACollective) {
  ProgramSketch sketch(2);
  const InstructionId quick = sketch.compute(0, 1);
  const InstructionId slow = sketch.compute(1, 4);
  const auto members = sketch.all_reduce({0, 1}, 100, {{quick}, {slow}});
  sketch.compute(0, 1, {members[0]});
  // Ring over 2: 2 x 1/2 x 100 B at 10 B/s.
  EXPECT_EQ(text(path_of(std::move(sketch).build(), test::ported_cluster(2, Seconds{0}, {10.0}))),
            "1 work 0-4, 2 work 4-14, 4 work 14-15");
}

TEST(CriticalPath, PrefersADependencyToTheLaneOnATie) {
  // Both end at 2; the compute's wait decides, not the lane's previous compute.
  ProgramSketch sketch(2);
  const auto message = sketch.transfer({1, 0}, 0);
  sketch.compute(0, 2);
  sketch.compute(0, 1, {message.recv});
  EXPECT_EQ(text(path_of(std::move(sketch).build(), test::delayed_cluster(2, Seconds{2}))),
            "0 latency 0-2, 3 work 2-3");
}

TEST(CriticalPath, NamesContentionAndWaiting) {
  // 40 B at 10 B/s took 6 s after 1 s of latency: 2 s too long. Before it 1 s passed for nothing.
  ProgramSketch sketch(2);
  const InstructionId first = sketch.compute(0, 2);
  sketch.transfer({0, 1}, 40, {first});
  const Program program = std::move(sketch).build();
  const Topology cluster = test::ported_cluster(2, Seconds{1}, {10.0});
  Timeline timeline(3);
  timeline.ready = {Seconds{0}, Seconds{2}, Seconds{0}};
  timeline.start = {Seconds{0}, Seconds{3}, Seconds{3}};
  timeline.end = {Seconds{2}, Seconds{10}, Seconds{10}};
  EXPECT_EQ(text(critical_path(ProgramIndex(program), timeline, cluster)),
            "0 work 0-2, 1 wait 2-3, 1 latency 3-4, 1 work 4-8, 1 contention 8-10");
}

TEST(CriticalPath, CoversTheMakespanWithoutGaps) {
  const test::ChainRun chain({.stages = 4, .micro_batches = 8, .latency = Seconds{1}});
  const CriticalPath path = critical_path(ProgramIndex(chain.run().program), chain.run().timeline,
                                          *chain.run().workload.topology);
  Seconds at{0};
  for (const PathInterval& interval : path.intervals) {
    EXPECT_EQ(interval.start, at);
    at = interval.end;
  }
  EXPECT_DOUBLE_EQ(at.count(), 49.0);
}

TEST(CriticalPath, OfNothingIsEmpty) {
  EXPECT_TRUE(path_of(ProgramSketch(1).build(), test::ideal_cluster(1)).intervals.empty());
}

}  // namespace
}  // namespace pipegraph
