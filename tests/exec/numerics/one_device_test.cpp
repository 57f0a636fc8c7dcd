// Whatever the plan, the same numbers as on one device: bit for bit where micro-batches and shares
// are the same.
#include <gtest/gtest.h>

#include "exec/training/initial_weights.h"
#include "tests/exec/golden/graph_run.h"
#include "tests/exec/numerics/small_networks.h"
#include "tests/exec/numerics/trained_plans.h"

namespace pipegraph::test {
namespace {

struct NetworkCase {
  std::string name;
  ComputationGraph graph;
  std::vector<std::string> cuts;
};
void PrintTo(const NetworkCase& test, std::ostream* out) { *out << test.name; }

std::vector<NetworkCase> network_cases() {
  return {{"chain", dense_chain(), {"fc1", "fc2", "fc3"}},
          {"diamond", diamond_network(), {"left", "right", "sum"}},
          {"skips", skipping_network(), {"fc1", "fc2", "fc3", "join"}},
          {"tied", tied_network(), {"norm", "head"}},
          {"two_tied_pairs", two_tied_pairs_network(), {"sum", "type_head"}},
          {"transformer", transformer_network(), {"attention", "add", "narrow"}},
          {"half_gradient", half_gradient_network(), {"join", "head"}},
          {"two_losses", two_losses_network(), {"first", "second"}},
          {"recommendation", recommendation_network(), {"bottom", "bag", "dots", "top"}}};
}

class OneDevice : public testing::TestWithParam<NetworkCase> {};

INSTANTIATE_TEST_SUITE_P(Networks, OneDevice, testing::ValuesIn(network_cases()),
                         [](const auto& test) { return test.param.name; });

TEST_P(OneDevice, IsThePlainRunOfTheWholeNetworkWithOneMicroBatch) {
  const ComputationGraph& graph = GetParam().graph;
  GraphRun<CpuDevice> plain(graph, 8);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    std::vector<float> weights(graph.operators()[i].parameters.count / sizeof(float));
    fill_initial_weights(graph, make_id<OperatorId>(i), 1, weights);
    plain.visit_parameters([&](const std::string& name, std::span<float> values, auto) {
      for (const ParameterTensor& tensor :
           parameter_layout(operator_shape(graph, make_id<OperatorId>(i))))
        if (name == graph.operators()[i].name + "/" + std::string(tensor.name))
          std::copy_n(weights.begin() + tensor.offset, values.size(), values.begin());
    });
  }
  plain.read(SyntheticData(graph, 1));
  plain.run_forward();
  plain.run_backward();
  Outcome expected{plain.losses(), {}};
  plain.visit_parameters([&](const std::string& name, auto, std::span<float> gradient) {
    expected.tensors[name] = {gradient.begin(), gradient.end()};
  });
  expect_same_bits(gradients_of(graph, on_one_device(graph, {.micro_batch = 8})), expected,
                   "one micro-batch");
}

TEST_P(OneDevice, EqualsEveryPlanOfTheSameMicroBatches) {
  const auto& [name, graph, cuts] = GetParam();
  const Outcome expected = gradients_of(graph, on_one_device(graph));
  for (const char* schedule : {"1f1b", "gpipe", "kfkb", "zb1p"})
    for (const bool recompute : {false, true})
      for (const bool overlap : {true, false}) {
        PlanSketch sketch = cut_before(graph, cuts, {.schedule = schedule});
        sketch.lowering.overlap = overlap;
        if (recompute) sketch = recomputed(sketch);
        const std::string what =
            fmt::format("{} recompute {} overlap {}", schedule, recompute, overlap);
        expect_same_bits(gradients_of(graph, sketch), expected, what + " graph");
        sketch.kind = PlanKind::Sequential;
        expect_same_bits(gradients_of(graph, sketch), expected, what + " chain");
      }
}

TEST_P(OneDevice, RepeatsItselfBitForBit) {
  const auto& [name, graph, cuts] = GetParam();
  const auto plan = plan_from(graph, cut_before(graph, cuts, {.optimizer = Optimizer::Adam}));
  const auto outcome = [&] {
    TrainingRun run(plan->workload, plan->stages, plan->program);
    return Outcome{run.train(3), run.parameters()};
  };
  const Outcome first = outcome();
  for (int repeat = 0; repeat < 3; ++repeat) expect_same_bits(outcome(), first, "again");
}

}  // namespace
}  // namespace pipegraph::test
