#include "tests/exec/golden/golden_case.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "exec/kernels/random.h"
#include "models/table.h"

namespace pipegraph::test {

namespace {

using Json = nlohmann::json;

constexpr std::uint64_t k_seed = 7;
constexpr float k_weight_bound = 0.4F;

kernels::RandomStream stream(const std::string& name) {
  return kernels::random_stream(k_seed, name);
}

Json read_json(const std::string& name) {
  const std::string path = fmt::format("{}/{}.json", PIPEGRAPH_GOLDEN_GRADIENTS, name);
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  return Json::parse(file);
}

/// Choices and flags stand in the file as in YAML; a family takes their positions.
std::int64_t parameter_value(const FamilyParameter& parameter, const Json& value) {
  if (!parameter.is_choice()) return value.get<std::int64_t>();
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  const auto& choices = parameter.choices;
  return std::find(choices.begin(), choices.end(), value.get<std::string>()) - choices.begin();
}

ComputationGraph build_graph(const Json& json) {
  const std::string family = json.at("family");
  ParameterValues values;
  for (const FamilyParameter& parameter : find_family(family)->parameters)
    if (json.at("parameters").contains(parameter.name))
      values[parameter.name] = parameter_value(parameter, json.at("parameters").at(parameter.name));
  return build_family(family, values);
}

GoldenGradient gradient_of(const Json& json) {
  GoldenGradient gradient{
      json.at("shape"), json.at("norm"), json.at("largest"), json.at("projection"), {}};
  for (const auto& [index, value] : json.at("elements").items())
    gradient.elements[std::stoll(index)] = value;
  return gradient;
}

}  // namespace

std::vector<std::string> golden_case_names() {
  return {"mmt", "mmt_relu", "gpt", "gpt_untied", "dlrm", "dlrm_dot", "candle_uno"};
}

GoldenCase golden_case(const std::string& name) {
  const Json json = read_json(name);
  GoldenCase golden{name, build_graph(json), json.at("samples"), json.at("loss"), {}};
  for (const auto& [tensor, gradient] : json.at("gradients").items())
    golden.gradients[tensor] = gradient_of(gradient);
  return golden;
}

void fill_golden_weights(const std::string& name, std::span<float> into) {
  const float middle = name.ends_with("/gain") ? 1.0F : 0.0F;
  for (std::size_t i = 0; i < into.size(); ++i)
    into[i] = middle + k_weight_bound * stream(name).symmetric(i);
}

void expect_golden_gradient(const GoldenCase& golden, const std::string& name,
                            std::span<const float> gradient, double tolerance) {
  ASSERT_TRUE(golden.gradients.contains(name)) << name << " is not among the golden gradients";
  const GoldenGradient& expected = golden.gradients.at(name);
  std::int64_t elements = 1;
  for (const std::int64_t size : expected.shape) elements *= size;
  ASSERT_EQ(static_cast<std::int64_t>(gradient.size()), elements) << name;

  double squares = 0.0;
  double projection = 0.0;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    squares += static_cast<double>(gradient[i]) * gradient[i];
    projection += static_cast<double>(gradient[i]) * stream(name + ":projection").symmetric(i);
  }
  const double each = tolerance * expected.largest;
  for (const auto& [index, value] : expected.elements)
    EXPECT_NEAR(gradient[static_cast<std::size_t>(index)], value, each) << name << "[" << index;
  // Errors of `each` in every element, with random signs, change a sum over all by sqrt(n) of it.
  const double all = each * std::sqrt(static_cast<double>(elements));
  EXPECT_NEAR(std::sqrt(squares), expected.norm, all) << name;
  EXPECT_NEAR(projection, expected.projection, all) << name;
}

void GoldenData::read(OperatorId op, std::int64_t first_sample, std::span<float> into) const {
  const Operator& reader = graph_.at(op);
  const bool is_input = reader.arithmetic.kind == Arithmetic::Input;
  const OperatorArithmetic& shape =
      is_input ? reader.arithmetic : graph_.at(reader.inputs.front()).arithmetic;
  const auto first = static_cast<std::uint64_t>(first_sample * shape.rows * shape.columns);
  const kernels::RandomStream numbers = stream(reader.name + (is_input ? ":features" : ":targets"));
  for (std::size_t i = 0; i < into.size(); ++i) into[i] = numbers.symmetric(first + i);
}

void GoldenData::read(OperatorId op, std::int64_t first_sample,
                      std::span<std::int32_t> into) const {
  const Operator& reader = graph_.at(op);
  const bool is_input = reader.arithmetic.kind == Arithmetic::Input;
  const OperatorArithmetic& shape =
      is_input ? reader.arithmetic : graph_.at(reader.inputs.front()).arithmetic;
  const auto limit = static_cast<std::int32_t>(is_input ? shape.table_rows : shape.columns);
  const auto first = static_cast<std::uint64_t>(first_sample * shape.rows);
  const kernels::RandomStream numbers = stream(reader.name + (is_input ? ":indices" : ":classes"));
  for (std::size_t i = 0; i < into.size(); ++i) into[i] = numbers.below(limit, first + i);
}

}  // namespace pipegraph::test
