// Devices as threads: small programs worked out by hand, and the analytic backend as a witness.
#include "core/run/threads_backend.h"

#include <gtest/gtest.h>

#include "core/run/analytic_backend.h"
#include "core/run/run_program.h"
#include "tests/support/program_sketch.h"
#include "tests/support/random_programs.h"
#include "tests/support/tiny_clusters.h"

namespace pipegraph {
namespace {

using test::ProgramSketch;

Timeline run(const Program& program, const Topology& topology, std::int32_t cores = 0) {
  const auto backend = make_threads_backend(program, topology, {.cores = cores});
  return std::get<Timeline>(run_program(program, *backend));
}

TEST(ThreadsBackend, AReceiverComputesOrCopies) {
  // Device 1 computes for 4 s when device 0 has something for it at 1 s: both sides are there, but
  // the 2 s of copying come when the compute has ended, before the next compute.
  ProgramSketch sketch(2);
  const InstructionId first = sketch.compute(0, 1);
  const InstructionId busy = sketch.compute(1, 4);
  const InstructionId next = sketch.compute(1, 3);
  const auto message = sketch.transfer({0, 1}, 8, {first});
  const Program program = std::move(sketch).build();
  const Timeline timeline = run(program, test::delayed_cluster(2, Seconds{2}));
  EXPECT_EQ(timeline.end[busy.index()], Seconds{4});
  EXPECT_EQ(timeline.start[message.recv.index()], Seconds{1});
  EXPECT_EQ(timeline.end[message.send.index()], Seconds{6});
  EXPECT_EQ(timeline.start[next.index()], Seconds{6});
  EXPECT_EQ(timeline.makespan(), Seconds{9});
}

TEST(ThreadsBackend, ASenderComputesMeanwhile) {
  ProgramSketch sketch(2);
  const InstructionId first = sketch.compute(0, 1);
  const auto message = sketch.transfer({0, 1}, 8, {first});
  const InstructionId second = sketch.compute(0, 5);
  const Program program = std::move(sketch).build();
  const Timeline timeline = run(program, test::delayed_cluster(2, Seconds{2}));
  EXPECT_EQ(timeline.end[message.recv.index()], Seconds{3});
  EXPECT_EQ(timeline.end[second.index()], Seconds{6});
}

TEST(ThreadsBackend, CopiesGoOneAfterTheOther) {
  ProgramSketch sketch(3);
  const auto a = sketch.transfer({0, 2}, 8);
  const auto b = sketch.transfer({1, 2}, 8);
  const Program program = std::move(sketch).build();
  const Timeline timeline = run(program, test::delayed_cluster(3, Seconds{2}));
  EXPECT_EQ(timeline.end[a.recv.index()], Seconds{2});
  EXPECT_EQ(timeline.end[b.recv.index()], Seconds{4});
}

TEST(ThreadsBackend, PinnedThreadsShareTheirCore) {
  // Devices 0 and 2 on core 0, device 1 alone on core 1. 0 and 2 compute at half speed until 0 has
  // done its 2 s, at 4 s; 2 has done 2 of its 3 s then and ends at 5 s.
  ProgramSketch sketch(3);
  const InstructionId a = sketch.compute(0, 2);
  const InstructionId alone = sketch.compute(1, 2);
  const InstructionId b = sketch.compute(2, 3);
  const Program program = std::move(sketch).build();
  const Timeline timeline = run(program, test::ideal_cluster(3), 2);
  EXPECT_EQ(timeline.end[a.index()], Seconds{4});
  EXPECT_EQ(timeline.end[b.index()], Seconds{5});
  EXPECT_EQ(timeline.end[alone.index()], Seconds{2});
}

TEST(ThreadsBackend, AThreadThatWaitsLeavesItsCore) {
  // Device 1 waits for device 0 on the same core: 1 s, then 2 s.
  ProgramSketch sketch(2);
  const InstructionId first = sketch.compute(0, 1);
  const auto message = sketch.transfer({0, 1}, 8, {first});
  const InstructionId second = sketch.compute(1, 2, {message.recv});
  const Program program = std::move(sketch).build();
  EXPECT_EQ(run(program, test::ideal_cluster(2), 1).end[second.index()], Seconds{3});
}

/// Devices 0 and 1 compute for `first` and `second` seconds, then reduce for 3 s as measured;
/// device 1 has 5 s of something else to do.
struct Reduction {
  Reduction(double first, double second) {
    ProgramSketch sketch(2);
    const InstructionId a = sketch.compute(0, first);
    const InstructionId b = sketch.compute(1, second);
    members = sketch.all_reduce({0, 1}, 8, {{a}, {b}});
    other = sketch.compute(1, 5);
    const Program sketched = std::move(sketch).build();
    std::vector<Seconds> durations;
    for (const Instruction& instruction : sketched.instructions())
      durations.push_back(instruction.kind == InstructionKind::AllReduce ? Seconds{3}
                                                                         : instruction.duration);
    program = sketched.with_durations(durations);
  }
  std::vector<InstructionId> members;
  InstructionId other;
  Program program;
};

TEST(ThreadsBackend, AnAllReduceKeepsAllItsMembersBusy) {
  const Reduction reduction(1, 2);
  const Timeline timeline = run(reduction.program, test::ideal_cluster(2));
  for (const InstructionId member : reduction.members) {
    EXPECT_EQ(timeline.start[member.index()], Seconds{2});
    EXPECT_EQ(timeline.end[member.index()], Seconds{5});
  }
  EXPECT_EQ(timeline.end[reduction.other.index()], Seconds{10});
}

TEST(ThreadsBackend, AnAllReduceEndsWithTheMemberThatWasBusyWithSomethingElse) {
  // Device 1 is through at 2 s, long before device 0 at 4 s, so it computes until 7 s first.
  const Reduction reduction(4, 2);
  const Timeline timeline = run(reduction.program, test::ideal_cluster(2));
  EXPECT_EQ(timeline.end[reduction.other.index()], Seconds{7});
  for (const InstructionId member : reduction.members) {
    EXPECT_EQ(timeline.start[member.index()], Seconds{4});
    EXPECT_EQ(timeline.end[member.index()], Seconds{10});
  }
}

TEST(ThreadsBackend, AnAllReduceMeasuredOnASharedCoreIsNotSlowedDownTwice) {
  // On one core 1 s and 1 s take 2 s together, then the all-reduce its 3 s.
  const Reduction reduction(1, 1);
  const Timeline timeline = run(reduction.program, test::ideal_cluster(2), 1);
  EXPECT_EQ(timeline.end[reduction.members.front().index()], Seconds{5});
}

TEST(ThreadsBackend, IsNeverAheadOfTheAnalyticBackend) {
  // The same order, and a thread to wait for besides: nothing can end earlier.
  for (unsigned seed = 0; seed < 40; ++seed) {
    const Program program = test::random_program({.seed = seed});
    const Topology delayed =
        test::delayed_cluster(static_cast<int>(program.device_count()), Seconds{1e-4});
    const auto analytic = make_analytic_backend(program, delayed);
    const auto least = std::get<Timeline>(run_program(program, *analytic));
    const Timeline timeline = run(program, delayed);
    for (std::size_t i = 0; i < program.size(); ++i)
      EXPECT_GE(timeline.end[i].count(), least.end[i].count() - 1e-9)
          << "seed " << seed << ' ' << i;
  }
}

TEST(ThreadsBackend, OneCoreTakesTheSumOfEverything) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const Program program = test::random_program({.seed = seed});
    const Topology ideal = test::ideal_cluster(static_cast<int>(program.device_count()));
    Seconds sum{0};
    for (const Instruction& instruction : program.instructions()) sum += instruction.duration;
    // Whoever can compute, computes, so the core is never idle.
    EXPECT_NEAR(run(program, ideal, 1).makespan().count(), sum.count(), 1e-9 * sum.count());
  }
}

}  // namespace
}  // namespace pipegraph
