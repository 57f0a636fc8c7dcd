// The verdicts of reference programs, written out as text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/program/text.h"
#include "core/program/validate.h"

namespace pipegraph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ValidationReport report_of(const std::string& instructions) {
  return validate(parse_program("devices 2\nstage 0 a\nstage 1 b\n" + instructions, "test"));
}
std::vector<int> ids(const std::vector<InstructionId>& cycle) {
  std::vector<int> values;
  for (const InstructionId id : cycle) values.push_back(id.value);
  return values;
}

TEST(Verdict, CrossingSendsInOneQueueEachAreBufferedAtBest) {
  const ValidationReport report = report_of(
      "0 d0 compute: send F0[0,1)>d1\n"
      "1 d0 compute: recv F1[0,1)<d1\n"
      "2 d1 compute: send F1[0,1)>d0\n"
      "3 d1 compute: recv F0[0,1)<d0\n");
  EXPECT_EQ(report.verdict, Verdict::Buffered);
  EXPECT_FALSE(report.ok());
}

TEST(Verdict, CrossingSendsOnLanesOfTheirOwnNeedTheLanes) {
  const ValidationReport report = report_of(
      "0 d0 to d1: send F0[0,1)>d1\n"
      "1 d0 from d1: recv F1[0,1)<d1\n"
      "2 d1 to d0: send F1[0,1)>d0\n"
      "3 d1 from d0: recv F0[0,1)<d0\n");
  EXPECT_EQ(report.verdict, Verdict::Lanes);
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.cycle.size(), 4u);  // with one queue each all four wait in a ring
  EXPECT_THAT(report.cycle_text, HasSubstr(" on d0"));
  EXPECT_THAT(report.cycle_text, HasSubstr(" on d1"));
}

TEST(Verdict, RecvsThatWaitForTheirOwnSendAreBuffered) {
  const ValidationReport report = report_of(
      "0 d0 to d1: send F0[0,1)>d1\n"
      "1 d0 from d1: recv F1[0,1)<d1 after 0\n"
      "2 d1 to d0: send F1[0,1)>d0\n"
      "3 d1 from d0: recv F0[0,1)<d0 after 2\n");
  EXPECT_EQ(report.verdict, Verdict::Buffered);
  EXPECT_FALSE(report.ok());
  EXPECT_EQ(report.cycle.size(), 4u);
}

TEST(Verdict, SendsThatWaitForTheirOwnRecvAreADeadlock) {
  const ValidationReport report = report_of(
      "0 d0 from d1: recv F1[0,1)<d1\n"
      "1 d0 to d1: send F0[0,1)>d1 after 0\n"
      "2 d1 from d0: recv F0[0,1)<d0\n"
      "3 d1 to d0: send F1[0,1)>d0 after 2\n");
  EXPECT_EQ(report.verdict, Verdict::Deadlock);
  EXPECT_FALSE(report.ok());
  EXPECT_TRUE(report.problems.empty());
  EXPECT_THAT(ids(report.cycle), ElementsAre(0, 3, 2, 1));
  EXPECT_EQ(report.cycle_text,
            "recv F1[0,1)<d1 on d0 needs send F1[0,1)>d0 on d1, which waits for recv F0[0,1)<d0 on "
            "d1, which needs send F0[0,1)>d1 on d0, which waits for recv F1[0,1)<d1 on d0");
}

TEST(Verdict, OneGlobalOrderIsStrict) {
  EXPECT_EQ(report_of("0 d0 to d1: send F0[0,1)>d1\n"
                      "1 d1 from d0: recv F0[0,1)<d0\n"
                      "2 d1 to d0: send F1[0,1)>d0\n"
                      "3 d0 from d1: recv F1[0,1)<d1\n")
                .verdict,
            Verdict::Strict);
}

TEST(Verdict, HalvesNeedNotStandSideBySideToBeStrict) {
  // d0: send, F; d1: F, recv. Any order that keeps these runs with one queue each.
  EXPECT_EQ(report_of("0 d0 to d1: send F0[0,1)>d1\n"
                      "1 d0 compute: F0[1,2)\n"
                      "2 d1 compute: F1[5,6)\n"
                      "3 d1 from d0: recv F0[0,1)<d0\n")
                .verdict,
            Verdict::Strict);
}

TEST(Verdict, AWaitOnALaterInstructionOfTheLaneIsADeadlock) {
  const ValidationReport report = report_of(
      "0 d0 compute: F0[0,1) after 1\n"
      "1 d0 compute: F0[1,2)\n");
  EXPECT_EQ(report.verdict, Verdict::Deadlock);
  EXPECT_EQ(report.cycle_text,
            "F0[0,1) on d0 waits for F0[1,2) on d0, which waits for F0[0,1) on d0");
}

TEST(Verdict, CollectivesInDifferentOrderDeadlock) {
  const ValidationReport report = report_of(
      "group 0 d0 d1\n"
      "group 1 d1 d0\n"
      "0 d0 compute: all_reduce s0 group 0\n"
      "1 d0 compute: all_reduce s1 group 1\n"
      "2 d1 compute: all_reduce s1 group 1\n"
      "3 d1 compute: all_reduce s0 group 0\n");
  EXPECT_EQ(report.verdict, Verdict::Deadlock);
  EXPECT_TRUE(report.problems.empty());
}

TEST(Verdict, AnEmptyProgramIsStrict) { EXPECT_TRUE(report_of("").ok()); }

}  // namespace
}  // namespace pipegraph
