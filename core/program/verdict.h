// How much a program asks of its machine: strict, lanes, buffered or deadlock, with the cycle of
// waits that rules the milder verdict out.
#pragma once

#include <string>
#include <vector>

#include "core/program/matching.h"
#include "core/program/validate.h"

namespace pipegraph {

struct VerdictAndCycle {
  Verdict verdict = Verdict::Strict;
  std::vector<InstructionId> cycle;
  std::string text;
};

VerdictAndCycle decide(const Program& program, const Matching& matching);

}  // namespace pipegraph
