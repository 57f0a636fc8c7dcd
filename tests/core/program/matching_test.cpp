// Channels and groups that do not match, and waits across devices.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/program/text.h"
#include "core/program/validate.h"

namespace pipegraph {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> problems_of(const std::string& instructions) {
  return validate(parse_program("devices 3\nstage 0 a\ngroup 0 d0 d1\npayload 0 t0[0,1)\n"
                                "payload 1 t1[0,1)\n" +
                                    instructions,
                                "test"))
      .problems;
}

std::string with_recv(const std::string& recv) {
  return "0 d0 to d1: send F0[0,1)>d1 bytes 8 payload 0\n1 d1 from d0: " + recv + "\n";
}

TEST(Matching, AcceptsEqualHalves) {
  EXPECT_THAT(problems_of(with_recv("recv F0[0,1)<d0 bytes 8 payload 0")), ElementsAre());
}

TEST(Matching, FindsHalvesThatDiffer) {
  EXPECT_THAT(problems_of(with_recv("recv F0[0,1)<d0 bytes 9 payload 0")),
              ElementsAre(HasSubstr("differ in bytes")));
  EXPECT_THAT(problems_of(with_recv("recv F0[0,1)<d0 bytes 8 element 2 payload 0")),
              ElementsAre(HasSubstr("differ in element size")));
  EXPECT_THAT(problems_of(with_recv("recv F0[1,2)<d0 bytes 8 payload 0")),
              ElementsAre(HasSubstr("differ in what is sent")));
  EXPECT_THAT(problems_of(with_recv("recv B0[0,1)<d0 bytes 8 payload 0")),
              ElementsAre(HasSubstr("differ in what is sent")));
  EXPECT_THAT(problems_of(with_recv("recv F0[0,1)<d0 bytes 8 payload 1")),
              ElementsAre(HasSubstr("differ in payload")));
}

TEST(Matching, FindsHalvesThatAreAlone) {
  EXPECT_THAT(problems_of("0 d0 to d1: send F0[0,1)>d1\n"),
              ElementsAre(HasSubstr("channel d0 to d1: send F0[0,1)>d1 on d0 has no other half")));
  EXPECT_THAT(problems_of("0 d0 to d1: send F0[0,1)>d1\n1 d2 from d0: recv F0[0,1)<d0\n"),
              ElementsAre(HasSubstr("channel d0 to d1"), HasSubstr("channel d0 to d2")));
}

TEST(Matching, MatchesByOrderWhateverStandsBetween) {
  EXPECT_THAT(problems_of("0 d0 to d1: send F0[0,1)>d1\n1 d0 to d1: send F0[1,2)>d1\n"
                          "2 d1 from d0: recv F0[0,1)<d0\n3 d1 from d0: recv F0[1,2)<d0\n"),
              ElementsAre());
  EXPECT_THAT(problems_of("0 d0 to d1: send F0[0,1)>d1\n1 d0 to d1: send F0[1,2)>d1\n"
                          "2 d1 from d0: recv F0[1,2)<d0\n3 d1 from d0: recv F0[0,1)<d0\n"),
              ElementsAre(HasSubstr("message 0"), HasSubstr("message 1")));
}

TEST(Matching, FindsWaitsOnOtherDevices) {
  EXPECT_THAT(problems_of("0 d0 compute: F0[0,1)\n1 d1 compute: F0[1,2) after 0\n"),
              ElementsAre(HasSubstr("F0[1,2) on d1 waits for F0[0,1) on d0, of another device")));
}

TEST(Matching, FindsInstructionsOnForeignLanes) {
  EXPECT_THAT(problems_of("0 d0 to d2: send F0[0,1)>d1\n1 d1 from d0: recv F0[0,1)<d0\n"),
              ElementsAre(HasSubstr("send F0[0,1)>d1 on d0 stands on lane 'to d2'")));
  EXPECT_THAT(problems_of("0 d0 to d1: F0[0,1)\n"), ElementsAre(HasSubstr("stands on lane")));
}

TEST(Matching, FindsGroupsThatDoNotMeet) {
  EXPECT_THAT(problems_of("0 d0 group 0: all_reduce s0 group 0 bytes 4\n"),
              ElementsAre(HasSubstr("group 0: 0 all-reduces on d1, 1 in all")));
  EXPECT_THAT(problems_of("0 d0 group 0: all_reduce s0 group 0 bytes 4\n"
                          "1 d1 group 0: all_reduce s0 group 0 bytes 8\n"),
              ElementsAre(HasSubstr("group 0, all-reduce 0")));
  EXPECT_THAT(problems_of("0 d2 group 0: all_reduce s0 group 0 bytes 4\n"),
              Contains(HasSubstr("all_reduce s0 on d2 is not in group 0")));
}

TEST(Matching, TellsTheFirstTwentyProblemsOnly) {
  std::string many;
  for (int n = 0; n < 50; ++n) many += fmt::format("{} d0 to d1: F0[{},{})\n", n, n, n + 1);
  EXPECT_EQ(problems_of(many).size(), 20u);
}

}  // namespace
}  // namespace pipegraph
