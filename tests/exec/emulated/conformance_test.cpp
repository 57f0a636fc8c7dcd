#include "tests/support/conformance.h"

#include "tests/support/emulated_run.h"
#include "tests/support/expected_values.h"

namespace pipegraph::test {
namespace {

// Whatever is asked for, each device has a dispatcher of its own.
Conformant emulated(const std::string& name, const EmulatedRun::Settings& settings) {
  return {.name = name,
          .run = [settings](const Program& program, const Topology& topology, Dispatching) {
            return EmulatedRun(program, topology, settings).step();
          }};
}

Conformant virtual_time() {
  Conformant conformant = emulated("VirtualTime", {});
#ifdef __SANITIZE_THREAD__
  conformant.most_stages = 100;
#endif
  return conformant;
}

Conformant real_time() {
  Conformant conformant = emulated("RealTime", {.time = EmulatedTime::Real});
  conformant.promptness = Promptness::Eventually;
  conformant.unit_s = 1e-3;
  return conformant;
}

INSTANTIATE_TEST_SUITE_P(Emulated, Conformance, testing::Values(virtual_time(), real_time()),
                         conformant_name);
INSTANTIATE_TEST_SUITE_P(Emulated, ExpectedValues, testing::Values(virtual_time()),
                         conformant_name);

}  // namespace
}  // namespace pipegraph::test
