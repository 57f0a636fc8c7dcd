#include "exec/measure/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pipegraph {
namespace {

TEST(ProcessorName, IsTheFirstModelName) {
  EXPECT_EQ(processor_name("processor\t: 0\nmodel name\t: Fast(R) CPU @ 2.00GHz\nflags\t: x\n"
                           "model name\t: Other\n"),
            "Fast(R) CPU @ 2.00GHz");
  EXPECT_EQ(processor_name("no model name: x\nmodel name : y"), "y");
  EXPECT_EQ(processor_name("flags: x\n"), "");
  EXPECT_EQ(processor_name(""), "");
}

TEST(ThisProcessor, HasANameAndCores) {
  const Machine machine = this_processor();
  EXPECT_FALSE(machine.cpu.empty());
  EXPECT_GE(machine.cores, 1);
}

TEST(Difference, NamesWhatIsNotTheSame) {
  const Machine a{.cpu = "A", .cores = 2, .blas = "B 1", .blas_core = "Fast"};
  EXPECT_EQ(difference(a, a), "");
  Machine b = a;
  b.blas = "B 2";  // another version of the same kernels
  EXPECT_EQ(difference(a, b), "");
  b.blas_core = "Slow";
  EXPECT_THAT(difference(a, b), testing::HasSubstr("'Fast', here are 'Slow'"));
  b = a;
  b.cores = 4;
  EXPECT_THAT(difference(a, b), testing::HasSubstr("2 cores, here are 4"));
  b = a;
  b.cpu = "C";
  EXPECT_THAT(difference(a, b), testing::HasSubstr("'A', this is 'C'"));
}

}  // namespace
}  // namespace pipegraph
