// Transfers and all-reduces of a device, one after another in the program's order.
#include "exec/issue_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/program_sketch.h"

namespace pipegraph::test {
namespace {

/// d0 computes, sends, adds up with d1, sends again.
struct Turns {
  ProgramSketch sketch{2};
  InstructionId made = sketch.compute(0, 1);
  SketchedTransfer first = sketch.transfer({0, 1}, 8);
  std::vector<InstructionId> sum = sketch.all_reduce({0, 1}, 8);
  SketchedTransfer second = sketch.transfer({0, 1}, 8);
  Program program = std::move(sketch).build();
  IssueOrder order{program, DeviceId{0}, [](InstructionKind kind) { return !is_compute(kind); }};
};

TEST(IssueOrder, LetsALaterOneWaitForThoseBeforeIt) {
  Turns turns;
  turns.order.ready(turns.second.send);
  turns.order.ready(turns.sum[0]);
  EXPECT_EQ(turns.order.next(), std::nullopt);
  turns.order.ready(turns.first.send);
  EXPECT_EQ(turns.order.next(), turns.first.send);
  EXPECT_EQ(turns.order.next(), std::nullopt);  // one at a time
  turns.order.completed(turns.first.send);
  EXPECT_EQ(turns.order.next(), turns.sum[0]);
  turns.order.completed(turns.sum[0]);
  EXPECT_EQ(turns.order.next(), turns.second.send);
}

TEST(IssueOrder, IgnoresComputesAndBeginsAgainWithEachStep) {
  Turns turns;
  for (int step = 0; step < 2; ++step)
    for (const InstructionId id : {turns.first.send, turns.sum[0], turns.second.send}) {
      turns.order.ready(id);
      EXPECT_EQ(turns.order.next(), id);
      turns.order.completed(turns.made);
      EXPECT_EQ(turns.order.next(), std::nullopt);
      turns.order.completed(id);
    }
}

}  // namespace
}  // namespace pipegraph::test
