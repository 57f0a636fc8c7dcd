// The conformance suite on the SimGrid backend.
#include "tests/support/conformance.h"

#include "tests/sim/simgrid_backends.h"

namespace pipegraph::test {
namespace {

INSTANTIATE_TEST_SUITE_P(, Conformance, simgrid_backends(), conformant_name);

}  // namespace
}  // namespace pipegraph::test
