// Values one can redo on paper, for every backend: makespans and in-flight samples of schedules on
// chains and graphs, balance, communication. A test program of a backend links this and says
//   INSTANTIATE_TEST_SUITE_P(Analytic, ExpectedValues, testing::Values(...), conformant_name);
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/stage/stage_graph.h"
#include "tests/support/conformance.h"

namespace pipegraph::test {

/// What is run: stages with F and B in units per sample, no parameters, 1 KiB tensors.
struct PaperCase {
  ComputationGraph graph;
  std::vector<Stage> stages;
  std::string schedule = "1f1b";
  std::int32_t mini_batch = 1;
  PlanKind kind = PlanKind::Graph;
  std::int64_t extra_in_flight = 0;
};

/// What came out.
struct PaperRun {
  Program program;
  Timeline timeline;
  double makespan_s = 0.0;
  /// Largest number of samples, as run; of a device those of all its stages together.
  std::vector<std::int64_t> in_flight, in_flight_of_devices;
};

class ExpectedValues : public testing::TestWithParam<Conformant> {
 protected:
  /// On a cluster, or where messages take no time. The test fails if the program gets stuck, or is
  /// not strictly valid.
  PaperRun run(const PaperCase& paper, const Topology& topology) const;
  PaperRun run(const PaperCase& paper) const;
  /// Makespan in units, without messages' time.
  double units(const PaperCase& paper) const { return run(paper).makespan_s / GetParam().unit_s; }
  /// The same where every message takes `delay` units.
  double units_delayed(const PaperCase& paper, double delay) const;

  /// Stages of one operator and device each, F and B units of `unit_s` per sample.
  PaperCase chain(int stages, double forward = 1, double backward = 2) const;
  /// `paper` with every backward in two parts of so many units per sample.
  PaperCase split(PaperCase paper, double input, double weight) const;
  /// `paper` with micro-batches of `size` samples, or one size for each stage.
  static PaperCase batched(PaperCase paper, std::int32_t size);
  static PaperCase batched(PaperCase paper, const std::vector<std::int32_t>& sizes);

  /// Two branches of four stages, the second's last feeding the first's, which holds the join; as a
  /// chain in the order A1 A2 A3 B1 B2 B3 B4 A4.
  PaperCase two_branches(PlanKind kind) const;
  /// A stem, four branches of two stages, a join.
  PaperCase four_branches(PlanKind kind) const;
  PaperCase per_operator(ComputationGraph graph) const;
};

}  // namespace pipegraph::test
