// What device threads wait with: mailboxes, and the pool of threads.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "exec/device_threads.h"
#include "exec/transport/fifo.h"
#include "exec/transport/mailbox.h"

namespace pipegraph {
namespace {

constexpr Seconds k_long{3600};

TEST(Mailbox, GivesWhatManyThreadsPutEachInItsOrder) {
  Mailbox<std::pair<int, int>> mailbox;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&mailbox, t] {
      for (int i = 0; i < 500; ++i) mailbox.put({t, i});
    });
  std::vector<int> next(4, 0);
  std::vector<std::pair<int, int>> taken;
  for (int seen = 0; seen < 2000;) {
    mailbox.sleep(k_long);
    mailbox.take(taken);
    for (const auto& [thread, number] : taken)
      EXPECT_EQ(number, next[static_cast<std::size_t>(thread)]++);
    seen += static_cast<int>(taken.size());
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(mailbox.empty());
}

TEST(Mailbox, WakingEndsThisSleepAndAllLaterOnes) {
  Mailbox<int> mailbox;
  std::thread waker([&] { mailbox.wake(); });
  mailbox.sleep(k_long);
  mailbox.sleep(k_long);
  waker.join();
}

TEST(Mailbox, SleepsNoLongerThanAsked) {
  Mailbox<int> mailbox;
  mailbox.sleep(Seconds{1e-3});
  EXPECT_TRUE(mailbox.empty());
}

TEST(Fifo, KeepsOrderAcrossEmptying) {
  Fifo<int> fifo;
  int next_in = 0;
  int next_out = 0;
  for (int round = 1; round < 20; ++round) {
    for (int i = 0; i < round % 5; ++i) fifo.push(next_in++);
    for (int i = 0; i < round % 4 && !fifo.empty(); ++i) {
      EXPECT_EQ(fifo.front(), next_out++);
      fifo.pop();
    }
  }
  EXPECT_EQ(fifo.empty(), next_in == next_out);
}

TEST(DeviceThreads, RunEachTaskOnceOnEveryThread) {
  for (const Seconds spin : {Seconds{0}, Seconds{1e-3}}) {
    DeviceThreads threads(3, spin);
    std::vector<std::atomic<int>> ran(3);
    for (int task = 1; task <= 50; ++task) {
      threads.begin([&](std::size_t place) { ++ran[place]; });
      ASSERT_TRUE(threads.wait(k_long));
      for (const auto& count : ran) EXPECT_EQ(count, task);
    }
  }
}

TEST(DeviceThreads, WaitingForATaskThatTakesLongerSaysSo) {
  DeviceThreads threads(2, Seconds{0});
  std::atomic<bool> finish{false};
  threads.begin([&](std::size_t) {
    while (!finish) std::this_thread::yield();
  });
  EXPECT_FALSE(threads.wait(Seconds{1e-3}));
  finish = true;
  EXPECT_TRUE(threads.wait(k_long));
}

}  // namespace
}  // namespace pipegraph
