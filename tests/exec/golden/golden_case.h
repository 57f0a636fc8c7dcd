// Loss and gradients of small networks as an independent implementation computed them
// (golden_gradients.py), with the weights and samples that belong to them, for tests that carry the
// same network out by whatever way.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/model/computation_graph.h"
#include "exec/training/data_source.h"

namespace pipegraph::test {

struct GoldenGradient {
  std::vector<std::int64_t> shape;
  double norm = 0.0;
  double largest = 0.0;     ///< magnitude
  double projection = 0.0;  ///< scalar product with a stream of random numbers
  std::map<std::int64_t, double> elements;
};

struct GoldenCase {
  std::string name;
  ComputationGraph graph;
  std::int64_t samples = 0;                         ///< of the mini-batch, from 0 on
  double loss = 0.0;                                ///< mean over the samples
  std::map<std::string, GoldenGradient> gradients;  ///< by "<operator>/<tensor>"
};

/// Names of the cases, for tests with parameters.
std::vector<std::string> golden_case_names();

/// Read from tests/golden/gradients. Errors: std::runtime_error.
GoldenCase golden_case(const std::string& name);

/// The weights of tensor "<operator>/<tensor>".
void fill_golden_weights(const std::string& name, std::span<float> into);

/// Fails the running test where `gradient` is off by more than `tolerance` of its largest element.
void expect_golden_gradient(const GoldenCase& golden, const std::string& name,
                            std::span<const float> gradient, double tolerance);

/// Features, indices, targets and classes of all samples.
class GoldenData final : public DataSource {
 public:
  /// `graph` must outlive this.
  explicit GoldenData(const ComputationGraph& graph) : graph_(graph) {}
  void read(OperatorId op, std::int64_t first_sample, std::span<float> into) const override;
  void read(OperatorId op, std::int64_t first_sample, std::span<std::int32_t> into) const override;

 private:
  const ComputationGraph& graph_;
};

}  // namespace pipegraph::test
