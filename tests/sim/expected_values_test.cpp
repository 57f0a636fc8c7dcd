// The values one can redo on paper, on the SimGrid backend.
#include "tests/support/expected_values.h"

#include "tests/sim/simgrid_backends.h"

namespace pipegraph::test {
namespace {

INSTANTIATE_TEST_SUITE_P(, ExpectedValues, simgrid_backends(), conformant_name);

}  // namespace
}  // namespace pipegraph::test
