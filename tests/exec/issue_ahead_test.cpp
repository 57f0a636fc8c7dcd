// Computes are handed to an engine that keeps their order before the host has seen the end of those
// before them, but of nothing else.
#include "exec/issue_ahead.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "tests/support/emulated_run.h"
#include "tests/support/program_sketch.h"
#include "tests/support/random_programs.h"
#include "tests/support/tiny_clusters.h"

namespace pipegraph::test {
namespace {

constexpr InstructionId k_none{};

TEST(IssueAhead, HandsOverWhatWaitsForComputesOnlyUpToItsBound) {
  ProgramSketch sketch(1);
  const auto a = sketch.compute(0, 1);
  const auto b = sketch.compute(0, 1, {a});
  const auto c = sketch.compute(0, 1, {b});
  const Program program = std::move(sketch).build();
  IssueAhead ahead(program, DeviceId{0}, 2);
  EXPECT_EQ(ahead.next(), a);
  ahead.started(a);
  EXPECT_EQ(ahead.next(), b);
  ahead.started(b);
  EXPECT_EQ(ahead.next(), k_none);
  ahead.completed(a);
  EXPECT_EQ(ahead.next(), c);
  EXPECT_FALSE(ahead.has_started(c));
  EXPECT_TRUE(ahead.has_started(b));
}

TEST(IssueAhead, WaitsForTheEndOfMessages) {
  ProgramSketch sketch(2);
  const auto free = sketch.compute(1, 1);
  const auto moved = sketch.transfer({0, 1}, 8);
  const auto used = sketch.compute(1, 1, {free, moved.recv});
  const auto behind = sketch.compute(1, 1);
  const Program program = std::move(sketch).build();
  IssueAhead ahead(program, DeviceId{1}, 4);
  ahead.started(free);
  EXPECT_EQ(ahead.next(), k_none);
  ahead.completed(moved.recv);
  EXPECT_EQ(ahead.next(), used);
  ahead.started(used);
  EXPECT_EQ(ahead.next(), behind);
}

TEST(IssueAhead, KeepsTheOrderOfASharedLane) {
  ProgramSketch sketch(2, SketchLanes::Single);
  const auto first = sketch.compute(1, 1);
  const auto moved = sketch.transfer({1, 0}, 8);
  const auto second = sketch.compute(1, 1);
  const Program program = std::move(sketch).build();
  IssueAhead ahead(program, DeviceId{1}, 4);
  ahead.started(first);
  EXPECT_EQ(ahead.next(), k_none);
  ahead.completed(moved.send);
  EXPECT_EQ(ahead.next(), second);
}

TEST(IssueAhead, BeginsEveryStepAfresh) {
  ProgramSketch sketch(1);
  const auto reduced = sketch.all_reduce({0}, 8);
  const auto after = sketch.compute(0, 1, {reduced[0]});
  const Program program = std::move(sketch).build();
  IssueAhead ahead(program, DeviceId{0}, 2);
  ahead.completed(reduced[0]);
  ahead.started(after);
  ahead.begin_step();
  EXPECT_FALSE(ahead.has_started(after));
  EXPECT_EQ(ahead.next(), k_none);
}

/// Computes in the order given, but completes nothing until it holds `together` computes or all
/// that are left: who issues one at a time never sees an end.
class HoardingEngine final : public Engine {
 public:
  HoardingEngine(Clock& clock, std::size_t computes, std::size_t together)
      : clock_(clock), left_(computes), together_(together) {}

  std::size_t most_under_way() const override { return together_; }
  void start(InstructionId compute) override {
    taken_.push_back({compute, clock_.ready(compute), Seconds{0}});
  }
  std::span<const Completion> poll() override {
    completed_.clear();
    if (taken_.size() < std::min(together_, left_)) return {};
    for (Completion& done : taken_) done.end = clock_.end(done.instruction, done.start);
    completed_.assign(taken_.begin(), taken_.end());
    left_ -= taken_.size();
    taken_.clear();
    return completed_;
  }
  std::span<const Piece> pieces(InstructionId /*half*/) override { return {}; }
  GradientSum reduced(InstructionId /*all_reduce*/) override { return {}; }
  void add(Piece /*destination*/, Piece /*source*/) override {}
  void copy(Piece /*destination*/, Piece /*source*/) override {}
  Piece allocate(Bytes /*bytes*/) override { return {}; }

 private:
  Clock& clock_;
  std::size_t left_, together_;
  std::deque<Completion> taken_;
  std::vector<Completion> completed_;
};

TEST(IssueAhead, LetsTheExecutorGiveAnEngineComputesThatWaitForEachOther) {
  ProgramSketch sketch(2);
  std::vector<InstructionId> chain;
  for (int i = 0; i < 7; ++i)
    chain.push_back(sketch.compute(0, 1, chain.empty() ? Waits{} : Waits{chain.back()}));
  const auto moved = sketch.transfer({0, 1}, 8, {chain.back()});
  sketch.compute(1, 1, {moved.recv});
  const Program program = std::move(sketch).build();
  const EngineFactory engines = [](DeviceId device, Clock& clock) {
    return std::make_unique<HoardingEngine>(clock, device == DeviceId{0} ? 7 : 1, 3);
  };
  const Topology cluster = ideal_cluster(2);
  EmulatedRun run(
      program, cluster,
      {.execution = {.deadline = Seconds{5}, .pinning = Pinning::Never}, .engines = engines});
  EXPECT_EQ(run.failure(), "");
}

}  // namespace
}  // namespace pipegraph::test
