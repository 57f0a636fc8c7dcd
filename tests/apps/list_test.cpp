// `pipegraph list`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/apps/workbench.h"

namespace pipegraph {
namespace {

using test::run;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(List, NamesWhatThereIs) {
  EXPECT_THAT(run({"list", "planners"}).out, HasSubstr("balanced"));
  EXPECT_THAT(run({"list", "models"}).out, HasSubstr("multimodal_transformer"));
  EXPECT_THAT(run({"list", "topologies"}).out, HasSubstr("topologies/summit.yaml"));
  for (const char* schedule : {"1f1b", "gpipe", "kfkb", "zb1p", "interleaved_1f1b"})
    EXPECT_THAT(run({"list", "schedules"}).out, HasSubstr(schedule));
  EXPECT_THAT(run({"list", "collectives"}).out, HasSubstr("ring"));
}

TEST(List, SpeaksJsonAndCsv) {
  const auto json = nlohmann::json::parse(run({"list", "schedules", "--format", "json"}).out);
  EXPECT_TRUE(std::any_of(json.begin(), json.end(),
                          [](const auto& entry) { return entry.at("name") == "1f1b"; }));
  EXPECT_THAT(run({"list", "schedules", "--format", "csv"}).out, StartsWith("name,description\n"));
}

TEST(List, RefusesOtherThings) {
  const test::Ran ran = run({"list", "planer"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, StartsWith("pipegraph: WHAT: unknown value 'planer'; expected 'planners'"));
}

}  // namespace
}  // namespace pipegraph
