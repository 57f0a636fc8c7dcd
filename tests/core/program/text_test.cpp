#include "core/program/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/errors.h"
#include "tests/support/text_mutations.h"

namespace pipegraph {
namespace {

using testing::HasSubstr;

constexpr std::string_view k_two_stages = R"(devices 2
stage 0 embed
stage 1 the head # here
group 0 d0 d1
payload 0 t3[0,4) t5[1,2)
0 d0 compute: F0[0,4) time 500 ms
1 d0 to d1: send F0[0,4)>d1 bytes 4096 payload 0 after 0
2 d1 from d0: recv F0[0,4)<d0 bytes 4096 payload 0
3 d1 compute: F1[0,4) time 1.25 us after 2
4 d1 compute: I1[0,4) after 3
5 d1 to d0: send B1[0,4)>d0 bytes 8 element 2 after 4
6 d0 from d1: recv B1[0,4)<d1 bytes 8 element 2
7 d1 compute: W1[0,4) after 3 4
8 d0 compute: B0[0,4) after 0 6
9 d0 group 0: all_reduce tied group 0 bytes 100 after 8
10 d1 group 0: all_reduce tied group 0 bytes 100 after 7
11 d0 compute: optimizer s0 after 9
)";

/// What the parser says about `text`, or "" if it accepts it.
std::string error_of(std::string_view text) {
  try {
    parse_program(text, "p.txt");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return {};
}

TEST(ProgramText, IsTheSameAfterARoundTrip) {
  const Program program = parse_program(k_two_stages, "p.txt");
  EXPECT_EQ(to_text(program), k_two_stages);
  EXPECT_EQ(parse_program(to_text(program), "again"), program);
}

TEST(ProgramText, HoldsEveryField) {
  const Program program = parse_program(k_two_stages, "p.txt");
  const Instruction& send = program.at(InstructionId{5});
  EXPECT_EQ(send.kind, InstructionKind::Send);
  EXPECT_TRUE(send.gradients);
  EXPECT_EQ(send.element_bytes, 2);
  EXPECT_EQ(send.device, DeviceId{1});
  EXPECT_EQ(send.peer, DeviceId{0});
  EXPECT_EQ(send.stage, StageId{1});
  EXPECT_EQ(send.samples, (MicroBatch{0, 4}));
  EXPECT_EQ(send.bytes, Bytes{8});
  EXPECT_FALSE(send.payload.valid());
  EXPECT_EQ(program.lanes()[send.lane.index()],
            (Lane{DeviceId{1}, LaneKind::Send, DeviceId{0}, {}}));
  EXPECT_EQ(program.at(InstructionId{3}).duration, Seconds{1.25e-6});
  EXPECT_EQ(program.stage_names()[1], "the head # here");
  EXPECT_EQ(program.payloads()[0][1], (PayloadPart{OperatorId{5}, {1, 2}}));
}

TEST(ProgramText, KeepsAwkwardStageNames) {
  for (const std::string name : {"", " a", "a\nb", "\\n", "tab\tin", "\tx", "line\r"}) {
    ProgramBuilder builder(1, {name});
    const Program program = std::move(builder).build();
    EXPECT_EQ(parse_program(to_text(program), "p.txt").stage_names()[0], name);
  }
}

TEST(ProgramText, SkipsCommentsAndEmptyLines) {
  const Program program = parse_program(
      "# two\n\ndevices 1   # one\nstage 0 s\n  0   d0 compute: F0[0,1)  # first\n", "p.txt");
  EXPECT_EQ(program.size(), 1u);
}

TEST(ProgramText, NamesEveryInstructionInOneToken) {
  const Program program = parse_program(k_two_stages, "p.txt");
  const auto token = [&](int id) { return to_text(program.at(InstructionId{id})); };
  EXPECT_EQ(token(0), "F0[0,4)");
  EXPECT_EQ(token(1), "send F0[0,4)>d1");
  EXPECT_EQ(token(6), "recv B1[0,4)<d1");
  EXPECT_EQ(token(9), "all_reduce tied");
  EXPECT_EQ(token(11), "optimizer s0");
}

TEST(ProgramText, ErrorsNameLineAndColumn) {
  EXPECT_THAT(error_of("devices 2\nstage 0 s\n0 d7 compute: F0[0,4)\n"),
              HasSubstr("p.txt:3:4: device d7 does not exist; expected one of d0 to d1"));
  EXPECT_THAT(error_of("devices 1\nstage 0 s\n0 d0 compute: F0[4,4)\n"),
              HasSubstr("p.txt:3:20: the sample range is empty"));
  EXPECT_THAT(error_of("devices 1\nstage 0 s\n1 d0 compute: F0[0,4)\n"),
              HasSubstr("p.txt:3:1: '1'; expected instruction 0"));
  EXPECT_THAT(error_of("devices 1\nstage 0 s\n0 d0 compute: F0[0,4) after 9\n"),
              HasSubstr("p.txt:3:29: instruction 9 does not exist"));
  EXPECT_THAT(error_of("devices 1\nstage 0 s\n0 d0 compute: F0[0,4) time 5 apples\n"),
              HasSubstr("p.txt:3:28:"));
  EXPECT_THAT(error_of("devices 1\nstage 0 s\n0 d0 compute: F3[0,4)\n"),
              HasSubstr("stage 3 does not exist"));
  EXPECT_THAT(error_of("stage 0 s\n"), HasSubstr("p.txt:1:1:"));
  EXPECT_THAT(error_of(""), HasSubstr("no line 'devices N'"));
  EXPECT_THAT(error_of("devices 1\ngroup 0\n"), HasSubstr("the group is empty"));
  EXPECT_THAT(error_of("devices 1\nstage 0 s\n0 d0 compute: F0[0,4) tme 1 s\n"),
              HasSubstr("p.txt:3:23: 'tme' is left over"));
}

TEST(ProgramText, MutationsAreReadOrRefusedWithAPlace) {
  constexpr std::string_view k_tokens[] = {" ", "\n", "0", "9", "d", "F", "[",
                                           ",", ")",  ">", ":", "-", "#", "\\"};
  test::TextMutator mutated(7, k_tokens);
  for (int round = 0; round < 3000; ++round) {
    const std::string text = mutated(std::string(k_two_stages));
    const std::string error = error_of(text);  // any other exception fails the test
    if (!error.empty()) {
      EXPECT_THAT(error, HasSubstr("p.txt:"));
    }
  }
}

}  // namespace
}  // namespace pipegraph
