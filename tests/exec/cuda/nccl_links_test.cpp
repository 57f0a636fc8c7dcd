// Which communicators a program gets.
#include "exec/cuda/nccl_links.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/errors.h"
#include "tests/support/program_sketch.h"

namespace pipegraph::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// d0 > d1 and back, d1 > d2; d0, d1 and d2 add up.
Program three_devices() {
  ProgramSketch sketch(3);
  sketch.transfer({0, 1}, 8);
  sketch.transfer({1, 0}, 8);
  sketch.transfer({1, 2}, 8);
  sketch.all_reduce({0, 1, 2}, 8);
  return std::move(sketch).build();
}

/// By device, all of one rank.
std::vector<DevicePlace> on(const std::vector<std::string>& gpus) {
  std::vector<DevicePlace> places;
  for (const std::string& gpu : gpus) places.push_back({0, gpu});
  return places;
}

std::vector<std::string> names(const NcclLinks& links) {
  std::vector<std::string> names;
  for (const NcclLink& link : links.list()) names.push_back(link.name);
  return names;
}

std::string refusal(const NcclLinks::Asked& asked) {
  const Program program = three_devices();
  try {
    const NcclLinks links(program, Channels(program), asked);
  } catch (const MachineError& error) {
    return error.what();
  }
  return "";
}

TEST(NcclLinks, AreOneForEachDirectionOfAPairAndOneForEachGroup) {
  const Program program = three_devices();
  const Channels channels(program);
  const NcclLinks links(program, channels, {on({"a", "b", "c"})});
  EXPECT_THAT(names(links), ElementsAre("d0>d1", "group 0", "d1>d0", "d1>d2"));
  const auto pair = links.of(channels.find({DeviceId{1}, DeviceId{0}, {}}));
  ASSERT_TRUE(pair.has_value());
  EXPECT_THAT(links.list()[*pair].members, ElementsAre(DeviceId{1}, DeviceId{0}));
  EXPECT_EQ(links.of(channels.find({DeviceId{2}, DeviceId{0}, GroupId{0}})), links.of(GroupId{0}));
}

TEST(NcclLinks, OfDevicesOnOneGpuAreMissing) {
  const Program program = three_devices();
  const Channels channels(program);
  const NcclLinks links(program, channels, {on({"a", "a", "b"})});
  // The group cannot have one; those of its pairs that are on two GPUs do.
  EXPECT_THAT(names(links), ElementsAre("group 0 d0>d2", "d1>d2", "group 0 d1>d2", "group 0 d2>d0",
                                        "group 0 d2>d1"));
  EXPECT_FALSE(links.of(channels.find({DeviceId{0}, DeviceId{1}, {}})).has_value());
  EXPECT_FALSE(links.of(GroupId{0}).has_value());
}

TEST(NcclLinks, CanBeASingleOne) {
  const Program program = three_devices();
  const Channels channels(program);
  const NcclLinks links(program, channels, {on({"a", "b", "c"}), NcclCommunicators::One});
  EXPECT_THAT(names(links), ElementsAre("all devices"));
  EXPECT_EQ(links.of(channels.find({DeviceId{1}, DeviceId{2}, {}})), 0U);
  EXPECT_FALSE(links.of(GroupId{0}).has_value());  // its members would have to be all devices
  EXPECT_THAT(refusal({on({"a", "b", "a"}), NcclCommunicators::One}),
              HasSubstr("one communicator needs a GPU for each device, but d0 and d2 share GPU a"));
}

TEST(NcclLinks, RefuseTwoRanksOnOneGpu) {
  EXPECT_THAT(refusal({{{0, "a"}, {0, "b"}, {1, "a"}}}),
              HasSubstr("device d0 of rank 0 and device d2 of rank 1 share GPU a, which NCCL "
                        "refuses: start at most one rank for each GPU"));
}

}  // namespace
}  // namespace pipegraph::test
