// Runs the tests on every rank; the first one reports, the others only when something fails.
#include <gtest/gtest.h>

#include <cstdio>
#include <optional>

#include "tests/exec/mpi/mpi_run.h"

namespace pipegraph::test {
namespace {
std::optional<MpiSession> g_session;

/// Tells of failures only.
class FailurePrinter : public testing::EmptyTestEventListener {
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "rank %d: %s:%d: %s\n", session().rank(), result.file_name(),
                 result.line_number(), result.message());
  }
};
}  // namespace
const MpiSession& session() { return *g_session; }
}  // namespace pipegraph::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  pipegraph::test::g_session.emplace();
  if (pipegraph::test::session().rank() != 0) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new pipegraph::test::FailurePrinter);
  }
  const int failed = RUN_ALL_TESTS();
  pipegraph::test::g_session.reset();
  return failed;
}
