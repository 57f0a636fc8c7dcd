// `--attention cudnn` on the command line, on the stand-in.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/base/files.h"
#include "tests/apps/workbench.h"

namespace pipegraph {
namespace {

using test::Ran;
using test::run;
using ::testing::HasSubstr;

class AttentionOption : public test::Workbench {
 protected:
  AttentionOption() {
    ::setenv("PIPEGRAPH_CUDA_STAND_IN", "pace=lazy", 1);
    write_file("text.yaml",
               "model: {family: multimodal_transformer, branches: 1, layers: 1, hidden: 16, heads: "
               "2, sequence: 8}\n"
               "cluster: {shape: uniform, devices: 1, latency: 1 us, bandwidth: 10 GB/s,\n"
               "          device: {memory: 1 GiB, peak: {fp32: 50 GFLOP/s, bf16: 50 GFLOP/s}}}\n"
               "training: {mini_batch: 4, precision: bf16}\n"
               "plans: [{planner: manual, micro_batch: 2, stages: [{operators: ['*']}]}]\n");
  }
  static Ran run_with(const std::vector<std::string>& more) {
    std::vector<std::string> words{"run", "text.yaml", "--steps", "2", "--no-report", "-o", "out"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
};

TEST_F(AttentionOption, TrainsByCudnnAndSaysSo) {
  const Ran ran = run_with({"--backend", "cuda", "--attention", "cudnn"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err + ran.out, HasSubstr("attention by cuDNN 9."));
}

TEST_F(AttentionOption, IsForBf16) {
  const Ran ran =
      run_with({"--backend", "cuda", "--attention", "cudnn", "--set", "training.precision=fp32"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("--attention: cuDNN's attention is for bf16, training.precision "
                                 "is fp32; expected --attention own, or training.precision: bf16"));
}

TEST_F(AttentionOption, IsForShapesThatCudnnTakes) {
  const Ran ran =
      run_with({"--backend", "cuda", "--attention", "cudnn", "--set", "model.sequence=4"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("4 tokens, 2 heads of 8 columns, which cuDNN's attention does"));
}

TEST_F(AttentionOption, IsNotThatOfOperatorsThatAreProfiled) {
  const Ran ran = run({"profile", "text.yaml", "--backend", "cuda", "--attention", "cudnn"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("--attention: operators are measured with our own attention"));
}

TEST_F(AttentionOption, IsForGpus) {
  const Ran ran = run_with({"--backend", "cpu", "--attention", "cudnn"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("--attention: only the backend 'cuda' has GPUs"));
}

}  // namespace
}  // namespace pipegraph
