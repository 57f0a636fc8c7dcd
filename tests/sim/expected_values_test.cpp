// The values one can redo on paper, on the SimGrid backend.
#include "tests/support/expected_values.h"

#include "sim/simulate.h"

namespace pipegraph::test {
namespace {

Conformant simgrid(const std::string& name, TransferMode mode) {
  return {
      name, [mode](const Program& program, const Topology& topology, Dispatching dispatching) {
        return simulate(program, topology, {.transfers = mode, .dispatching = dispatching}).outcome;
      }};
}

INSTANTIATE_TEST_SUITE_P(, ExpectedValues,
                         testing::Values(simgrid("SimGrid", TransferMode::LoneAsTimers),
                                         simgrid("SimGridAllAsFlows", TransferMode::AllAsFlows)),
                         conformant_name);

}  // namespace
}  // namespace pipegraph::test
