// Whatever goes wrong on one device ends all of them, with a message that names rank, device and
// instruction, and what everyone was doing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "core/base/errors.h"
#include "core/program/validate.h"
#include "tests/support/data_engine.h"
#include "tests/support/emulated_run.h"
#include "tests/support/program_sketch.h"
#include "tests/support/random_programs.h"
#include "tests/support/tiny_clusters.h"

namespace pipegraph::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// d0 computes and sends to d1, which computes; d2 waits for d1.
struct Relay {
  Program program;
  InstructionId made, used;
  SketchedTransfer first, second;
};

Relay relay() {
  ProgramSketch sketch(3);
  const auto made = sketch.compute(0, 1);
  const auto first = sketch.transfer({0, 1}, 8, {made});
  const auto used = sketch.compute(1, 1, {first.recv});
  const auto second = sketch.transfer({1, 2}, 16, {used});
  return {std::move(sketch).build(), made, used, first, second};
}

std::map<DeviceId, DeviceData> no_data(const Program& program) {
  std::map<DeviceId, DeviceData> data;
  for (std::size_t d = 0; d < program.device_count(); ++d) data[make_id<DeviceId>(d)];
  return data;
}

std::string failure_of(const Program& program, const EmulatedRun::Settings& settings) {
  const Topology topology = ideal_cluster(static_cast<int>(program.device_count()));
  return EmulatedRun(program, topology, settings).failure();
}

TEST(ExecutorFailure, AnExceptionInAComputeNamesDeviceAndInstructionAndEndsTheOthers) {
  const Relay relay = test::relay();
  const Topology topology = ideal_cluster(3);
  auto data = no_data(relay.program);
  EmulatedRun run(relay.program, topology, {.engines = data_engines(data)});
  data[DeviceId{1}].compute = [&](InstructionId) {
    while (run.state().progress.total() < 3) std::this_thread::yield();  // d0 knows of its send
    throw MachineError("the kernel failed");
  };
  EXPECT_EQ(run.failure(),
            "rank 0, device d1, instruction #3 F0[0,1): the kernel failed\n"
            "3 of 6 instructions have completed\n"
            "  d0    done\n"
            "  d1    #3 F0[0,1) computes\n"
            "  d2    #5 recv F0[0,1)<d1 waits for #4 send F0[0,1)>d2 on d1\n");
}

TEST(ExecutorFailure, AnythingThrownIsReported) {
  const Relay relay = test::relay();
  auto data = no_data(relay.program);
  data[DeviceId{0}].compute = [](InstructionId) { throw 7; };
  EXPECT_THAT(failure_of(relay.program, {.engines = data_engines(data)}),
              HasSubstr("d0, instruction #0 F0[0,1): an exception of unknown type"));
}

TEST(ExecutorFailure, AWrongSizeNamesBothEnds) {
  const Relay relay = test::relay();
  const Misbehaviour misbehaviour{.wrong_size = relay.second.send};
  EXPECT_THAT(
      failure_of(relay.program, {.wrap = misbehaving(relay.program, misbehaviour)}),
      StartsWith("rank 0, device d2, instruction #5 recv F0[0,1)<d1: a message has the wrong size: "
                 "#4 send F0[0,1)>d2 on d1 sends 17 bytes in elements of 4, "
                 "#5 recv F0[0,1)<d1 on d2 expects 16 bytes in elements of 4\n"));
}

TEST(ExecutorFailure, ALostMessageIsNoticedAtOnceAndIsNoDeadlock) {
  const Relay relay = test::relay();
  for (InstructionId lost : {relay.first.send, relay.first.recv}) {
    const std::string text =
        failure_of(relay.program, {.wrap = misbehaving(relay.program, {.dropped = lost})});
    EXPECT_THAT(text, HasSubstr("all devices wait for each other, and no message is on its way"));
    EXPECT_THAT(text, HasSubstr("1 of 6 instructions have completed"));
    EXPECT_THAT(text, Not(HasSubstr("deadlock")));
  }
}

TEST(ExecutorFailure, AStoppedDeviceIsNoticedWhenNothingMovesForTheDeadline) {
  const Relay relay = test::relay();
  EmulatedRun::Settings settings{.wrap = misbehaving(relay.program, {.killed = relay.first.recv})};
  settings.execution.deadline = Seconds{0.1};
  const std::string text = failure_of(relay.program, settings);
  EXPECT_THAT(text, HasSubstr("nothing has moved on any device for 0.1 s"));
  EXPECT_THAT(text, HasSubstr("  d1    #2 recv F0[0,1)<d0 waits for #1 send F0[0,1)>d1 on d0\n"));
}

// While d0 computes for longer than the deadline, the chain of computes on d1 moves on.
TEST(ExecutorFailure, ADeviceMayTakeLongerThanTheDeadlineWhileAnotherMoves) {
  ProgramSketch sketch(2);
  const auto slow = sketch.compute(0, 1);
  for (int i = 0; i < 25; ++i) sketch.compute(1, 1);
  const auto moved = sketch.transfer({0, 1}, 8, {slow});
  sketch.compute(1, 1, {moved.recv});
  const Program program = std::move(sketch).build();
  auto data = no_data(program);
  std::atomic<int> quick{0};
  data[DeviceId{0}].compute = [&](InstructionId) {
    while (quick < 25) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  data[DeviceId{1}].compute = [&](InstructionId) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ++quick;
  };
  EmulatedRun::Settings settings{.engines = data_engines(data)};
  settings.execution.deadline = Seconds{1.0};
  EXPECT_EQ(failure_of(program, settings), "");
}

TEST(ExecutorFailure, ADeviceThatNeverComesBackEndsTheProcess) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const Relay relay = test::relay();
  auto data = no_data(relay.program);
  data[DeviceId{1}].compute = [](InstructionId) {
    for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
  };
  EmulatedRun::Settings settings{.engines = data_engines(data)};
  settings.execution.deadline = Seconds{0.1};
  settings.execution.grace = Seconds{0.1};
  settings.execution.abandon = [](const std::string& text) {
    std::fputs(text.c_str(), stderr);
    std::_Exit(3);
  };
  EXPECT_EXIT(failure_of(relay.program, settings), testing::ExitedWithCode(3),
              "d1 .*#3 F0.*computes");
}

TEST(ExecutorFailure, ASingleDeviceThatNeverComesBackIsNoticedToo) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  ProgramSketch sketch(1);
  sketch.compute(0, 1);
  const Program program = std::move(sketch).build();
  auto data = no_data(program);
  data[DeviceId{0}].compute = [](InstructionId) {
    for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
  };
  EmulatedRun::Settings settings{.engines = data_engines(data)};
  settings.execution.deadline = Seconds{0.1};
  settings.execution.grace = Seconds{0.1};
  settings.execution.abandon = [](const std::string& text) {
    std::fputs(text.c_str(), stderr);
    std::_Exit(3);
  };
  EXPECT_EXIT(failure_of(program, settings), testing::ExitedWithCode(3), "nothing has moved");
}

TEST(ExecutorFailure, BadInputFoundByAnEngineStaysBadInput) {
  const Relay relay = test::relay();
  const Topology topology = ideal_cluster(3);
  EmulatedRun::Settings settings;
  settings.engines = [](DeviceId, Clock&) -> std::unique_ptr<Engine> {
    throw ConfigError({}, "no arithmetic", "a model with some");
  };
  EXPECT_THROW(EmulatedRun(relay.program, topology, settings), ConfigError);
}

TEST(ExecutorFailure, NothingRunsAfterwards) {
  const Relay relay = test::relay();
  const Topology topology = ideal_cluster(3);
  EmulatedRun run(relay.program, topology,
                  {.wrap = misbehaving(relay.program, {.dropped = relay.first.send})});
  EXPECT_NE(run.failure(), "");
  EXPECT_THROW(run.executor().run_step(Tracing::Off), MachineError);
}

/// Both devices send first and then receive, each on its own lane per direction or, `chained`, each
/// recv after its own send.
Program crossing(const char* waits) {
  ProgramSketch sketch(2);
  const bool chained = std::string(waits) == "chained";
  const auto there = sketch.send({0, 1}, 8);
  const auto back = sketch.send({1, 0}, 8);
  sketch.recv({1, 0}, 8, chained ? Waits{there} : Waits{});
  sketch.recv({0, 1}, 8, chained ? Waits{back} : Waits{});
  return std::move(sketch).build();
}

TEST(ExecutorDeadlock, ABufferedProgramNeedsEagerSends) {
  const Program program = crossing("chained");
  ASSERT_EQ(validate(program).verdict, Verdict::Buffered);
  EXPECT_THAT(failure_of(program, {}), HasSubstr("deadlock: #0 send F0[0,1)>d1 on d0 waits for "));
  EXPECT_THAT(failure_of(program, {.wrap = misbehaving(program, {.eager_below = Bytes{8}})}),
              HasSubstr("deadlock"));
  EXPECT_EQ(failure_of(program, {.wrap = misbehaving(program, {.eager_below = Bytes{9}})}), "");
}

TEST(ExecutorDeadlock, AProgramThatNeedsLanesStopsWithOne) {
  const Program program = crossing("freely");
  ASSERT_EQ(validate(program).verdict, Verdict::Lanes);
  EXPECT_EQ(failure_of(program, {}), "");
  EXPECT_THAT(failure_of(program, {.wrap = misbehaving(program, {.lanes = TransportLanes::One})}),
              HasSubstr("no message is on its way"));
}

TEST(ExecutorDeadlock, ReceivingBeforeSendingOnBothSidesIsADeadlockWhateverTheTransport) {
  ProgramSketch sketch(2);
  const auto recv0 = sketch.recv({1, 0}, 8);
  sketch.send({0, 1}, 8, {recv0});
  const auto recv1 = sketch.recv({0, 1}, 8);
  sketch.send({1, 0}, 8, {recv1});
  const Program program = std::move(sketch).build();
  ASSERT_EQ(validate(program).verdict, Verdict::Deadlock);
  for (std::uint64_t eager : {0U, 100U})
    EXPECT_THAT(failure_of(program, {.wrap = misbehaving(program, {.eager_below = Bytes{eager}})}),
                HasSubstr("deadlock: #0 recv F0[0,1)<d1 on d0 waits for #3 send F0[0,1)>d0 on d1 "
                          "waits for #2 recv F0[0,1)<d0 on d1 waits for #1 send F0[0,1)>d1 on d0 "
                          "waits for #0 recv F0[0,1)<d1 on d0\n"));
}

TEST(ExecutorDeadlock, StrictProgramsEndOnEveryTransportAtTheSameTimes) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    const int devices = 2 + static_cast<int>(seed % 4);
    const Program program = random_program({.seed = seed, .devices = devices, .events = 60});
    ASSERT_EQ(validate(program).verdict, Verdict::Strict);
    const Topology topology = ported_cluster(devices, Seconds{1e-6}, {1e9});
    const Timeline expected = EmulatedRun(program, topology, {}).timeline();
    for (const Misbehaviour& misbehaviour :
         {Misbehaviour{.lanes = TransportLanes::One},
          Misbehaviour{.longest_delay = Seconds{1e-4}, .seed = seed},
          Misbehaviour{.lanes = TransportLanes::One, .longest_delay = Seconds{1e-4}, .seed = seed}})
      EXPECT_EQ(
          EmulatedRun(program, topology, {.wrap = misbehaving(program, misbehaviour)}).timeline(),
          expected)
          << "seed " << seed;
    EXPECT_EQ(failure_of(program, {.wrap = misbehaving(program, {.eager_below = Bytes{500'000}})}),
              "")
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace pipegraph::test
