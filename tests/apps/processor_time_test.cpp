// Processor time counts work, here and in children, and no waiting.
#include "apps/processor_time.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <thread>

namespace pipegraph {
namespace {

constexpr Seconds k_work{0.02};

/// Computes until the C library's own count of this process has grown by k_work.
void work() {
  const std::clock_t begin = std::clock();
  while (Seconds{static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC} < k_work) {
  }
}

TEST(ProcessorTime, GrowsByTheWorkOfThisProcess) {
  const Seconds before = processor_time();
  work();
  EXPECT_GE(processor_time() - before, k_work * 0.99);
}

TEST(ProcessorTime, DoesNotGrowWhileOthersHaveTheProcessor) {
  const Seconds before = processor_time();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_LT(processor_time() - before, Seconds{0.1});
}

TEST(ProcessorTime, CountsAChildThatHasEnded) {
  const Seconds before = processor_time();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    work();
    ::_exit(0);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_GE(processor_time() - before, k_work * 0.5);
}

}  // namespace
}  // namespace pipegraph
