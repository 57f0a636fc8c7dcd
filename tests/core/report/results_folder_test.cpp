#include "core/report/results_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/errors.h"
#include "core/base/files.h"
#include "core/report/details.h"
#include "tests/core/report/small_runs.h"

namespace pipegraph {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class Results : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::path(::testing::TempDir()) /
        fmt::format("results_{}", ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

std::vector<std::string> lines(const std::filesystem::path& file) {
  std::vector<std::string> all;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

/// A finished folder with one plan.
void finish(const std::filesystem::path& folder, const std::string& plan) {
  ResultsFolder results = ResultsFolder::create(folder);
  write_file(results.plan_folder(plan) / "plan.yaml", "x");
  results.commit();
}

TEST_F(Results, AFolderOfOursIsReplacedAtTheCommit) {
  finish(folder_, "old");
  {
    ResultsFolder results = ResultsFolder::create(folder_);
    write_file(results.plan_folder("new") / "plan.yaml", "x");
    EXPECT_TRUE(std::filesystem::exists(folder_ / "plans/old/plan.yaml"));
    results.commit();
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "plans/old"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "plans/new/plan.yaml"));
  EXPECT_EQ(lines(folder_ / "pipegraph.json").size(), 1U);
  EXPECT_FALSE(std::filesystem::exists(folder_ / ".partial"));
}

TEST_F(Results, WithoutACommitTheEarlierRunStays) {
  finish(folder_, "old");
  { write_file(ResultsFolder::create(folder_).plan_folder("new") / "plan.yaml", "x"); }
  EXPECT_TRUE(std::filesystem::exists(folder_ / "plans/old/plan.yaml"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / ".partial"));
}

TEST_F(Results, WithoutACommitNoNewFolderStays) {
  { ResultsFolder::create(folder_).plan_folder("new"); }
  EXPECT_FALSE(std::filesystem::exists(folder_));
}

TEST_F(Results, ParentsThatWereMadeForNothingGoUnlessSomethingElseCameIntoThem) {
  const std::filesystem::path parent = folder_ / "made";
  { ResultsFolder::create(parent / "results"); }
  EXPECT_FALSE(std::filesystem::exists(folder_));
  {
    const ResultsFolder results = ResultsFolder::create(parent / "results");
    write_file(parent / "note.txt", "mine");
  }
  EXPECT_TRUE(std::filesystem::exists(parent / "note.txt"));
  EXPECT_FALSE(std::filesystem::exists(parent / "results"));
}

TEST_F(Results, TrainingIsNeverReplacedNorAbandoned) {
  const std::filesystem::path checkpoint = folder_ / k_training_folder / "checkpoint";
  {
    const ResultsFolder results = ResultsFolder::create(folder_);
    std::filesystem::create_directory(folder_ / k_training_folder);
    write_file(checkpoint, "x");
  }
  EXPECT_TRUE(std::filesystem::exists(checkpoint));
  EXPECT_FALSE(std::filesystem::exists(folder_ / ".partial"));
  finish(folder_, "new");
  EXPECT_TRUE(std::filesystem::exists(checkpoint));
}

TEST_F(Results, AForeignFolderIsRefusedUntouched) {
  std::filesystem::create_directories(folder_);
  write_file(folder_ / "thesis.tex", "x");
  EXPECT_THROW(ResultsFolder::create(folder_), ConfigError);
  write_file(folder_ / "pipegraph.json", "{\"program\": \"other\"}");
  EXPECT_THROW(ResultsFolder::create(folder_), ConfigError);
  write_file(folder_ / "pipegraph.json", "{\"program\": ");
  EXPECT_THROW(ResultsFolder::create(folder_), ConfigError);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "thesis.tex"));
}

TEST_F(Results, WhatAKilledRunLeftIsRemoved) {
  finish(folder_, "old");
  EXPECT_FALSE(ResultsFolder::create(folder_).removed_unfinished());
  std::filesystem::create_directories(folder_ / ".partial/plans/killed");
  ResultsFolder results = ResultsFolder::create(folder_);
  EXPECT_TRUE(results.removed_unfinished());
  EXPECT_FALSE(std::filesystem::exists(folder_ / ".partial/plans"));
}

TEST_F(Results, AFolderThatAnotherRunWritesToIsRefused) {
  ResultsFolder results = ResultsFolder::create(folder_);
  EXPECT_THROW(ResultsFolder::create(folder_), ConfigError);
  write_file(results.plan_folder("p") / "plan.yaml", "x");
  results.commit();
  EXPECT_TRUE(std::filesystem::exists(folder_ / "plans/p/plan.yaml"));
}

TEST_F(Results, AnEmptyFolderIsTakenAndAFileIsNot) {
  std::filesystem::create_directories(folder_);
  ResultsFolder::create(folder_).commit();
  EXPECT_THROW(ResultsFolder::create(folder_ / "pipegraph.json"), ConfigError);
}

TEST_F(Results, ANameTooLongForTheSystemIsAFaultOfTheMachine) {
  EXPECT_THROW(ResultsFolder::create(folder_ / std::string(300, 'x')), MachineError);
}

TEST_F(Results, PlanNamesBecomeSafeFolderNames) {
  EXPECT_EQ(folder_name("graphpipe-2.a_b"), "graphpipe-2.a_b");
  EXPECT_EQ(folder_name("a/b c"), "a%2Fb%20c");
  EXPECT_EQ(folder_name(".."), "%2E.");
  EXPECT_EQ(folder_name("\xc3\xa9"), "%C3%A9");
}

TEST_F(Results, PointsHaveTheirOwnFolders) {
  const ResultsFolder results = ResultsFolder::create(folder_);
  EXPECT_EQ(results.plan_folder("p"), results.path() / "plans/p");
  EXPECT_EQ(results.plan_folder("p", 3), results.path() / "points/3/plans/p");
  EXPECT_TRUE(std::filesystem::is_directory(results.path() / "points/3/plans/p"));
}

class WrittenRun : public Results {
 protected:
  /// Two stages, two micro-batches: F B of stage 1 at 1-4 and 4-7 (1F1B), makespan 9 s.
  void SetUp() override {
    Results::SetUp();
    ResultsFolder results = ResultsFolder::create(folder_);
    write_run(results.plan_folder("p"), RunReport(chain_.run()));
    results.commit();
    plan_ = folder_ / "plans/p";
  }
  nlohmann::json json(const std::string& file) const {
    return nlohmann::json::parse(read_file(plan_ / file));
  }

  test::ChainRun chain_{{.stages = 2, .micro_batches = 2}};
  std::filesystem::path plan_;
};

TEST_F(WrittenRun, TimelineHasARowPerInstruction) {
  const auto rows = lines(plan_ / "timeline.csv");
  // 4 forwards and backwards per stage, 2 messages each way in two halves.
  ASSERT_EQ(rows.size(), 1U + 8U + 8U);
  EXPECT_EQ(
      rows[0],
      "instruction,device,lane,kind,stage,peer,first_sample,last_sample,ready_s,start_s,end_s,"
      "bytes");
  EXPECT_EQ(rows[1], "0,0,compute,forward,0,,0,1,0,0,1,");
  EXPECT_EQ(rows[2], "1,0,to d1,send,0,1,0,1,1,1,1,1024");
}

TEST_F(WrittenRun, StagesAndEdges) {
  const auto stages = lines(plan_ / "stages.csv");
  ASSERT_EQ(stages.size(), 3U);
  EXPECT_EQ(stages[1], "0,s0,1,1,0,1,1,2,1,2,1000");
  EXPECT_EQ(stages[2], "1,s1,2,1,1,1,1,1,1,2,1000");
  EXPECT_EQ(lines(plan_ / "stage_edges.csv"),
            (std::vector<std::string>{"from_stage,to_stage,bytes_per_sample", "0,1,1024"}));
}

TEST_F(WrittenRun, LinksCarryTwoMessagesEachWay) {
  EXPECT_EQ(lines(plan_ / "links.csv"),
            (std::vector<std::string>{"link,bandwidth_bytes_per_s,bytes,utilisation",
                                      "gpu0->switch,,2048,0", "switch->gpu0,,2048,0",
                                      "gpu1->switch,,2048,0", "switch->gpu1,,2048,0"}));
}

TEST_F(WrittenRun, CriticalPathEndsAtTheMakespan) {
  // F0 of the first micro-batch, then the sink's F B F B, then the last backward: 1 + 6 + 2.
  const auto rows = lines(plan_ / "critical_path.csv");
  ASSERT_EQ(rows.size(), 7U);
  EXPECT_THAT(rows[1], HasSubstr(",0,forward,0,0,1,work"));
  EXPECT_THAT(rows[6], HasSubstr(",0,backward,0,7,9,work"));
}

TEST_F(WrittenRun, DetailsExplainThePath) {
  const auto details = json("details.json");
  EXPECT_EQ(details["makespan_s"], 9.0);
  EXPECT_TRUE(details["window"].is_null());
  EXPECT_EQ(details["critical_path"]["by_kind_s"]["backward"], 6.0);
  EXPECT_EQ(details["critical_path"]["by_stage_s"]["1"], 6.0);
}

TEST_F(WrittenRun, DetailsTellWhatATimeDoesNotNeed) {
  // 2000 B of parameters and gradients, two micro-batches of 100 B, the gradient of the first (1024
  // B) that comes at 4 s, when stage 1 has done F and B of it, 50 B reserved. Without times both
  // messages of gradients may be there.
  const auto device = json("details.json")["devices"][0];
  EXPECT_EQ(device["peak_bytes"], 2000 + 200 + 1024 + 50);
  EXPECT_EQ(device["needed_bytes"], 2000 + 200 + 2 * 1024 + 50);
  EXPECT_EQ(device["peak_kind"], "recv");
  EXPECT_EQ(device["peak_time_s"], 4.0);
  EXPECT_EQ(device["peak_first_sample"], 0);
}

TEST_F(Results, DetailsExplainThePeak) {
  // Messages of no bytes: 1000 B of parameters, 1000 B of gradients, two micro-batches of 100 B
  // from the start of the second forward at 1 s, 50 B reserved.
  const test::ChainRun chain({.stages = 2, .micro_batches = 2, .message = Bytes{0}});
  const auto device = nlohmann::json::parse(details_json(RunReport(chain.run())))["devices"][0];
  EXPECT_EQ(device["name"], "gpu0");
  EXPECT_EQ(device["available_bytes"], 10'000);
  EXPECT_EQ(device["needed_bytes"], 2250);
  EXPECT_EQ(device["peak_bytes"], 2250);
  EXPECT_EQ(device["peak_kind"], "forward");
  EXPECT_EQ(device["peak_time_s"], 1.0);
  EXPECT_EQ(device["peak_first_sample"], 1);
  EXPECT_EQ(device["peak_parts_bytes"]["activations"], 200);
  EXPECT_EQ(device["peak_parts_bytes"]["reserved"], 50);
  std::uint64_t sum = 0;
  for (const auto& part : device["peak_parts_bytes"]) sum += part.get<std::uint64_t>();
  EXPECT_EQ(sum, 2250U);
}

TEST_F(WrittenRun, MemoryStartsWithWhatIsThereTheWholeTime) {
  const auto rows = lines(plan_ / "memory.csv");
  EXPECT_EQ(rows[0], "device,time_s,bytes");
  EXPECT_EQ(rows[1], "0,0,2050");
  EXPECT_THAT(rows[2], StartsWith("0,0,"));
}

TEST_F(WrittenRun, TraceHasASlicePerInstructionAndArrows) {
  const auto trace = json("timeline.json");
  std::map<std::string, int> events;
  for (const auto& event : trace["traceEvents"]) ++events[event["ph"].get<std::string>()];
  EXPECT_EQ(events["X"], 16);
  EXPECT_EQ(events["s"], 4);
  EXPECT_EQ(events["f"], 4);
  EXPECT_EQ(events["M"], 2 + 6);  // two devices; compute, to and from on each
  EXPECT_EQ(trace["otherData"]["shown"], "all instructions");
}

}  // namespace
}  // namespace pipegraph
