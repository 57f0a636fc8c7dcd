// What a program that is stopped by a signal leaves behind. The `simulate` here waits in a pipe
// that nobody writes to, where one of its plans should come from.
#include "apps/interruption.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "core/base/files.h"
#include "tests/apps/workbench.h"

namespace pipegraph {
namespace {

using test::Ran;
using test::run;

const std::vector<std::string> k_good{"simulate", "branches.yaml", "--no-report", "-o", "results"};

class Interrupted : public test::Workbench {
 protected:
  Interrupted() {
    write_branches();
    ::mkfifo("pipe.yaml", 0600);
    write_file("endless.yaml", read_file("branches.yaml") + "  - {name: late, file: pipe.yaml}\n");
  }

  /// The status of a run that got `signal` once it had begun to write to `folder`.
  int stop_with(int signal, const std::string& folder = "results") const {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(run({"simulate", "endless.yaml", "--no-report", "-o", folder}).code);
    int status = 0;
    while (!exists(folder + "/.partial/scenario.yaml")) {
      if (::waitpid(child, &status, WNOHANG) == child) return status;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ::kill(child, signal);
    ::waitpid(child, &status, 0);
    return status;
  }
};

TEST_F(Interrupted, SignalsEndItAndLeaveNothing) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const int status = stop_with(signal);
    EXPECT_TRUE(WIFSIGNALED(status)) << status;
    EXPECT_EQ(WTERMSIG(status), signal);
    EXPECT_FALSE(exists("results"));
  }
}

TEST_F(Interrupted, SignalsRemoveTheParentsThatWereMadeAndNoOthers) {
  std::filesystem::create_directory("old");
  stop_with(SIGINT, "old/new/newer/results");
  EXPECT_TRUE(exists("old"));
  EXPECT_FALSE(exists("old/new"));
}

/// The status of a process that does `work` and then ends with 0.
template <class Work>
int status_of(const Work& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    work();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

TEST_F(Interrupted, HeldSignalsComeOnceNobodyHoldsThem) {
  const int status = status_of([] {
    const SignalsHeld outer;
    {
      const SignalsHeld inner;
      ::raise(SIGTERM);
    }
    write_file("whole", "");
  });
  EXPECT_TRUE(exists("whole"));
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGTERM);
}

TEST_F(Interrupted, SignalsAreHeldOnEveryThread) {
  const int status = status_of([] {
    const SignalsHeld held;
    std::thread([] { ::raise(SIGINT); }).join();
    write_file("whole", "");
  });
  EXPECT_TRUE(exists("whole"));
  EXPECT_TRUE(WIFSIGNALED(status));
}

TEST_F(Interrupted, ResultsThatAreCommittedStay) {
  const int status = status_of([] {
    GuardedResults results("made/results");
    results.folder().write_summary("scenario", {});
    results.commit();
    ::raise(SIGTERM);
  });
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(exists("made/results/summary.json"));
}

TEST_F(Interrupted, ASignalEndsTheChildThatIsWaitedForFirst) {
  const int status = status_of([this] {
    const pid_t waiter = ::fork();
    if (waiter == 0) {
      std::signal(SIGTERM, [](int) { ::_exit(::creat("told", 0600) < 0 ? 1 : 0); });
      ::creat("ready", 0600);
      while (true) ::pause();
    }
    const EndedOnSignal ended(waiter);
    while (!exists("ready")) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ::raise(SIGHUP);
  });
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGHUP);
  EXPECT_TRUE(exists("told"));
}

TEST_F(Interrupted, SignalsEndACrossCheckAndLeaveNothing) {
  write_tower();
  const pid_t child = ::fork();
  if (child == 0)
    ::_exit(run({"crosscheck", "tower.yaml", "--steps", "1000000", "-o", "checked"}).code);
  int status = 0;
  while (!exists("checked/.partial")) {
    ASSERT_EQ(::waitpid(child, &status, WNOHANG), 0) << "it ended by itself";
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  // Measuring takes hours, what comes before the folder is watched over no time.
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  ::kill(child, SIGTERM);
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << status;
  EXPECT_FALSE(exists("checked"));
}

TEST_F(Interrupted, SignalsLeaveEarlierResults) {
  ASSERT_EQ(run(k_good).code, 0);
  stop_with(SIGTERM);
  EXPECT_TRUE(exists("results/summary.json"));
  EXPECT_FALSE(exists("results/.partial"));
}

TEST_F(Interrupted, TheNextRunRemovesWhatAKilledOneLeft) {
  stop_with(SIGKILL);
  EXPECT_TRUE(exists("results/.partial"));
  const Ran ran = run(k_good);
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(
      ran.err,
      testing::HasSubstr("note: results: removed the unfinished results of a run that was killed"));
  EXPECT_FALSE(exists("results/.partial"));
}

}  // namespace
}  // namespace pipegraph
