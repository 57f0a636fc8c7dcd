// Estimates of another clock against clocks whose rates, offsets and message times are known.
#include "exec/clock_offset.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "exec/common_clock.h"
#include "tests/exec/training/thread_ranks.h"

namespace pipegraph::test {
namespace {

/// Reads `skew` + (1 + `drift`) t at the true time t.
struct KnownClock {
  Seconds skew{0};
  double drift = 0.0;
  Seconds at(Seconds t) const { return skew + t * (1.0 + drift); }
};

/// Questions asked from `t` on, with ways there and back of random lengths.
std::vector<ClockEcho> ask(const KnownClock& own, const KnownClock& other, Seconds t,
                           std::mt19937& random) {
  std::exponential_distribution<double> way(1.0 / 50e-6);
  std::vector<ClockEcho> echoes;
  for (int i = 0; i < 16; ++i) {
    const Seconds asked = t, answered = asked + Seconds{way(random)};
    const Seconds received = answered + Seconds{3.0 * way(random)};
    echoes.push_back({own.at(asked), other.at(answered), own.at(received)});
    t = received;
  }
  return echoes;
}

TEST(ClockOffset, IsExactWhenBothWaysAreEquallyLong) {
  const std::vector<ClockEcho> echoes{{Seconds{1.0}, Seconds{7.5}, Seconds{2.0}},
                                      {Seconds{3.0}, Seconds{9.25}, Seconds{3.5}}};
  const OffsetEstimate estimate = estimate_offset(echoes);
  EXPECT_EQ(estimate.at, Seconds{3.25});  // the middle of the shorter of the two
  EXPECT_EQ(estimate.offset, Seconds{6.0});
  EXPECT_EQ(estimate.bound, Seconds{0.25});
}

TEST(ClockOffset, IsWrongByTheBoundWhenOneWayTakesAllTheTime) {
  const std::vector<ClockEcho> echoes{{Seconds{1.0}, Seconds{11.0}, Seconds{2.0}}};
  const OffsetEstimate estimate = estimate_offset(echoes);  // the true offset is 10 s
  EXPECT_EQ(estimate.offset - Seconds{10.0}, Seconds{-0.5});
  EXPECT_EQ(estimate.bound, Seconds{0.5});
}

TEST(ClockOffset, FollowsAStraightLineBetweenTwoEstimatesAndCountsItsChangeIntoTheBound) {
  const ClockOffset offset({.at = Seconds{10}, .offset = Seconds{1}, .bound = Seconds{0.125}},
                           {.at = Seconds{20}, .offset = Seconds{0.5}, .bound = Seconds{0.25}});
  EXPECT_EQ(offset.at(Seconds{10}), Seconds{1});
  EXPECT_EQ(offset.at(Seconds{15}), Seconds{0.75});
  EXPECT_EQ(offset.at(Seconds{20}), Seconds{0.5});
  EXPECT_EQ(offset.bound(), Seconds{0.75});
}

TEST(ClockOffset, IsNeverWrongByMoreThanItsBoundBetweenTheEstimates) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> skew(-1e3, 1e3), drift(-50e-6, 50e-6), part(0.0, 1.0);
    const KnownClock own{Seconds{skew(random)}, drift(random)};
    const KnownClock other{Seconds{skew(random)}, drift(random)};
    const ClockOffset offset(estimate_offset(ask(own, other, Seconds{5.0}, random)),
                             estimate_offset(ask(own, other, Seconds{9.0}, random)));
    const Seconds t{5.1 + 3.8 * part(random)};
    const Seconds error = offset.at(own.at(t)) - (other.at(t) - own.at(t));
    EXPECT_LE(std::abs(error.count()), offset.bound().count()) << "seed " << seed;
    EXPECT_LT(offset.bound(), Seconds{1e-3}) << "drift of 4 s and the shortest of 16 round trips";
  }
}

/// Ranks that are threads; each reads the machine's clock through one that is known.
class SkewedRanks final : public Ranks {
 public:
  SkewedRanks(Ranks& ranks, const std::vector<KnownClock>& clocks)
      : ranks_(ranks), clocks_(clocks) {}
  int rank() const override { return ranks_.rank(); }
  int size() const override { return ranks_.size(); }
  std::vector<std::string> all_gather(std::string_view mine) override {
    return ranks_.all_gather(mine);
  }
  std::vector<ClockEcho> ask_first_rank(int rounds, const ClockReader& now) override {
    std::vector<ClockEcho> echoes;
    for (int i = 0; rank() > 0 && i < rounds; ++i) {
      const Seconds asked = now(), answered = clocks_.front().at(true_time());
      echoes.push_back({asked, answered, now()});
    }
    return echoes;
  }
  const KnownClock& own() const { return clocks_[static_cast<std::size_t>(rank())]; }

  static Seconds true_time() { return std::chrono::steady_clock::now() - k_begin; }

 private:
  static inline const auto k_begin = std::chrono::steady_clock::now();
  Ranks& ranks_;
  const std::vector<KnownClock>& clocks_;
};

TEST(CommonClock, StartsStepsTogetherAndTellsTimesOfRankZero) {
  const std::vector<KnownClock> clocks{
      {Seconds{40}, 20e-6}, {Seconds{-300}, -30e-6}, {Seconds{7000}, 45e-6}};
  ThreadRanks::run(3, [&](Ranks& inner) {
    SkewedRanks ranks(inner, clocks);
    const KnownClock& own = ranks.own();
    CommonClock clock(ranks, RankClocks::Apart, [&] { return own.at(SkewedRanks::true_time()); });
    for (int step = 0; step < 3; ++step) {
      const Seconds start = clock.start();
      const Seconds moment = SkewedRanks::true_time();
      const Seconds noted = own.at(moment) - start;
      clock.stop();
      ASSERT_TRUE(clock.bound());
      // Rank 0's clock at its own start, which all ranks heard of.
      double first = start.count();
      first = *reinterpret_cast<const double*>(
          inner.all_gather({reinterpret_cast<const char*>(&first), sizeof first}).front().data());
      const Seconds expected = clocks.front().at(moment) - Seconds{first};
      const Seconds error = noted + clock.correction(noted) - expected;
      // Once for the start, once for the correction; and what doubles of 7000 s resolve.
      EXPECT_LE(std::abs(error.count()), 2.0 * clock.bound()->count() + 1e-11);
    }
  });
}

TEST(CommonClock, IsTheMachinesWhereAllRanksReadIt) {
  ThreadRanks::run(2, [](Ranks& ranks) {
    CommonClock clock(ranks, RankClocks::AsFound, [] { return SkewedRanks::true_time(); });
    const Seconds start = clock.start();
    clock.stop();
    EXPECT_FALSE(clock.bound());
    EXPECT_EQ(clock.correction(Seconds{5}), Seconds{0});
    double own = start.count();
    const auto all = ranks.all_gather({reinterpret_cast<const char*>(&own), sizeof own});
    EXPECT_EQ(all.front(), all.back());
  });
}

}  // namespace
}  // namespace pipegraph::test
