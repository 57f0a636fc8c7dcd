// Runs whose timelines are worked out on paper.
#pragma once

#include <memory>

#include "core/program/program.h"
#include "core/report/run_report.h"
#include "core/run/timeline.h"

namespace pipegraph::test {

/// The timeline that the analytic backend gives.
Timeline run_analytically(const Program& program, const Topology& topology);

struct ChainOptions {
  int stages = 2;
  std::int32_t micro_batches = 2;
  Seconds latency{0};
  Bytes message{1024};  ///< per sample and edge
};

/// A chain of stages, one per device, F = 1 s and B = 2 s per sample, one sample per micro-batch,
/// scheduled 1F1B and run analytically; no optimizer. Every stage has 1000 B of parameters and
/// keeps 100 B per sample for its backward. Devices have 10 000 B, 50 of them reserved.
class ChainRun {
 public:
  explicit ChainRun(const ChainOptions& options);
  const Run& run() const { return *run_; }

 private:
  Topology topology_;
  Workload workload_;
  StageGraph stages_;
  Schedule schedule_;
  Program program_;
  Timeline timeline_;
  MemoryReport memory_;
  std::unique_ptr<Run> run_;
};

}  // namespace pipegraph::test
