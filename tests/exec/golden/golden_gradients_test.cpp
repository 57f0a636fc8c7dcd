// Whole networks on one device against the gradients that numpy computed in double.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "exec/cpu/cpu_device.h"
#include "exec/kernels/random.h"
#include "tests/exec/golden/golden_case.h"
#include "tests/exec/golden/graph_run.h"

namespace pipegraph::test {
namespace {

class GoldenGradients : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Networks, GoldenGradients, ::testing::ValuesIn(golden_case_names()),
                         [](const auto& test) { return test.param; });

TEST_P(GoldenGradients, AreThoseOfOneDevice) {
  const GoldenCase golden = golden_case(GetParam());
  check_executable(golden.graph);
  GraphRun<CpuDevice> run(golden.graph, golden.samples);
  run.visit_parameters([](const std::string& name, std::span<float> weights, std::span<float>) {
    fill_golden_weights(name, weights);
  });
  run.read(GoldenData(golden.graph));
  run.run_forward();
  run.run_backward();

  EXPECT_THAT(run.losses(),
              ::testing::ElementsAre(::testing::DoubleNear(golden.loss, 1e-6 * golden.loss)));
  std::size_t tensors = 0;
  run.visit_parameters([&](const std::string& name, std::span<float>, std::span<float> gradient) {
    expect_golden_gradient(golden, name, gradient, 2e-6);
    ++tensors;
  });
  EXPECT_EQ(tensors, golden.gradients.size());
}

TEST(RandomStreams, AreThoseOfNumpy) {
  std::ifstream file(std::string(PIPEGRAPH_GOLDEN_GRADIENTS) + "/random_numbers.json");
  const nlohmann::json streams = nlohmann::json::parse(file);
  EXPECT_GE(streams.size(), 4u);
  for (const auto& [name, numbers] : streams.items())
    for (std::size_t i = 0; i < numbers.size(); ++i)
      EXPECT_EQ(kernels::random_stream(7, name).bits(i),
                std::stoull(numbers[i].get<std::string>(), nullptr, 16))
          << name << " " << i;
}

}  // namespace
}  // namespace pipegraph::test
