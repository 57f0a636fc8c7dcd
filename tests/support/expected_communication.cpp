// What messages and collectives cost where nothing else uses their links.
#include "core/program/program.h"
#include "tests/support/expected_values.h"
#include "tests/support/tiny_clusters.h"
#include "tests/support/tiny_graphs.h"
#include "tests/support/tiny_stages.h"

namespace pipegraph::test {
namespace {

double duration_of(const PaperRun& run, InstructionKind kind) {
  for (std::size_t i = 0; i < run.program.size(); ++i)
    if (run.program.instructions()[i].kind == kind)
      return (run.timeline.end[i] - run.timeline.start[i]).count();
  ADD_FAILURE() << "no such instruction";
  return 0;
}

TEST_P(ExpectedValues, AGigabyteOverAGigabytePerSecondTakesASecond) {
  const PaperCase paper =
      per_operator(chain_graph(2, Seconds{1}, Seconds{2}, Bytes{1'000'000'000}));
  const PaperRun result = run(paper, ported_cluster(2, Seconds{0}, BytesPerSecond{1e9}));
  EXPECT_NEAR(duration_of(result, InstructionKind::Send), 1.0, 1e-9);
  EXPECT_NEAR(result.makespan_s, 1 + 1 + 3 + 1 + 2, 1e-9);
}

TEST_P(ExpectedValues, AMessageTakesLatencyAndBytesOverTheSlowestLink) {
  const PaperCase paper = per_operator(chain_graph(2, Seconds{1}, Seconds{2}, Bytes{3'000'000}));
  const PaperRun result = run(paper, ported_cluster(2, Seconds{0.25}, BytesPerSecond{2e6}));
  EXPECT_NEAR(duration_of(result, InstructionKind::Send), 0.25 + 1.5, 1e-9);
}

TEST_P(ExpectedValues, OneForwardOneBackwardWithFiftyMebibytesPerMessage) {
  // 33 + 16 (0.9765625 + l) ms: 50 MiB at 50 GiB/s take 0.9765625 ms.
  PaperCase paper = per_operator(chain_graph(4, Seconds{1e-3}, Seconds{2e-3}, Bytes{52'428'800}));
  paper.mini_batch = 8;
  for (const double latency_s : {10e-9, 500e-9}) {
    const Topology cluster =
        ported_cluster(4, Seconds{latency_s}, BytesPerSecond{53'687'091'200.0});
    const double expected = 33e-3 + 16 * (0.9765625e-3 + latency_s);
    EXPECT_NEAR(run(paper, cluster).makespan_s, expected, 1e-9 * expected);
  }
}

TEST_P(ExpectedValues, ARingOfEightReducesAHundredMegabytes) {
  // 2 (d - 1) / d n / c + 2 (d - 1) l = 2 x 7 / 8 x 100 MB / 50 GB/s + 14 x 10 ns = 3.5 ms + 140
  // ns.
  PaperCase paper = per_operator(chain_graph(1, {.parameters = Bytes{100'000'000}}));
  paper.stages = replicated(batched(paper, 8).stages, 8);
  paper.mini_batch = 8;
  const PaperRun result = run(paper, ported_cluster(8, Seconds{10e-9}, BytesPerSecond{50e9}));
  EXPECT_NEAR(duration_of(result, InstructionKind::AllReduce), 3.5e-3 + 140e-9, 1e-12);
}

}  // namespace
}  // namespace pipegraph::test
