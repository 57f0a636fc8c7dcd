// On folders in the form of /proc/self/task, so that no figure depends on this machine.
#include "exec/measure/disturbance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace pipegraph {
namespace {

class Tasks : public ::testing::Test {
 protected:
  Tasks() {
    std::string name = (std::filesystem::temp_directory_path() / "pipegraph_tasks_XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~Tasks() override { std::filesystem::remove_all(folder_); }
  Tasks(const Tasks&) = delete;
  Tasks& operator=(const Tasks&) = delete;

  void thread(int id, const std::string& schedstat, int involuntary) const {
    const std::filesystem::path task = folder_ / std::to_string(id);
    std::filesystem::create_directories(task);
    std::ofstream(task / "schedstat") << schedstat;
    std::ofstream(task / "status") << "Name:\tx\nvoluntary_ctxt_switches:\t99\n"
                                   << "nonvoluntary_ctxt_switches:\t" << involuntary << "\n";
  }
  SchedulingTotals totals() const { return scheduling_totals(folder_.string()); }

 private:
  std::filesystem::path folder_;
};

TEST_F(Tasks, AddUp) {
  thread(1, "2000000000 500000000 12\n", 3);
  thread(2, "1000000000 0 4\n", 4);
  const SchedulingTotals sum = totals();
  EXPECT_EQ(sum.threads, 2U);
  EXPECT_DOUBLE_EQ(sum.run.count(), 3.0);
  EXPECT_DOUBLE_EQ(sum.waited.count(), 0.5);
  EXPECT_EQ(sum.taken_off, 7U);
}

TEST_F(Tasks, TellTheShareOfWaitingBetweenTwoMoments) {
  thread(1, "1000000000 100000000 1\n", 10);
  const SchedulingTotals before = totals();
  thread(1, "1960000000 140000000 2\n", 30);
  const Disturbance seen = between(before, totals(), Seconds{2});
  EXPECT_TRUE(seen.known);
  EXPECT_NEAR(waiting_share(seen), 0.04, 1e-12);  // 0.04 s of 1 s
  EXPECT_DOUBLE_EQ(taken_off_per_s(seen), 10.0);
  EXPECT_TRUE(disturbed(seen));
  EXPECT_EQ(to_text(seen), "run-queue delay 4.0 %, 10 involuntary switches/s");
}

TEST_F(Tasks, ThatEndedInBetweenGiveNoNegativeShare) {
  thread(1, "1000000000 100000000 1\n", 10);
  const SchedulingTotals before = totals();
  thread(1, "500000000 50000000 2\n", 5);
  const Disturbance seen = between(before, totals(), Seconds{1});
  EXPECT_EQ(waiting_share(seen), 0.0);
  EXPECT_EQ(seen.taken_off, 0U);
}

TEST(Disturbance, IsUnknownWhereTheSystemDoesNotTell) {
  const SchedulingTotals nothing = scheduling_totals("/no/such/folder");
  EXPECT_EQ(nothing.threads, 0U);
  const Disturbance seen = between(nothing, nothing, Seconds{1});
  EXPECT_FALSE(seen.known);
  EXPECT_FALSE(disturbed(seen));
}

TEST(Disturbance, NeedsManyInvoluntarySwitchesAtAHighRate) {
  const auto of = [](std::uint64_t count, double elapsed) {
    return disturbed({.known = true, .taken_off = count, .elapsed = Seconds{elapsed}});
  };
  EXPECT_FALSE(of(2, 0.005));  // 400 a second, but only two
  EXPECT_FALSE(of(100, 1.0));  // just 100 a second
  EXPECT_TRUE(of(101, 1.0));
  EXPECT_TRUE(of(10, 0.05));
}

TEST(Disturbance, ReadsThisProcess) {
  const SchedulingTotals totals = scheduling_totals();
  if (totals.threads == 0) GTEST_SKIP() << "no /proc/self/task/*/schedstat here";
  EXPECT_GE(totals.run.count(), 0.0);
}

}  // namespace
}  // namespace pipegraph
