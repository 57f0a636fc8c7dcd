#include "core/planners/options.h"

#include <gmock/gmock.h>

namespace pipegraph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

PlannerOptions read(const std::string& text, std::string_view planner = "balanced") {
  MapReader map(YamlValue::parse(text, "f"), "a plan");
  map.required("planner");
  const PlannerOptions options = read_planner(map, *find_planner(planner)).options;
  map.finish();
  return options;
}

std::string error_of(const std::string& text, std::string_view planner = "balanced") {
  try {
    read(text, planner);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(PlannerOptions, HaveDefaults) {
  const PlannerOptions options = read("{planner: balanced}");
  EXPECT_EQ(options.name, "balanced");
  EXPECT_EQ(options.kind, PlanKind::Sequential);
  EXPECT_EQ(options.schedule, "1f1b");
  EXPECT_TRUE(options.micro_batches.empty());
  EXPECT_EQ(options.device_use, DeviceUse::AtMost);
  EXPECT_EQ(options.choose, Choose::IterationTime);
}

TEST(PlannerOptions, AreReadByKey) {
  const PlannerOptions options = read(
      "{planner: balanced, name: mine, kind: graph, schedule: gpipe, extra_in_flight: 3, "
      "skip_transfer: relay, receive_slots: 2, micro_batch: [4, 8], device_use: exactly, choose: "
      "objective}");
  EXPECT_EQ(options.name, "mine");
  EXPECT_EQ(options.kind, PlanKind::Graph);
  EXPECT_EQ(options.schedule, "gpipe");
  EXPECT_EQ(options.extra_in_flight, 3);
  EXPECT_EQ(options.skip_transfer, SkipTransfer::Relay);
  EXPECT_EQ(options.receive_slots, 2);
  EXPECT_THAT(options.micro_batches, ElementsAre(4, 8));
  EXPECT_EQ(options.device_use, DeviceUse::Exactly);
  EXPECT_EQ(options.choose, Choose::Objective);
}

TEST(PlannerOptions, AcceptASingleMicroBatch) {
  EXPECT_THAT(read("{planner: balanced, micro_batch: 4}").micro_batches, ElementsAre(4));
}

TEST(PlannerOptions, SayWhatIsWrongAndWhere) {
  EXPECT_EQ(error_of("{planner: piper, time_limit: 0 s}", "piper"),
            "f:1:30: time_limit: no plan is found in no time; expected e.g. 10 s");
  EXPECT_THAT(error_of("{planner: balanced, micro_batch: []}"), HasSubstr("no micro-batch size"));
  EXPECT_THAT(error_of("{planner: balanced, micro_batch: [4, 0]}"), HasSubstr("micro_batch[1]"));
  EXPECT_THAT(error_of("{planner: balanced, kind: grahp}"), HasSubstr("'graph'"));
  EXPECT_THAT(error_of("{planner: balanced, schedule: gpip}"), HasSubstr("'gpipe'"));
  EXPECT_THAT(error_of("{planner: balanced, receive_slots: 0}"), HasSubstr("receive_slots"));
  EXPECT_THAT(error_of("{planner: balanced, micro_batches: 4}"), HasSubstr("'micro_batch'"));
}

TEST(PlannerTable, FindsPlannersByName) {
  for (const PlannerEntry& entry : planner_table()) EXPECT_EQ(find_planner(entry.name), &entry);
  EXPECT_EQ(find_planner("uniformly"), nullptr);
}

}  // namespace
}  // namespace pipegraph
