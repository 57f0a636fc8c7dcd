#include "tests/support/conformance.h"

#include "core/run/analytic_backend.h"
#include "core/run/sharing_backend.h"
#include "core/run/threads_backend.h"
#include "tests/support/fake_backend.h"

namespace pipegraph::test {
namespace {

Conformant analytic() {
  return {"Analytic",
          [](const Program& program, const Topology& topology, Dispatching dispatching) {
            return run_program(program, *make_analytic_backend(program, topology), dispatching);
          }};
}

Conformant sharing() {
  return {"Sharing", [](const Program& program, const Topology& topology, Dispatching dispatching) {
            return run_program(program, *make_sharing_backend(program, topology), dispatching);
          }};
}

/// Computes wait while their device copies.
Conformant threads(const std::string& name, std::int32_t cores) {
  return {name,
          [cores](const Program& program, const Topology& topology, Dispatching dispatching) {
            return run_program(program, *make_threads_backend(program, topology, {.cores = cores}),
                               dispatching);
          },
          Promptness::Eventually};
}

Conformant fake(const std::string& name, FakeOptions options) {
  return {name,
          [options](const Program& program, const Topology&, Dispatching dispatching) {
            return run_program(program, *make_fake_backend(program, options), dispatching);
          },
          Promptness::Eventually};
}

INSTANTIATE_TEST_SUITE_P(, Conformance,
                         testing::Values(analytic(), sharing(), threads("Threads", 0),
                                         threads("ThreadsOnOneCore", 1),
                                         fake("FakeOldestFirst", {FakeOrder::OldestFirst}),
                                         fake("FakeNewestFirst", {FakeOrder::NewestFirst}),
                                         fake("FakeRandom1", {FakeOrder::Random, 1}),
                                         fake("FakeRandom2", {FakeOrder::Random, 2})),
                         conformant_name);

}  // namespace
}  // namespace pipegraph::test
