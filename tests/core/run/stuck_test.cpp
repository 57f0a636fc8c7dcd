#include "core/run/stuck.h"

#include <gtest/gtest.h>

#include "tests/support/program_sketch.h"

namespace pipegraph {
namespace {

TEST(Stuck, GridShowsEachLaneWithWhatItWaitsFor) {
  test::ProgramSketch sketch(2);
  sketch.compute(0, 1);
  const auto recv = sketch.recv({1, 0}, 8);
  sketch.compute(0, 1, {recv});
  const Program program = std::move(sketch).build();
  const Stuck stuck = explain_stuck(program, {1, 0, 0});
  EXPECT_EQ(stuck.text,
            "1 of 3 instructions completed, the rest cannot:\n"
            "  d0     from d1    #1 recv F0[0,1)<d1  waits for the other half, which the program "
            "does not have\n"
            "  d0     compute    #2 F0[0,1)  waits for #1 recv F0[0,1)<d1 on d0\n");
}

TEST(Stuck, AnInstructionThatWasNeverReportedIsNamedAsSuch) {
  test::ProgramSketch sketch(1);
  sketch.compute(0, 1);
  const Program program = std::move(sketch).build();
  EXPECT_NE(explain_stuck(program, {0}).text.find("never reported complete"), std::string::npos);
}

TEST(Stuck, LongGridsAreCut) {
  test::ProgramSketch sketch(100);
  for (int d = 0; d < 100; ++d) sketch.compute(d, 1);
  const Program program = std::move(sketch).build();
  const Stuck stuck = explain_stuck(program, std::vector<char>(100, 0));
  EXPECT_EQ(stuck.blocked.size(), 100U);
  EXPECT_NE(stuck.text.find("and 60 lanes more"), std::string::npos);
}

}  // namespace
}  // namespace pipegraph
