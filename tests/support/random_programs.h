// Random programs that can always finish, for property tests.
#pragma once

#include "core/program/program.h"
#include "tests/support/program_sketch.h"

namespace pipegraph::test {

struct RandomProgram {
  unsigned seed = 0;
  int devices = 4;
  int events = 60;  ///< computes, transfers and all-reduces together
  SketchLanes lanes = SketchLanes::Separate;
  std::uint64_t most_bytes = 1'000'000;
  double longest_compute = 1e-3;  ///< seconds
  /// Even devices reduce among themselves, and messages join even with odd devices: then no
  /// transfer ever uses the links between the ends of another, given a link per pair.
  bool apart = false;
};

/// Built in one global order, so that one queue per device suffices. Passes of all kinds take
/// turns, split backwards too. Waits, sizes (some 0) and durations (some 0) are random; equal
/// options give equal programs.
Program random_program(const RandomProgram& options);

}  // namespace pipegraph::test
