// Data travels from the sender's pieces to the receiver's, however either side cuts it.
#include <gtest/gtest.h>

#include <numeric>

#include "exec/transport/copy_pieces.h"
#include "exec/transport/device_ranks.h"
#include "exec/transport/slice_pieces.h"
#include "tests/support/data_engine.h"
#include "tests/support/emulated_run.h"
#include "tests/support/program_sketch.h"
#include "tests/support/tiny_clusters.h"

namespace pipegraph::test {
namespace {

std::vector<float> counted(std::size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 1.0F);
  return values;
}

/// `values` in pieces of so many floats each.
std::vector<Piece> cut(std::vector<float>& values, const std::vector<std::size_t>& floats) {
  std::vector<Piece> pieces;
  std::byte* data = piece_of(values).data;
  for (std::size_t count : floats) {
    pieces.push_back({data, Bytes{count * sizeof(float)}});
    data += count * sizeof(float);
  }
  return pieces;
}

TEST(Messages, PiecesNeedNotBeCutAlikeAtBothEnds) {
  std::vector<float> sent = counted(10), received(10);
  copy_pieces(cut(sent, {3, 0, 7}), cut(received, {5, 1, 4}));
  EXPECT_EQ(received, sent);
}

TEST(Messages, NothingIsCopiedWhereAnEndHasNoData) {
  std::vector<float> sent = counted(2), received(2);
  copy_pieces({}, cut(received, {2}));
  copy_pieces(cut(sent, {2}), {});
  EXPECT_EQ(received, std::vector<float>(2));
}

TEST(Messages, ASliceTakesPartsOfPiecesAndNoEmptyOnes) {
  std::vector<float> values = counted(10);
  const auto slice = slice_pieces(cut(values, {3, 4, 3}), {8, 32});  // floats 2 to 7
  ASSERT_EQ(slice.size(), 3U);
  EXPECT_EQ(slice[0].data, piece_of(values).data + 8);
  EXPECT_EQ(slice[0].bytes.count, 4U);
  EXPECT_EQ(slice[1].bytes.count, 16U);
  EXPECT_EQ(slice[2].bytes.count, 4U);
  EXPECT_TRUE(slice_pieces(cut(values, {10}), {12, 12}).empty());
}

// Messages of a channel match by order: the first send fills the first recv.
TEST(Messages, OfAChannelArriveInOrderEachInItsPlace) {
  ProgramSketch sketch(2);
  std::vector<SketchedTransfer> transfers;
  for (int i = 0; i < 50; ++i) transfers.push_back(sketch.transfer({0, 1}, 40));
  const Program program = std::move(sketch).build();
  std::vector<std::vector<float>> sent(50, std::vector<float>(10)), received = sent;
  std::map<DeviceId, DeviceData> data;
  for (std::size_t i = 0; i < 50; ++i) {
    std::iota(sent[i].begin(), sent[i].end(), 10.0F * static_cast<float>(i));
    data[DeviceId{0}].pieces[transfers[i].send] = cut(sent[i], {4, 6});
    data[DeviceId{1}].pieces[transfers[i].recv] = cut(received[i], {9, 1});
  }
  for (const Misbehaviour& misbehaviour :
       {Misbehaviour{}, Misbehaviour{.eager_below = Bytes{1000}, .longest_delay = Seconds{1e-4}}}) {
    for (std::vector<float>& values : received) values.assign(10, 0.0F);
    EmulatedRun(program, ideal_cluster(2),
                {.wrap = misbehaving(program, misbehaviour), .engines = data_engines(data)})
        .executor()
        .run_step(Tracing::Off);
    EXPECT_EQ(received, sent);
  }
}

TEST(Channels, ArePairsInUseOnceForTransfersAndOncePerGroup) {
  ProgramSketch sketch(3);
  const auto moved = sketch.transfer({0, 2}, 8);
  sketch.all_reduce({0, 2}, 8);
  const Program program = std::move(sketch).build();
  const Channels channels(program);
  const DeviceId d0{0}, d2{2};
  const std::vector<Channel> expected{{d0, d2, {}}, {d0, d2, GroupId{0}}, {d2, d0, GroupId{0}}};
  EXPECT_EQ(channels.list(), expected);
  EXPECT_EQ(channels.of(moved.send), channels.of(moved.recv));
  EXPECT_EQ(channels.at(channels.of(moved.send)), expected[0]);
  EXPECT_FALSE(channels.find({d2, d0, {}}).valid());
}

TEST(DeviceRanks, AreDealtInOrder) {
  // floor(i 2 / 5): 0, 0.4, 0.8, 1.2, 1.6
  EXPECT_EQ(ranks_of_devices(5, 2), (std::vector<std::int32_t>{0, 0, 0, 1, 1}));
  EXPECT_EQ(devices_of_rank({0, 0, 0, 1, 1}, 1), (std::vector<DeviceId>{{3}, {4}}));
}

}  // namespace
}  // namespace pipegraph::test
