// NCCL of the stand-in: matching by order, rendezvous, groups, collectives, failure.
#include <nccl.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

#include "tests/support/cuda_stand_in/stand_in_fixture.h"

namespace pipegraph::cuda_stand_in {
namespace {

/// What one rank does: a host thread with its device, a stream and a communicator.
struct Rank {
  int rank = 0;
  cudaStream_t stream = nullptr;
  ncclComm_t comm = nullptr;
};

class StandInTransfers : public StandIn {
 protected:
  /// Runs `act` on a thread for each rank, device i being rank i's.
  template <class Act>
  static void on_ranks(int ranks, Act act) {
    ncclUniqueId id;
    ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank)
      threads.emplace_back([=] {
        cudaSetDevice(rank);
        Rank self{rank, new_stream(), nullptr};
        ASSERT_EQ(ncclCommInitRank(&self.comm, ranks, id, rank), ncclSuccess);
        act(self);
      });
    for (std::thread& thread : threads) thread.join();
  }

  static float value_of(const Rank& self, const float* data) {
    EXPECT_EQ(cudaStreamSynchronize(self.stream), cudaSuccess);
    return host_view(data)[0];
  }
};
INSTANTIATE_TEST_SUITE_P(Paces, StandInTransfers, both_paces(), pace_name);

TEST_P(StandInTransfers, MatchesMessagesOfAPairByOrder) {
  on_ranks(2, [](const Rank& self) {
    float* const first = new_floats(1);
    float* const second = new_floats(1);
    if (self.rank == 0) {
      fill(self.stream, first, 1, 1.0F);
      fill(self.stream, second, 1, 2.0F);
      ncclSend(first, 1, ncclFloat32, 1, self.comm, self.stream);
      ncclSend(second, 1, ncclFloat32, 1, self.comm, self.stream);
      cudaStreamSynchronize(self.stream);
    } else {
      ncclRecv(first, 1, ncclFloat32, 0, self.comm, self.stream);
      ncclRecv(second, 1, ncclFloat32, 0, self.comm, self.stream);
      EXPECT_EQ(value_of(self, first), 1.0F);
      EXPECT_EQ(value_of(self, second), 2.0F);
    }
    ncclCommDestroy(self.comm);
  });
}

TEST_P(StandInTransfers, SendsOfBothFirstDeadlockUnlessGrouped) {
  start({.patience = std::chrono::milliseconds(200)});
  on_ranks(2, [](const Rank& self) {
    float* const data = new_floats(2);
    const int peer = 1 - self.rank;
    fill(self.stream, data, 2, 1.0F);
    ncclGroupStart();
    ncclSend(data, 1, ncclFloat32, peer, self.comm, self.stream);
    ncclRecv(data + 1, 1, ncclFloat32, peer, self.comm, self.stream);
    EXPECT_EQ(ncclGroupEnd(), ncclSuccess);
    EXPECT_EQ(cudaStreamSynchronize(self.stream), cudaSuccess);
    ncclSend(data, 1, ncclFloat32, peer, self.comm, self.stream);
    ncclRecv(data + 1, 1, ncclFloat32, peer, self.comm, self.stream);
    EXPECT_NE(cudaStreamSynchronize(self.stream), cudaSuccess);
  });
  const auto findings = take_findings();
  ASSERT_FALSE(findings.empty());
  EXPECT_NE(findings[0].find("send to rank 1 of 4 bytes waits for the peer"), std::string::npos);
}

TEST_P(StandInTransfers, SmallSendsMayCompleteEarly) {
  start({.eager_limit_bytes = 4});
  on_ranks(2, [](const Rank& self) {
    float* const data = new_floats(2);
    const int peer = 1 - self.rank;
    fill(self.stream, data, 2, static_cast<float>(self.rank));
    ncclGroupStart();
    ncclSend(data, 1, ncclFloat32, peer, self.comm, self.stream);
    ncclRecv(data + 1, 1, ncclFloat32, peer, self.comm, self.stream);
    ncclGroupEnd();
    ncclSend(data, 1, ncclFloat32, peer, self.comm, self.stream);
    ncclRecv(data + 1, 1, ncclFloat32, peer, self.comm, self.stream);
    EXPECT_EQ(value_of(self, data + 1), static_cast<float>(peer));
    ncclCommDestroy(self.comm);
  });
}

TEST_P(StandInTransfers, AddsUpOverAllRanks) {
  start({.devices = 3});
  on_ranks(3, [](const Rank& self) {
    float* const data = new_floats(1);
    fill(self.stream, data, 1, static_cast<float>(1 << self.rank));
    EXPECT_EQ(ncclAllReduce(data, data, 1, ncclFloat32, ncclSum, self.comm, self.stream),
              ncclSuccess);
    EXPECT_EQ(value_of(self, data), 7.0F);
    ncclCommDestroy(self.comm);
  });
}

TEST_P(StandInTransfers, AddsInAnOrderOfItsOwn) {
  start({.devices = 3});
  on_ranks(3, [](const Rank& self) {
    const float values[] = {1.0F, 1e8F, -1e8F};
    float* const data = new_floats(1);
    fill(self.stream, data, 1, values[self.rank]);
    ncclAllReduce(data, data, 1, ncclFloat32, ncclSum, self.comm, self.stream);
    EXPECT_EQ(value_of(self, data), 1.0F);  // in index order it would be 0
    ncclCommDestroy(self.comm);
  });
}

TEST_P(StandInTransfers, GathersFromAllRanks) {
  on_ranks(2, [](const Rank& self) {
    float* const mine = new_floats(1);
    float* const all = new_floats(2);
    fill(self.stream, mine, 1, static_cast<float>(10 + self.rank));
    ncclAllGather(mine, all, 1, ncclFloat32, self.comm, self.stream);
    EXPECT_EQ(value_of(self, all), 10.0F);
    EXPECT_EQ(host_view(all)[1], 11.0F);
    ncclCommDestroy(self.comm);
  });
}

TEST_P(StandInTransfers, ASplitKeepsThoseOfOneColour) {
  start({.devices = 3});
  on_ranks(3, [](const Rank& self) {
    ncclComm_t pair = nullptr;
    const int colour = self.rank == 1 ? NCCL_SPLIT_NOCOLOR : 0;
    EXPECT_EQ(ncclCommSplit(self.comm, colour, -self.rank, &pair, nullptr), ncclSuccess);
    if (self.rank == 1) {
      EXPECT_EQ(pair, nullptr);
    } else {
      int rank = -1;
      ncclCommUserRank(pair, &rank);
      EXPECT_EQ(rank, self.rank == 2 ? 0 : 1);
      ncclCommDestroy(pair);
    }
    ncclCommDestroy(self.comm);
  });
}

TEST_P(StandInTransfers, NamesBothSizesWhenTheyDiffer) {
  on_ranks(2, [](const Rank& self) {
    float* const data = new_floats(2);
    if (self.rank == 0)
      ncclSend(data, 1, ncclFloat32, 1, self.comm, self.stream);
    else
      ncclRecv(data, 2, ncclFloat32, 0, self.comm, self.stream);
    cudaStreamSynchronize(self.stream);
  });
  const auto findings = take_findings();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_NE(findings[0].find("receives 8 bytes where rank 0 sends 4"), std::string::npos);
}

TEST_P(StandInTransfers, RefusesTwoRanksOnOneDevice) {
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 2; ++rank)
    threads.emplace_back([=] {
      ncclComm_t comm = nullptr;
      EXPECT_EQ(ncclCommInitRank(&comm, 2, id, rank), ncclInvalidUsage);
      EXPECT_NE(std::string(ncclGetLastError(nullptr)).find("Duplicate GPU"), std::string::npos);
    });
  for (std::thread& thread : threads) thread.join();
}

TEST_P(StandInTransfers, OneLaunchOfACommunicatorRunsAtATimeOnAllStreams) {
  start({.patience = std::chrono::milliseconds(200)});
  on_ranks(2, [](const Rank& self) {
    // Rank 0 sends, then receives; rank 1 the same, on streams of their own: legal with a
    // communicator each, a deadlock with one.
    const cudaStream_t other = new_stream();
    float* const data = new_floats(2);
    const int peer = 1 - self.rank;
    ncclGroupStart();
    ncclSend(data, 1, ncclFloat32, peer, self.comm, self.stream);
    ncclRecv(data + 1, 1, ncclFloat32, peer, self.comm, self.stream);
    ncclGroupEnd();
    cudaStreamSynchronize(self.stream);
    ncclSend(data, 1, ncclFloat32, peer, self.comm, self.stream);
    ncclRecv(data + 1, 1, ncclFloat32, peer, self.comm, other);
    EXPECT_NE(cudaStreamSynchronize(other), cudaSuccess);
  });
  EXPECT_FALSE(take_findings().empty());
}

TEST_P(StandInTransfers, ANonBlockingCallStartsWhenItIsPolled) {
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  const auto poll = [](ncclComm_t comm) {
    ncclResult_t state = ncclInProgress;
    while (state == ncclInProgress) ncclCommGetAsyncError(comm, &state);
    return state;
  };
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 2; ++rank)
    threads.emplace_back([=] {
      cudaSetDevice(rank);
      const cudaStream_t stream = new_stream();
      ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
      config.blocking = 0;
      ncclComm_t comm = nullptr;
      EXPECT_EQ(ncclCommInitRankConfig(&comm, 2, id, rank, &config), ncclInProgress);
      EXPECT_EQ(poll(comm), ncclSuccess);
      float* const data = new_floats(1);
      fill(stream, data, 1, static_cast<float>(rank + 1));
      EXPECT_EQ(ncclAllReduce(data, data, 1, ncclFloat32, ncclSum, comm, stream), ncclInProgress);
      EXPECT_EQ(poll(comm), ncclSuccess);
      EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
      EXPECT_EQ(host_view(data)[0], 3.0F);
      ncclCommDestroy(comm);
    });
  for (std::thread& thread : threads) thread.join();
}

TEST_P(StandInTransfers, RanksThatMeetInAFolderExchangeAndAddUp) {
  std::string folder = testing::TempDir() + "meetingXXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  start({.shared_folder = folder});
  on_ranks(2, [](const Rank& self) {
    float* const data = new_floats(1);
    fill(self.stream, data, 1, static_cast<float>(self.rank + 1));
    ncclAllReduce(data, data, 1, ncclFloat32, ncclSum, self.comm, self.stream);
    EXPECT_EQ(value_of(self, data), 3.0F);
    fill(self.stream, data, 1, static_cast<float>(self.rank + 5));
    if (self.rank == 0)
      ncclSend(data, 1, ncclFloat32, 1, self.comm, self.stream);
    else
      ncclRecv(data, 1, ncclFloat32, 0, self.comm, self.stream);
    EXPECT_EQ(value_of(self, data), 5.0F);
    ncclCommDestroy(self.comm);
  });
  std::filesystem::remove_all(folder);
}

TEST_P(StandInTransfers, TellsOfAFailureWhenAsked) {
  on_ranks(2, [](const Rank& self) {
    ncclResult_t state = ncclSuccess;
    fail_communicators(ncclRemoteError);
    EXPECT_EQ(ncclCommGetAsyncError(self.comm, &state), ncclSuccess);
    EXPECT_EQ(state, ncclRemoteError);
    ncclCommAbort(self.comm);
  });
}

TEST_P(StandInTransfers, AbortFreesARankWhosePeerHasStopped) {
  start({.patience = std::chrono::milliseconds(200)});
  on_ranks(2, [](const Rank& self) {
    float* const data = new_floats(1);
    ncclAllReduce(data, data, 1, ncclFloat32, ncclSum, self.comm, self.stream);
    cudaStreamSynchronize(self.stream);
    if (self.rank == 1) return;
    stop_rank(1);
    ncclAllReduce(data, data, 1, ncclFloat32, ncclSum, self.comm, self.stream);
    EXPECT_EQ(ncclCommAbort(self.comm), ncclSuccess);
    EXPECT_EQ(cudaStreamSynchronize(self.stream), cudaSuccess);
  });
}

}  // namespace
}  // namespace pipegraph::cuda_stand_in
