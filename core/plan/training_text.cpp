// Training both ways.
#include "core/plan/training_text.h"

#include <fmt/format.h>

#include <vector>

namespace pipegraph {
namespace {

constexpr std::array k_precision_values{Precision::Fp32, Precision::Fp32Tensor, Precision::Tf32,
                                        Precision::Fp16, Precision::Bf16};
constexpr std::array k_optimizers{Optimizer::None, Optimizer::Sgd, Optimizer::Momentum,
                                  Optimizer::Adam};

/// Samples of a mini-batch: sums of two counts of samples and devices stay 32-bit numbers.
constexpr std::int32_t k_most_samples = 1 << 30;

/// One of `values`, by its text.
template <class Values>
typename Values::value_type read_choice(const YamlValue& value, const Values& values) {
  std::vector<std::string> names;
  for (const auto& choice : values) names.emplace_back(to_text(choice));
  return values[value.as_choice(names)];
}

}  // namespace

Training read_training(const YamlValue& value) {
  MapReader reader(value, "training");
  Training training;
  training.mini_batch =
      static_cast<std::int32_t>(reader.required("mini_batch").as_integer(1, k_most_samples));
  if (const auto precision = reader.optional("precision"))
    training.precision = read_choice(*precision, k_precision_values);
  if (const auto optimizer = reader.optional("optimizer"))
    training.optimizer = read_choice(*optimizer, k_optimizers);
  reader.finish();
  return training;
}

std::string to_yaml_text(const Training& training) {
  return fmt::format("{{mini_batch: {}, precision: {}, optimizer: {}}}", training.mini_batch,
                     to_text(training.precision), to_text(training.optimizer));
}

}  // namespace pipegraph
