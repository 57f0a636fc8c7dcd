// Samples and weights with which arithmetic in fp32 is exact, so that no order of addition can
// change a result; and the part of a data source that one replica sees.
#pragma once

#include "core/model/computation_graph.h"
#include "exec/training/data_source.h"
#include "tests/support/training_run.h"

namespace pipegraph::test {

/// Features and targets are small whole numbers.
class WholeNumberData final : public DataSource {
 public:
  explicit WholeNumberData(const ComputationGraph& graph);
  void read(OperatorId op, std::int64_t first_sample, std::span<float> into) const override;
  void read(OperatorId op, std::int64_t first_sample, std::span<std::int32_t> into) const override;

 private:
  const ComputationGraph& graph_;
};

/// Every weight -1, 0 or 1.
void set_whole_number_weights(TrainingRun& run);

/// Of every `micro_batch` samples those from `first` on, `samples` of them, one after the other.
class ShareOfData final : public DataSource {
 public:
  struct Share {
    std::int64_t micro_batch = 1, first = 0, samples = 1;
  };
  ShareOfData(const ComputationGraph& graph, const DataSource& all, const Share& share)
      : graph_(graph), all_(all), share_(share) {}
  void read(OperatorId op, std::int64_t first_sample, std::span<float> into) const override;
  void read(OperatorId op, std::int64_t first_sample, std::span<std::int32_t> into) const override;

 private:
  template <class T>
  void read_each(OperatorId op, std::int64_t first_sample, std::span<T> into) const;

  const ComputationGraph& graph_;
  const DataSource& all_;
  Share share_;
};

}  // namespace pipegraph::test
