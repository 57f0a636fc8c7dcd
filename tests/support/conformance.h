// The tests that every backend must pass. A test program of a backend links this and says
//   INSTANTIATE_TEST_SUITE_P(Analytic, Conformance, testing::Values(...), conformant_name);
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <variant>

#include "core/cluster/topology.h"
#include "core/program/program.h"
#include "core/run/run_program.h"
#include "tests/support/timeline_checks.h"

namespace pipegraph::test {

/// How the suite runs a program on a backend.
struct Conformant {
  std::string name;
  std::function<std::variant<Timeline, Stuck>(const Program&, const Topology&, Dispatching)> run;
  Promptness promptness = Promptness::AtOnce;
  double unit_s = 1.0;     ///< length of the tests' time unit; shorter where time is real
  int most_stages = 1000;  ///< of the long chain; fewer where that many threads take minutes
};

class Conformance : public testing::TestWithParam<Conformant> {
 protected:
  /// The timeline under one dispatcher for all devices and under one per device; the test fails if
  /// the program gets stuck or a rule is broken. Simulated timelines must be equal.
  Timeline run(const Program& program, const Topology& topology) const;
  Timeline run(const Program& program) const;
  /// What blocks a program that cannot finish; the test fails if it does, or if the two kinds of
  /// dispatching disagree.
  Stuck run_stuck(const Program& program) const;
  double unit() const { return GetParam().unit_s; }
};

std::string conformant_name(const testing::TestParamInfo<Conformant>& info);

}  // namespace pipegraph::test
