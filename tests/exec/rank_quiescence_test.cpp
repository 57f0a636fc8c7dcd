// Whether all ranks wait, from reports that are late, against a job of which everything is known.
#include "exec/transport/rank_quiescence.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>

namespace pipegraph {
namespace {

/// Two ranks, and a channel from the first to the second.
RankQuiescence pair_of_ranks() { return RankQuiescence(2, {{ChannelId{0}, 0, 1}}); }

RankReport waiting(std::uint64_t activity, std::uint64_t heard, ChannelCount count) {
  return {DevicesState::Waiting, activity, heard, {count}};
}

TEST(RankQuiescence, IsReachedWhenReportsOfTheNextRoundAreTheSame) {
  RankQuiescence ranks = pair_of_ranks();
  ranks.take(0, waiting(1, 0, {1, 0}));  // has sent what nobody receives
  EXPECT_FALSE(ranks.reached());         // nothing is known of rank 1
  ranks.take(1, waiting(5, 0, {0, 0}));
  EXPECT_FALSE(ranks.reached());  // the first reports begin a round
  EXPECT_EQ(ranks.round(), 1U);
  EXPECT_FALSE(ranks.reached());
  ranks.take(0, waiting(1, 1, {1, 0}));
  EXPECT_FALSE(ranks.reached());  // rank 1 may have gone on before it heard of it
  ranks.take(1, waiting(5, 1, {0, 0}));
  EXPECT_TRUE(ranks.reached());
}

TEST(RankQuiescence, IsNotReachedWhileAMessageIsOnItsWay) {
  RankQuiescence ranks = pair_of_ranks();
  for (std::uint64_t heard = 0; heard < 3; ++heard) {
    ranks.take(0, waiting(1, heard, {1, 0}));
    ranks.take(1, waiting(1, heard, {1, 0}));  // both halves are posted
    EXPECT_FALSE(ranks.reached());
  }
  EXPECT_EQ(ranks.round(), 0U);
}

TEST(RankQuiescence, BeginsAgainWhenSomethingHasHappenedSince) {
  RankQuiescence ranks = pair_of_ranks();
  ranks.take(0, waiting(1, 0, {0, 0}));
  ranks.take(1, waiting(1, 0, {0, 0}));
  EXPECT_FALSE(ranks.reached());
  ranks.take(0, waiting(1, 1, {0, 0}));
  ranks.take(1, waiting(3, 1, {0, 0}));  // it has been busy, and waits again
  EXPECT_FALSE(ranks.reached());
  EXPECT_EQ(ranks.round(), 2U);
}

TEST(RankQuiescence, IsNotReachedByRanksThatAreAllThrough) {
  RankQuiescence ranks = pair_of_ranks();
  for (std::uint64_t heard = 0; heard < 3; ++heard) {
    ranks.take(0, {DevicesState::Done, 1, heard, {{}}});
    ranks.take(1, {DevicesState::Done, 1, heard, {{}}});
    EXPECT_FALSE(ranks.reached());
  }
}

TEST(RankQuiescence, CountsTheChannelsBetweenRanksOnly) {
  // Devices 0 and 1 on rank 0, device 2 on rank 1.
  ProgramBuilder builder(3, {"s"});
  const auto add = [&](int from, int to) {
    Instruction send;
    send.kind = InstructionKind::Send;
    send.stage = StageId{0};
    send.samples = {0, 1};
    send.device = DeviceId{from};
    send.peer = DeviceId{to};
    send.lane = builder.lane({send.device, LaneKind::Send, send.peer, {}});
    builder.add(send, {});
  };
  add(0, 1);
  add(0, 2);
  add(2, 1);
  const Program program = std::move(builder).build();
  const Channels channels(program);
  const auto remote = remote_channels(channels, {0, 0, 1});
  ASSERT_EQ(remote.size(), 2U);
  EXPECT_EQ(channels.at(remote[0].id).to, DeviceId{2});
  EXPECT_EQ(remote[0].to, 1);
  EXPECT_EQ(remote[1].from, 1);
}

/// Ranks that post halves at random, wait, and are woken by messages that complete at either end at
/// different times. Reports and news of rounds reach the others late, in order.
class RandomJob {
 public:
  RandomJob(unsigned seed, std::size_t ranks) : random_(seed), ranks_(ranks) {
    for (std::int32_t from = 0; from < std::ssize(ranks_); ++from)
      for (std::int32_t to = 0; to < std::ssize(ranks_); ++to)
        if (from != to) channels_.push_back({make_id<ChannelId>(channels_.size()), from, to});
    sent_.resize(channels_.size());
    received_.resize(channels_.size());
    decider_.emplace(ranks, channels_);
  }

  /// Whether it was said that everything has come to rest; checks that it has.
  bool run(int events) {
    for (int i = 0; i < events; ++i) {
      something_happens(number(ranks_.size()));
      if (!decider_->reached()) continue;
      EXPECT_TRUE(at_rest());
      return true;
    }
    return false;
  }

  /// Lets all ranks wait, and all that can arrive arrive.
  void come_to_rest() {
    for (Rank& rank : ranks_) rank.busy = false;
    for (std::size_t c = 0; c < channels_.size(); ++c) {
      sent_[c].completed = received_[c].completed = std::min(sent_[c].posted, received_[c].posted);
    }
    for (Rank& rank : ranks_) ++rank.activity;
  }
  bool said_within_three_reports() {
    for (int i = 0; i < 3; ++i) {
      for (std::size_t r = 0; r < ranks_.size(); ++r) {
        ranks_[r].heard = decider_->round();
        decider_->take(r, report(r));
      }
      if (decider_->reached()) return true;
    }
    return false;
  }

 private:
  struct Rank {
    bool busy = true;
    std::uint64_t activity = 0;
    std::uint64_t heard = 0;
    std::deque<RankReport> on_their_way;
    std::deque<std::uint64_t> rounds_on_their_way;
  };

  std::size_t number(std::size_t below) { return random_() % below; }

  void something_happens(std::size_t r) {
    Rank& rank = ranks_[r];
    switch (number(6)) {
      case 0:
        return post(r);
      case 1:
        return complete(r);
      case 2:
        rank.busy = rank.busy && number(3) > 0;
        return;
      case 3:
        rank.on_their_way.push_back(report(r));
        return;
      case 4:
        if (rank.on_their_way.empty()) return;
        decider_->take(r, rank.on_their_way.front());
        return rank.on_their_way.pop_front();
      default:
        rank.rounds_on_their_way.push_back(decider_->round());
        if (number(2) == 0) return;
        rank.heard = rank.rounds_on_their_way.front();
        rank.rounds_on_their_way.pop_front();
    }
  }

  /// A few messages, so that jobs come to rest.
  void post(std::size_t r) {
    const std::size_t c = number(channels_.size());
    if (!ranks_[r].busy || posts_++ > 40) return;
    if (channels_[c].from == static_cast<std::int32_t>(r))
      ++sent_[c].posted;
    else if (channels_[c].to == static_cast<std::int32_t>(r))
      ++received_[c].posted;
    else
      return;
    ++ranks_[r].activity;
  }

  void complete(std::size_t r) {
    const std::size_t c = number(channels_.size());
    const bool sends = channels_[c].from == static_cast<std::int32_t>(r);
    if (!sends && channels_[c].to != static_cast<std::int32_t>(r)) return;
    ChannelCount& own = sends ? sent_[c] : received_[c];
    if (own.completed == std::min(sent_[c].posted, received_[c].posted)) return;
    ++own.completed;
    ++ranks_[r].activity;
    ranks_[r].busy = true;
  }

  RankReport report(std::size_t r) const {
    RankReport report{ranks_[r].busy ? DevicesState::Busy : DevicesState::Waiting,
                      ranks_[r].activity,
                      ranks_[r].heard,
                      {}};
    for (std::size_t c = 0; c < channels_.size(); ++c) {
      if (channels_[c].from == static_cast<std::int32_t>(r)) report.channels.push_back(sent_[c]);
      if (channels_[c].to == static_cast<std::int32_t>(r)) report.channels.push_back(received_[c]);
    }
    return report;
  }

  bool at_rest() const {
    for (const Rank& rank : ranks_)
      if (rank.busy) return false;
    for (std::size_t c = 0; c < channels_.size(); ++c) {
      const std::uint32_t matched = std::min(sent_[c].posted, received_[c].posted);
      if (sent_[c].completed != matched || received_[c].completed != matched) return false;
    }
    return true;
  }

  std::mt19937 random_;
  std::vector<Rank> ranks_;
  std::vector<RemoteChannel> channels_;
  std::vector<ChannelCount> sent_, received_;  ///< by channel
  std::optional<RankQuiescence> decider_;
  int posts_ = 0;
};

TEST(RankQuiescence, IsSaidOnlyOfJobsAtRest) {
  int said = 0;
  for (unsigned seed = 0; seed < 400; ++seed)
    said += RandomJob(seed, 2 + seed % 3).run(3000) ? 1 : 0;
  EXPECT_GT(said, 100) << "jobs hardly ever came to rest, so that nothing was tested";
}

TEST(RankQuiescence, IsSaidOfEveryJobAtRestOnceItsRanksHaveReportedThrice) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    RandomJob job(seed, 3);
    job.run(100);
    job.come_to_rest();
    EXPECT_TRUE(job.said_within_three_reports()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace pipegraph
