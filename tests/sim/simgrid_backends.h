// The SimGrid backend as shared suites take it, in both ways of carrying out transfers.
#pragma once

#include <string>

#include "sim/simulate.h"
#include "tests/support/conformance.h"

namespace pipegraph::test {

inline Conformant simgrid(const std::string& name, TransferMode mode) {
  return {
      name, [mode](const Program& program, const Topology& topology, Dispatching dispatching) {
        return simulate(program, topology, {.transfers = mode, .dispatching = dispatching}).outcome;
      }};
}

inline auto simgrid_backends() {
  return testing::Values(simgrid("SimGrid", TransferMode::LoneAsTimers),
                         simgrid("SimGridAllAsFlows", TransferMode::AllAsFlows));
}

}  // namespace pipegraph::test
