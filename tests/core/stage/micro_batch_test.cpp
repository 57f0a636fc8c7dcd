#include "core/stage/micro_batch.h"

#include <gmock/gmock.h>

#include <limits>

#include "core/base/errors.h"
#include "core/stage/share_partition.h"
#include "core/stage/task.h"

namespace pipegraph {
namespace {

using testing::ElementsAre;

TEST(MicroBatches, CoverTheMiniBatchWithARaggedEnd) {
  EXPECT_THAT(micro_batches(8, 3),
              ElementsAre(MicroBatch{0, 3}, MicroBatch{3, 6}, MicroBatch{6, 8}));
}

TEST(MicroBatches, AreOneWhereTheMiniBatchIsSmaller) {
  EXPECT_THAT(micro_batches(3, 8), ElementsAre(MicroBatch{0, 3}));
}

TEST(MicroBatches, ReachTheLargestMiniBatchWithoutOverflow) {
  const std::int32_t most = std::numeric_limits<std::int32_t>::max();
  EXPECT_THAT(micro_batches(most, most - 1),
              ElementsAre(MicroBatch{0, most - 1}, MicroBatch{most - 1, most}));
}

TEST(MicroBatches, AreTextAsHalfOpenRanges) {
  EXPECT_EQ(to_text(MicroBatch{4, 8}), "[4,8)");
  EXPECT_EQ(to_text(Task{StageId{2}, Pass::BackwardInput, {0, 4}}), "I2[0,4)");
}

TEST(Share, SplitsSevenSamplesOverThreeReplicas) {
  // floor(r 7 / 3) for r = 0..3: 0, 2, 4, 7.
  const MicroBatch whole{14, 21};
  EXPECT_EQ(share(whole, 0, 3), (MicroBatch{14, 16}));
  EXPECT_EQ(share(whole, 1, 3), (MicroBatch{16, 18}));
  EXPECT_EQ(share(whole, 2, 3), (MicroBatch{18, 21}));
}

TEST(Share, IsEmptyForSomeReplicasOfARaggedEnd) {
  // floor(r 2 / 3): 0, 0, 1, 2.
  EXPECT_TRUE(share({6, 8}, 0, 3).empty());
  EXPECT_EQ(share({6, 8}, 1, 3), (MicroBatch{6, 7}));
  EXPECT_EQ(share({6, 8}, 2, 3), (MicroBatch{7, 8}));
}

std::vector<std::pair<int, int>> overlapping_by_definition(const SharePartition& partition,
                                                           MicroBatch range) {
  std::vector<std::pair<int, int>> found;
  for (int b = 0; b < partition.count(); ++b)
    for (int r = 0; r < partition.replicas(); ++r)
      if (overlap(partition.share(b, r), range)) found.emplace_back(b, r);
  return found;
}

TEST(SharePartition, FindsTheSharesThatOverlapARange) {
  constexpr int mini_batch = 11;
  for (int size = 1; size <= 12; ++size)
    for (int replicas = 1; replicas <= 5; ++replicas)
      for (int first = 0; first < mini_batch; ++first)
        for (int last = first + 1; last <= mini_batch; ++last) {
          const SharePartition partition(mini_batch, size, replicas);
          std::vector<std::pair<int, int>> found;
          partition.for_each_overlapping({first, last},
                                         [&](int b, int r) { found.emplace_back(b, r); });
          EXPECT_EQ(found, overlapping_by_definition(partition, {first, last}))
              << size << " x " << replicas << " [" << first << "," << last << ")";
        }
}

TEST(SharePartition, CoversEverySampleOnce) {
  const SharePartition partition(11, 4, 3);
  std::int32_t next = 0;
  for (int b = 0; b < partition.count(); ++b)
    for (int r = 0; r < 3; ++r) {
      EXPECT_EQ(partition.share(b, r).first, next);
      next = partition.share(b, r).last;
    }
  EXPECT_EQ(next, 11);
}

}  // namespace
}  // namespace pipegraph
