#include "exec/training/synthetic_data.h"

#include <algorithm>

#include "core/base/errors.h"

namespace pipegraph {

namespace {

constexpr std::int32_t k_concepts = 8;

bool has_noise(DataKind kind) { return kind == DataKind::Features || kind == DataKind::Indices; }

}  // namespace

SyntheticData::SyntheticData(const ComputationGraph& graph, std::uint64_t seed)
    : concepts_(kernels::random_stream(seed, "concepts of samples")) {
  for (const DataField& field : data_fields(graph))
    fields_.push_back({field, kernels::random_stream(seed, "pattern of " + field.name),
                       kernels::random_stream(seed, "noise of " + field.name)});
}

const SyntheticData::Field& SyntheticData::field_of(OperatorId op) const {
  const auto found = std::lower_bound(
      fields_.begin(), fields_.end(), op,
      [](const Field& field, OperatorId wanted) { return field.field.op < wanted; });
  check(found != fields_.end() && found->field.op == op, "only inputs and losses read data");
  return *found;
}

std::uint64_t SyntheticData::concept_of(std::uint64_t sample) const {
  return static_cast<std::uint64_t>(concepts_.below(k_concepts, sample));
}

void SyntheticData::read(OperatorId op, std::int64_t first_sample, std::span<float> into) const {
  const Field& field = field_of(op);
  const auto size = static_cast<std::size_t>(field.field.elements());
  const bool noisy = has_noise(field.field.kind);
  for (std::size_t i = 0; i < into.size(); ++i) {
    const auto sample = static_cast<std::uint64_t>(first_sample) + i / size;
    const std::uint64_t element = i % size;
    into[i] = field.pattern.symmetric(concept_of(sample) * size + element);
    if (noisy) into[i] += field.noise.symmetric(sample * size + element);
  }
}

void SyntheticData::read(OperatorId op, std::int64_t first_sample,
                         std::span<std::int32_t> into) const {
  const Field& field = field_of(op);
  const auto size = static_cast<std::size_t>(field.field.elements());
  const std::int32_t below = field.field.below;
  for (std::size_t i = 0; i < into.size(); ++i) {
    const auto sample = static_cast<std::uint64_t>(first_sample) + i / size;
    const std::uint64_t element = i % size;
    // Every other index is noise; which, is noise too.
    const std::uint64_t own = sample * size + element;
    const bool noise = has_noise(field.field.kind) && field.noise.below(2, 2 * own) == 0;
    into[i] = noise ? field.noise.below(below, 2 * own + 1)
                    : field.pattern.below(below, concept_of(sample) * size + element);
  }
}

}  // namespace pipegraph
