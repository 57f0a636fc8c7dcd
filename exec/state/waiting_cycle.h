// Instructions that wait for each other in a cycle: why a program that is stuck is a deadlock.
#pragma once

#include <vector>

#include "core/program/program.h"
#include "core/run/stuck.h"

namespace pipegraph {

/// Each waits for the next, the last for the first; an instruction behind others waits for the
/// first of its lane. Empty if there is no cycle. Two halves that are both posted are none: their
/// message is on its way, or lost.
std::vector<InstructionId> waiting_cycle(const Program& program, const Stuck& stuck);

}  // namespace pipegraph
