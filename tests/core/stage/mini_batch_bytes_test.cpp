#include "core/stage/mini_batch_bytes.h"

#include <gmock/gmock.h>

#include "tests/support/tiny_graphs.h"

namespace pipegraph {
namespace {

using testing::HasSubstr;

const SourcePosition k_place{.file = "f", .line = 3, .column = 12, .key = "mini_batch"};

std::string error_of(const ComputationGraph& graph, std::int32_t samples) {
  try {
    check_mini_batch_bytes(graph, {.mini_batch = samples}, k_place);
    return "no error";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

// Two operators of 2^30 bytes each: two outputs, one of them received and its gradient returned
// make 2^32 bytes a sample, so that 2^28 samples come to just 2^60.
TEST(MiniBatchBytes, MayAddUpToTheLimitAndNotToMore) {
  const ComputationGraph chain =
      test::chain_graph(2, {.output = Bytes{std::uint64_t{1} << 30}, .saved = Bytes{}});
  EXPECT_EQ(error_of(chain, 1 << 28), "no error");
  EXPECT_EQ(error_of(chain, (1 << 28) + 1),
            "f:3:12: mini_batch: 268435457 samples of this model are more than 1 EiB of tensors; "
            "expected at most 268435456 samples, or a smaller model");
}

TEST(MiniBatchBytes, CountWhatIsKeptForTheBackward) {
  const ComputationGraph kept =
      test::chain_graph(1, {.output = Bytes{}, .saved = Bytes{std::uint64_t{1} << 40}});
  EXPECT_EQ(error_of(kept, 1 << 20), "no error");
  EXPECT_THAT(error_of(kept, (1 << 20) + 1), HasSubstr("at most 1048576 samples"));
}

TEST(MiniBatchBytes, WithoutTensorsAllowAnyNumberOfSamples) {
  EXPECT_EQ(error_of(test::chain_graph(3, {.output = Bytes{}, .saved = Bytes{}}), 1 << 30),
            "no error");
}

}  // namespace
}  // namespace pipegraph
