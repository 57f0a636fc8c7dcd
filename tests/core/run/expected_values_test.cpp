// The values one can redo on paper, on the analytic backend.
#include "tests/support/expected_values.h"

#include "core/run/analytic_backend.h"

namespace pipegraph::test {
namespace {

Conformant analytic() {
  return {.name = "analytic",
          .run = [](const Program& program, const Topology& topology, Dispatching dispatching) {
            const auto backend = make_analytic_backend(program, topology);
            return run_program(program, *backend, dispatching);
          }};
}

INSTANTIATE_TEST_SUITE_P(Analytic, ExpectedValues, testing::Values(analytic()), conformant_name);

}  // namespace
}  // namespace pipegraph::test
