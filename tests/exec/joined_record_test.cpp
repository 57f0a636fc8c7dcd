#include "exec/joined_record.h"

#include <gtest/gtest.h>

#include "tests/support/program_sketch.h"

namespace pipegraph::test {
namespace {

// The sender sees its transfer from 1 s to 5 s, the receiver from 2 s to 4 s.
TEST(JoinedRecord, ATransferStartsAtTheLaterStartAndEndsAtTheEarlierEnd) {
  ProgramSketch sketch(2);
  const auto moved = sketch.transfer({0, 1}, 8);
  const Program program = std::move(sketch).build();
  RunRecord record(program.size());
  record.start = {Seconds{1}, Seconds{2}};
  record.end = {Seconds{5}, Seconds{4}};
  join_counterparts(program, Counterparts(program), record);
  for (InstructionId half : {moved.send, moved.recv}) {
    EXPECT_EQ(record.start[half.index()], Seconds{2});
    EXPECT_EQ(record.end[half.index()], Seconds{4});
  }
}

TEST(JoinedRecord, MembersOfAnAllReduceAreJoinedAndComputesLeftAlone) {
  ProgramSketch sketch(3);
  const auto compute = sketch.compute(0, 1);
  const auto members = sketch.all_reduce({0, 1, 2}, 8);
  const Program program = std::move(sketch).build();
  RunRecord record(program.size());
  record.start = {Seconds{0}, Seconds{1}, Seconds{3}, Seconds{2}};
  record.end = {Seconds{1}, Seconds{6}, Seconds{5}, Seconds{7}};
  join_counterparts(program, Counterparts(program), record);
  EXPECT_EQ(record.end[compute.index()], Seconds{1});
  for (InstructionId member : members) {
    EXPECT_EQ(record.start[member.index()], Seconds{3});
    EXPECT_EQ(record.end[member.index()], Seconds{5});
  }
}

}  // namespace
}  // namespace pipegraph::test
