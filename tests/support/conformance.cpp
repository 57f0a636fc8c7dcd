#include "tests/support/conformance.h"

#include "tests/support/program_sketch.h"
#include "tests/support/random_programs.h"
#include "tests/support/tiny_clusters.h"

namespace pipegraph::test {
namespace {

Timeline ended(const std::variant<Timeline, Stuck>& outcome) {
  if (const auto* stuck = std::get_if<Stuck>(&outcome)) {
    ADD_FAILURE() << stuck->text;
    return Timeline{};
  }
  return std::get<Timeline>(outcome);
}

}  // namespace

std::string conformant_name(const testing::TestParamInfo<Conformant>& info) {
  return info.param.name;
}

Timeline Conformance::run(const Program& program, const Topology& topology) const {
  const Conformant& backend = GetParam();
  const Timeline one = ended(backend.run(program, topology, Dispatching::OneForAll));
  EXPECT_EQ(broken_rule(program, one, backend.promptness), "");
  const Timeline many = ended(backend.run(program, topology, Dispatching::OnePerDevice));
  EXPECT_EQ(broken_rule(program, many, backend.promptness), "");
  if (backend.promptness == Promptness::AtOnce) {
    EXPECT_EQ(one, many);
  }
  return many;
}

Timeline Conformance::run(const Program& program) const {
  return run(program, ideal_cluster(static_cast<int>(program.device_count())));
}

Stuck Conformance::run_stuck(const Program& program) const {
  const Topology topology = ideal_cluster(static_cast<int>(program.device_count()));
  const auto one = GetParam().run(program, topology, Dispatching::OneForAll);
  const auto many = GetParam().run(program, topology, Dispatching::OnePerDevice);
  if (!std::holds_alternative<Stuck>(one) || !std::holds_alternative<Stuck>(many)) {
    ADD_FAILURE() << "a program that cannot finish ended";
    return Stuck{};
  }
  EXPECT_EQ(std::get<Stuck>(one).text, std::get<Stuck>(many).text);
  return std::get<Stuck>(one);
}

TEST_P(Conformance, AnEmptyProgramEndsAtOnce) {
  EXPECT_EQ(run(ProgramSketch(2).build()).makespan(), Seconds{0});
}

TEST_P(Conformance, ALaneRunsOneAtATimeInOrder) {
  ProgramSketch sketch(1);
  const auto first = sketch.compute(0, 2 * unit());
  const auto second = sketch.compute(0, unit());
  const Timeline timeline = run(std::move(sketch).build());
  EXPECT_GE(timeline.start[second.index()], timeline.end[first.index()]);
}

TEST_P(Conformance, AWaitHoldsBackAcrossLanes) {
  ProgramSketch sketch(2);
  const auto made = sketch.compute(0, unit());
  const auto moved = sketch.transfer({0, 1}, 8, {made});
  const auto used = sketch.compute(1, unit(), {moved.recv});
  const Timeline timeline = run(std::move(sketch).build());
  EXPECT_GE(timeline.start[moved.send.index()], timeline.end[made.index()]);
  EXPECT_GE(timeline.start[used.index()], timeline.end[moved.recv.index()]);
}

// d0 -> d1 waits for d1's long compute; d0 -> d2, posted later on another lane, need not.
TEST_P(Conformance, LanesOfOneDeviceDoNotBlockEachOther) {
  ProgramSketch sketch(3);
  const auto busy = sketch.compute(1, 4 * unit());
  const auto slow = sketch.transfer({0, 1}, 8, {}, {busy});
  const auto quick = sketch.transfer({0, 2}, 8);
  const auto after = sketch.compute(2, unit(), {quick.recv});
  const Timeline timeline = run(std::move(sketch).build());
  EXPECT_GE(timeline.start[slow.send.index()], timeline.end[busy.index()]);
  if (GetParam().promptness == Promptness::AtOnce) {
    EXPECT_LT(timeline.end[after.index()], timeline.start[slow.send.index()]);
  }
}

TEST_P(Conformance, ASingleLaneBlocksEverythingBehindIt) {
  ProgramSketch sketch(3, SketchLanes::Single);
  const auto busy = sketch.compute(1, 4 * unit());
  const auto slow = sketch.transfer({0, 1}, 8, {}, {busy});
  const auto behind = sketch.transfer({0, 2}, 8);
  const Timeline timeline = run(std::move(sketch).build());
  EXPECT_GE(timeline.start[behind.send.index()], timeline.end[slow.send.index()]);
}

TEST_P(Conformance, ATransferStartsWhenBothHalvesArePosted) {
  ProgramSketch sketch(2);
  const auto early = sketch.compute(0, unit());
  const auto late = sketch.compute(1, 5 * unit());
  const auto moved = sketch.transfer({0, 1}, 8, {early}, {late});
  const Timeline timeline = run(std::move(sketch).build());
  EXPECT_EQ(timeline.ready[moved.send.index()], timeline.end[early.index()]);
  EXPECT_GE(timeline.start[moved.send.index()], timeline.end[late.index()]);
  EXPECT_EQ(timeline.start[moved.send.index()], timeline.start[moved.recv.index()]);
  EXPECT_EQ(timeline.end[moved.send.index()], timeline.end[moved.recv.index()]);
}

// The recvs stand in the program before their sends, and all sends before all recvs elsewhere.
TEST_P(Conformance, MessagesOfAChannelMatchByOrder) {
  ProgramSketch sketch(2);
  const auto recv_a = sketch.recv({0, 1}, 100);
  const auto recv_b = sketch.recv({0, 1}, 300);
  const auto send_a = sketch.send({0, 1}, 100);
  const auto send_b = sketch.send({0, 1}, 300);
  const auto send_c = sketch.send({0, 1}, 200);
  const auto recv_c = sketch.recv({0, 1}, 200);
  const Program program = std::move(sketch).build();
  const Timeline timeline = run(program, ported_cluster(2, Seconds{0}, {100.0 / unit()}));
  EXPECT_EQ(timeline.end[send_a.index()], timeline.end[recv_a.index()]);
  EXPECT_EQ(timeline.end[send_b.index()], timeline.end[recv_b.index()]);
  EXPECT_EQ(timeline.end[send_c.index()], timeline.end[recv_c.index()]);
  EXPECT_GE(timeline.start[send_c.index()], timeline.end[send_b.index()]);
  EXPECT_GE(timeline.start[send_b.index()], timeline.end[send_a.index()]);
}

TEST_P(Conformance, OppositeDirectionsAreDifferentChannels) {
  ProgramSketch sketch(2);
  const auto there = sketch.send({0, 1}, 8);
  const auto back = sketch.send({1, 0}, 8);
  const auto arrived_back = sketch.recv({1, 0}, 8);
  const auto arrived_there = sketch.recv({0, 1}, 8);
  const Timeline timeline = run(std::move(sketch).build());
  EXPECT_EQ(timeline.end[there.index()], timeline.end[arrived_there.index()]);
  EXPECT_EQ(timeline.end[back.index()], timeline.end[arrived_back.index()]);
}

TEST_P(Conformance, AnAllReduceStartsAtTheLastArrivalAndEndsForAll) {
  ProgramSketch sketch(3);
  std::vector<Waits> before;
  for (int device = 0; device < 3; ++device)
    before.push_back({sketch.compute(device, (1 + 2 * (device % 2)) * unit())});
  const auto members = sketch.all_reduce({0, 1, 2}, 96, before);
  const auto after = sketch.compute(0, unit(), {members[0]});
  const Timeline timeline = run(std::move(sketch).build());
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(timeline.ready[members[i].index()], timeline.end[before[i].front().index()]);
    EXPECT_GE(timeline.start[members[i].index()], timeline.end[before[1].front().index()]);
    EXPECT_EQ(timeline.end[members[i].index()], timeline.end[members[0].index()]);
  }
  EXPECT_GE(timeline.start[after.index()], timeline.end[members[0].index()]);
}

TEST_P(Conformance, CollectivesOfAGroupMatchByOrder) {
  ProgramSketch sketch(2);
  const std::vector<int> pair{0, 1};
  const auto a0 = sketch.arrive(pair, 0, 8);
  const auto b0 = sketch.arrive(pair, 0, 16);
  const auto a1 = sketch.arrive(pair, 1, 8);
  const auto b1 = sketch.arrive(pair, 1, 16);
  const Timeline timeline = run(std::move(sketch).build());
  EXPECT_EQ(timeline.end[a0.index()], timeline.end[a1.index()]);
  EXPECT_EQ(timeline.end[b0.index()], timeline.end[b1.index()]);
  EXPECT_GE(timeline.start[b0.index()], timeline.end[a1.index()]);
}

TEST_P(Conformance, AGroupOfOneReducesAtOnce) {
  ProgramSketch sketch(1);
  const auto alone = sketch.all_reduce({0}, 1000);
  const auto after = sketch.compute(0, unit(), {alone[0]});
  const Timeline timeline = run(std::move(sketch).build());
  EXPECT_GE(timeline.start[after.index()], timeline.end[alone[0].index()]);
}

TEST_P(Conformance, RandomProgramsKeepEveryRule) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const auto lanes = seed % 3 == 0 ? SketchLanes::Single : SketchLanes::Separate;
    const Program program = random_program({.seed = seed,
                                            .devices = 2 + static_cast<int>(seed % 5),
                                            .lanes = lanes,
                                            .longest_compute = 1e-3 * unit()});
    run(program, ported_cluster(6, Seconds{1e-6 * unit()}, {1e9 / unit()}));
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

// Each device receives first, and its send waits for that: a cycle through both devices.
TEST_P(Conformance, ACycleIsReportedWithBothItsSides) {
  ProgramSketch sketch(2);
  sketch.compute(0, unit());
  const auto recv0 = sketch.recv({1, 0}, 8);
  const auto send0 = sketch.send({0, 1}, 8, {recv0});
  const auto recv1 = sketch.recv({0, 1}, 8);
  const auto send1 = sketch.send({1, 0}, 8, {recv1});
  const Stuck stuck = run_stuck(std::move(sketch).build());
  EXPECT_EQ(stuck.completed, 1U);
  EXPECT_EQ(stuck.total, 5U);
  ASSERT_EQ(stuck.blocked.size(), 4U);
  EXPECT_EQ(stuck.blocked[0].instruction, recv0);
  EXPECT_EQ(stuck.blocked[0].waits_for, Waits{send1});
  EXPECT_EQ(stuck.blocked[1].instruction, send0);
  EXPECT_EQ(stuck.blocked[1].waits_for, Waits{recv0});
  EXPECT_EQ(stuck.blocked[2].instruction, recv1);
  EXPECT_EQ(stuck.blocked[2].waits_for, Waits{send0});
}

TEST_P(Conformance, AHalfWithoutCounterpartIsReported) {
  ProgramSketch sketch(2);
  const auto lonely = sketch.send({0, 1}, 8);
  const auto behind = sketch.compute(0, unit(), {lonely});
  const Stuck stuck = run_stuck(std::move(sketch).build());
  ASSERT_EQ(stuck.blocked.size(), 2U);
  EXPECT_EQ(stuck.blocked[0].instruction, lonely);
  EXPECT_TRUE(stuck.blocked[0].waits_for.empty());
  EXPECT_EQ(stuck.blocked[1].instruction, behind);
  EXPECT_EQ(stuck.blocked[1].waits_for, Waits{lonely});
}

TEST_P(Conformance, AnAllReduceNamesTheMembersItMisses) {
  ProgramSketch sketch(3);
  const auto never = sketch.recv({0, 2}, 8);
  const auto members = sketch.all_reduce({0, 1, 2}, 8, {{}, {}, {never}});
  const Stuck stuck = run_stuck(std::move(sketch).build());
  EXPECT_EQ(stuck.completed, 0U);
  for (const Stuck::Blocked& blocked : stuck.blocked) {
    if (blocked.instruction == members[0] || blocked.instruction == members[1]) {
      EXPECT_EQ(blocked.waits_for, Waits{members[2]});
    }
    if (blocked.instruction == members[2]) {
      EXPECT_EQ(blocked.waits_for, Waits{never});
    }
  }
}

}  // namespace pipegraph::test
