// What a simulation that goes wrong looks like from outside: always one of our errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>

#include "core/base/errors.h"
#include "sim/child_process.h"
#include "sim/simulate.h"
#include "tests/support/program_sketch.h"
#include "tests/support/tiny_clusters.h"

namespace pipegraph {
namespace {

using testing::HasSubstr;

TEST(ChildProcess, TellsExitCodeAndOutput) {
  const ChildEnd end = run_in_child([] {
    std::puts("from the child");
    return 7;
  });
  EXPECT_TRUE(end.exited);
  EXPECT_EQ(end.code, 7);
  EXPECT_EQ(end.output, "from the child\n");
  EXPECT_GT(end.peak_memory.count, 0U);
}

TEST(ChildProcess, TellsSignals) {
  const ChildEnd end = run_in_child([]() -> int { std::abort(); });
  EXPECT_FALSE(end.exited);
  EXPECT_EQ(end.code, SIGABRT);
}

TEST(ChildProcess, WhatWasBufferedIsWrittenOnce) {
  testing::internal::CaptureStdout();
  std::fputs("once;", stdout);
  run_in_child([] { return 0; });
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "once;");
}

/// A topology that does something when a route is asked for, which the simulation does first.
Topology trap(std::function<void()> action) {
  class TrapRouter : public Router {
   public:
    explicit TrapRouter(std::function<void()> action) : action_(std::move(action)) {}
    std::vector<LinkId> links(DeviceId, DeviceId) const override {
      action_();
      return {LinkId{0}};
    }

   private:
    std::function<void()> action_;
  };
  return Topology("trap", std::vector<Device>(2), {{"link", {1e9}, Seconds{0}}},
                  std::make_shared<TrapRouter>(std::move(action)));
}

template <class Error>
std::string failure(std::function<void()> action) {
  test::ProgramSketch sketch(2);
  sketch.transfer({0, 1}, 8);
  const Program program = std::move(sketch).build();
  const Topology topology = trap(std::move(action));
  try {
    simulate(program, topology);
  } catch (const Error& error) {
    return error.what();
  }
  return "no such error";
}

TEST(Failure, AnExceptionComesBackWithItsText) {
  EXPECT_THAT(failure<InternalError>([] { throw InternalError("a broken invariant"); }),
              HasSubstr("a broken invariant"));
}

TEST(Failure, RunningOutOfMemoryIsAFaultOfTheMachine) {
  EXPECT_THAT(failure<MachineError>([] { throw std::bad_alloc(); }), HasSubstr("out of memory"));
}

TEST(Failure, AnAbortComesBackWithWhatWasPrinted) {
  const std::string what = failure<InternalError>([] {
    std::fputs("xbt: assertion failed\n", stderr);
    std::abort();
  });
  EXPECT_THAT(what, HasSubstr("signal 6"));
  EXPECT_THAT(what, HasSubstr("xbt: assertion failed"));
}

TEST(Failure, AKilledChildIsAFaultOfTheMachine) {
  EXPECT_THAT(failure<MachineError>([] { std::raise(SIGKILL); }), HasSubstr("memory ran out"));
}

TEST(Failure, AnEarlyExitIsNoticed) {
  EXPECT_THAT(failure<InternalError>([] { _Exit(0); }), HasSubstr("ended early"));
}

TEST(Failure, AnUnknownCollectiveIsBadInput) {
  const Program program = test::ProgramSketch(1).build();
  EXPECT_THROW(simulate(program, test::ideal_cluster(1), {.collectives = {"rign"}}), ConfigError);
}

TEST(Failure, AProgramOfMoreDevicesThanTheTopologyIsRefused) {
  const Program program = test::ProgramSketch(3).build();
  EXPECT_THROW(simulate(program, test::ideal_cluster(2)), InternalError);
}

}  // namespace
}  // namespace pipegraph
