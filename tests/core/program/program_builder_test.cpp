#include <gtest/gtest.h>

#include "core/base/errors.h"
#include "core/program/program.h"

namespace pipegraph {
namespace {

Instruction compute_on(ProgramBuilder& builder, DeviceId device) {
  Instruction i;
  i.device = device;
  i.stage = StageId{0};
  i.samples = {0, 1};
  i.lane = builder.lane({device, LaneKind::Compute, {}, {}});
  return i;
}

TEST(ProgramBuilder, InternsLanesGroupsAndPayloads) {
  ProgramBuilder builder(2, {"s"});
  const Lane to{DeviceId{0}, LaneKind::Send, DeviceId{1}, {}};
  const Lane from{DeviceId{0}, LaneKind::Recv, DeviceId{1}, {}};
  EXPECT_EQ(builder.lane(to), builder.lane(to));
  EXPECT_NE(builder.lane(to), builder.lane(from));
  EXPECT_EQ(builder.group({{DeviceId{0}, DeviceId{1}}}),
            builder.group({{DeviceId{0}, DeviceId{1}}}));
  EXPECT_NE(builder.group({{DeviceId{0}, DeviceId{1}}}),
            builder.group({{DeviceId{1}, DeviceId{0}}}));
  const Payload payload{{OperatorId{3}, {0, 2}}};
  EXPECT_EQ(builder.payload(payload), builder.payload(payload));
  EXPECT_NE(builder.payload(payload), builder.payload({{OperatorId{3}, {0, 1}}}));
}

TEST(ProgramBuilder, SortsAndDeduplicatesWaits) {
  ProgramBuilder builder(1, {"s"});
  const Instruction i = compute_on(builder, DeviceId{0});
  const InstructionId a = builder.add(i, {});
  const InstructionId b = builder.add(i, {});
  const InstructionId c = builder.add(i, std::vector{b, a, b});
  const Program program = std::move(builder).build();
  const auto waits = program.waits_on(c);
  EXPECT_EQ(std::vector(waits.begin(), waits.end()), (std::vector{a, b}));
}

TEST(ProgramBuilder, MergesWaitsThatAreKnownLater) {
  ProgramBuilder builder(1, {"s"});
  const Instruction i = compute_on(builder, DeviceId{0});
  const InstructionId a = builder.add(i, {});
  const InstructionId b = builder.add(i, std::vector{a});
  builder.add_wait(b, InstructionId{3});
  builder.add_wait(b, a);
  const InstructionId c = builder.add(i, std::vector{b});
  const InstructionId d = builder.add(i, {});
  const Program program = std::move(builder).build();
  const auto waits = program.waits_on(b);
  EXPECT_EQ(std::vector(waits.begin(), waits.end()), (std::vector{a, d}));
  EXPECT_EQ(program.waits_on(c)[0], b);
}

TEST(ProgramBuilder, NumbersLanesByFirstUseAndDropsUnusedOnes) {
  ProgramBuilder builder(3, {"s"});
  builder.lane({DeviceId{2}, LaneKind::Compute, {}, {}});
  const Instruction on_one = compute_on(builder, DeviceId{1});
  const Instruction on_zero = compute_on(builder, DeviceId{0});
  builder.add(on_zero, {});
  builder.add(on_one, {});
  const Program program = std::move(builder).build();
  ASSERT_EQ(program.lanes().size(), 2u);
  EXPECT_EQ(program.lanes()[0].device, DeviceId{0});
  EXPECT_EQ(program.at(InstructionId{0}).lane, LaneId{0});
  EXPECT_EQ(program.at(InstructionId{1}).lane, LaneId{1});
}

TEST(ProgramBuilder, RefusesIdsOutsideTheTables) {
  ProgramBuilder builder(1, {"s"});
  Instruction i = compute_on(builder, DeviceId{0});
  builder.add(i, std::vector{InstructionId{7}});
  EXPECT_THROW(std::move(builder).build(), InternalError);

  ProgramBuilder other(1, {"s"});
  i = compute_on(other, DeviceId{0});
  i.stage = StageId{1};
  other.add(i, {});
  EXPECT_THROW(std::move(other).build(), InternalError);
}

}  // namespace
}  // namespace pipegraph
