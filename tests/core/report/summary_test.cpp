#include "core/report/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "tests/core/report/small_runs.h"

namespace pipegraph {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

PlanResult simulated() {
  static const test::ChainRun chain({.stages = 2, .micro_batches = 2});
  PlanResult plan;
  plan.name = "by, hand";
  plan.planner = "manual";
  plan.shape =
      plan_shape(chain.run().stages, chain.run().schedule, *chain.run().workload.topology, 2);
  add_run(plan, RunReport(chain.run()));
  plan.backend = "analytic";
  plan.objective = Objective{"max_time_per_sample_s", std::numeric_limits<double>::infinity()};
  return plan;
}

PlanResult infeasible() {
  PlanResult plan;
  plan.name = "no";
  plan.planner = "piper";
  plan.status = PlanStatus::Infeasible;
  plan.reason = "too many downsets";
  return plan;
}

nlohmann::ordered_json parsed(const std::vector<PointResult>& points) {
  return nlohmann::ordered_json::parse(summary_json("study", points));
}

TEST(Summary, HasTheKeysOfTheFormatInOrder) {
  const auto json = parsed({{{}, {simulated()}}});
  EXPECT_EQ(json["format"], 1);
  EXPECT_EQ(json["scenario"], "study");
  EXPECT_EQ(json["points"][0]["point"], nlohmann::ordered_json::object());
  std::vector<std::string> keys;
  for (const auto& [key, value] : json["points"][0]["plans"][0].items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"name",
                                            "planner",
                                            "kind",
                                            "status",
                                            "reason",
                                            "fits",
                                            "iteration_time_s",
                                            "throughput_samples_per_s",
                                            "bubble_fraction",
                                            "bubble_overhead",
                                            "depth",
                                            "stages",
                                            "devices",
                                            "micro_batch_samples",
                                            "in_flight_samples",
                                            "peak_memory_bytes",
                                            "compute_s",
                                            "exposed_communication_s",
                                            "idle_s",
                                            "search_time_s",
                                            "search",
                                            "unused_devices",
                                            "transfer_time_s",
                                            "objective",
                                            "busiest_device_s_per_sample",
                                            "program_hash",
                                            "costs",
                                            "backend",
                                            "oversubscribed",
                                            "instructions",
                                            "simulation_time_s",
                                            "measured"}));
}

TEST(Summary, HoldsTheRunsFigures) {
  // P = 2, M = 2: makespan 3 x 2 + 3 = 9 s, compute 6 s a device.
  const auto plan = parsed({{{}, {simulated()}}})["points"][0]["plans"][0];
  EXPECT_EQ(plan["iteration_time_s"], 9.0);
  EXPECT_DOUBLE_EQ(plan["throughput_samples_per_s"], 2.0 / 9.0);
  EXPECT_DOUBLE_EQ(plan["bubble_fraction"], 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(plan["bubble_overhead"], 0.5);
  EXPECT_EQ(plan["compute_s"], (std::vector<double>{6.0, 6.0}));
  EXPECT_EQ(plan["in_flight_samples"], (std::vector<int>{2, 1}));
  EXPECT_EQ(plan["micro_batch_samples"], 1);
  EXPECT_EQ(plan["depth"], 2);
  EXPECT_EQ(plan["fits"], true);
  EXPECT_TRUE(plan["unused_devices"].empty());
  EXPECT_TRUE(plan["objective"]["value"].is_null());  // infinity
  EXPECT_TRUE(plan["search"].is_null());
}

TEST(Summary, APlanThatDidNotRunHasNulls) {
  const auto plan = parsed({{{}, {infeasible()}}})["points"][0]["plans"][0];
  EXPECT_EQ(plan["status"], "infeasible");
  EXPECT_EQ(plan["reason"], "too many downsets");
  for (const char* key : {"iteration_time_s", "peak_memory_bytes", "depth", "fits", "backend"})
    EXPECT_TRUE(plan[key].is_null()) << key;
}

TEST(Summary, PointsKeepTheirValuesTypes) {
  const auto json = parsed({{{{"cluster.nodes", std::int64_t{2}}, {"model.tied", true}}, {}}});
  EXPECT_EQ(json["points"][0]["point"].dump(), R"({"cluster.nodes":2,"model.tied":true})");
}

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> all{""};
  for (const char letter : text)
    letter == '\n' ? all.emplace_back() : (all.back() += letter, all.back());
  all.pop_back();
  return all;
}

TEST(Summary, TableHasARowPerPointAndPlanWithEqualColumns) {
  const auto rows =
      split_lines(results_csv({{{{"cluster.nodes", std::int64_t{1}}}, {simulated(), infeasible()}},
                               {{{"cluster.nodes", std::int64_t{2}}}, {infeasible()}}}));
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_THAT(rows[0], StartsWith("cluster.nodes,name,planner,kind,status,reason,fits,"
                                  "iteration_time_s,"));
  EXPECT_THAT(rows[0], HasSubstr(",max_peak_memory_bytes,max_compute_s,"));
  EXPECT_THAT(rows[0], HasSubstr(",search_lower_bound_s,"));
  EXPECT_THAT(rows[1], StartsWith("1,\"by, hand\",manual,graph,ok,,true,9.0,"));
  EXPECT_THAT(rows[3], StartsWith("2,no,piper,graph,infeasible,too many downsets,,,"));
  const auto commas = [](const std::string& row) { return std::ranges::count(row, ','); };
  EXPECT_EQ(commas(rows[0]), commas(rows[2]));
  EXPECT_EQ(commas(rows[0]) + 1, commas(rows[1]));  // the name's own
}

TEST(Summary, TableCountsUnusedDevices) {
  PlanResult plan = infeasible();
  plan.shape = PlanShape{.depth = 1, .stages = 1, .devices = 1};
  plan.shape->unused_devices = {DeviceId{4}, DeviceId{7}};
  const auto rows = split_lines(results_csv({{{}, {plan}}}));
  // Two of them; nothing stands between the last figures of a plan that did not run.
  EXPECT_THAT(rows[0], HasSubstr(",search_truncated,unused_devices,transfer_time_s,"));
  EXPECT_THAT(rows[1], HasSubstr(",,2,,"));
}

TEST(Summary, StagesOfDifferentMicroBatchesHaveNoCommonOne) {
  PlanResult plan = infeasible();
  plan.shape = PlanShape{.depth = 1, .stages = 2, .devices = 2};
  EXPECT_TRUE(parsed({{{}, {plan}}})["points"][0]["plans"][0]["micro_batch_samples"].is_null());
}

}  // namespace
}  // namespace pipegraph
