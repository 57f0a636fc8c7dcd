#include "tests/support/conformance.h"

#include "sim/simulate.h"

namespace pipegraph::test {
namespace {

Conformant simgrid(const std::string& name, TransferMode mode) {
  return {
      name, [mode](const Program& program, const Topology& topology, Dispatching dispatching) {
        return simulate(program, topology, {.transfers = mode, .dispatching = dispatching}).outcome;
      }};
}

INSTANTIATE_TEST_SUITE_P(, Conformance,
                         testing::Values(simgrid("SimGrid", TransferMode::LoneAsTimers),
                                         simgrid("SimGridAllAsFlows", TransferMode::AllAsFlows)),
                         conformant_name);

}  // namespace
}  // namespace pipegraph::test
