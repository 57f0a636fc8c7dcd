// Samples without a file that a network can nevertheless learn from. Every sample belongs to one of
// a few concepts; features, indices, targets and classes are a pattern of the concept, the first
// two with as much noise on top. A sample depends on the seed and its global index only.
#pragma once

#include <cstdint>
#include <vector>

#include "exec/kernels/random.h"
#include "exec/training/data_fields.h"
#include "exec/training/data_source.h"

namespace pipegraph {

class SyntheticData final : public DataSource {
 public:
  SyntheticData(const ComputationGraph& graph, std::uint64_t seed);

  void read(OperatorId op, std::int64_t first_sample, std::span<float> into) const override;
  void read(OperatorId op, std::int64_t first_sample, std::span<std::int32_t> into) const override;

 private:
  struct Field {
    DataField field;
    kernels::RandomStream pattern, noise;
  };
  const Field& field_of(OperatorId op) const;
  std::uint64_t concept_of(std::uint64_t sample) const;

  std::vector<Field> fields_;  ///< ascending by operator
  kernels::RandomStream concepts_;
};

}  // namespace pipegraph
