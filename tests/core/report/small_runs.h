// Runs whose timelines are worked out on paper.
#pragma once

#include <memory>

#include "core/program/program.h"
#include "core/report/run_report.h"
#include "core/run/timeline.h"

namespace pipegraph::test {

/// The timeline that the analytic backend gives.
Timeline run_analytically(const Program& program, const Topology& topology);

/// A chain of stages, one per device, F = 1 s and B = 2 s per sample, one sample per micro-batch
/// and free messages, scheduled 1F1B and run analytically. Every micro-batch keeps 100 B of
/// activations on each device from the start of its forward to the end of its backward; 500 B of
/// parameters, as much of gradients, and 50 B reserved.
class ChainRun {
 public:
  ChainRun(int stages, std::int32_t micro_batches, Seconds latency = Seconds{0},
           Bytes output = Bytes{1024});
  const Run& run() const { return *run_; }
  Topology& topology() { return topology_; }

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
