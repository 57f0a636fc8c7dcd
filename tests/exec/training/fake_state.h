// Training state in plain vectors.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "exec/training/training_state.h"

namespace pipegraph::test {

class FakeState final : public TrainingState {
 public:
  explicit FakeState(std::vector<StateTensor> tensors) : tensors_(std::move(tensors)) {
    for (const StateTensor& tensor : tensors_)
      values_.emplace_back(static_cast<std::size_t>(elements(tensor)));
  }

  const std::vector<StateTensor>& tensors() const override { return tensors_; }
  void read(std::size_t index, std::span<float> into) const override {
    std::copy(values_[index].begin(), values_[index].end(), into.begin());
  }
  void write(std::size_t index, std::span<const float> from) override {
    values_[index].assign(from.begin(), from.end());
  }

  std::vector<std::vector<float>>& values() { return values_; }
  /// Element i of tensor t becomes base + 100 t + i.
  void fill(float base) {
    for (std::size_t t = 0; t < values_.size(); ++t)
      for (std::size_t i = 0; i < values_[t].size(); ++i)
        values_[t][i] = base + 100.0F * static_cast<float>(t) + static_cast<float>(i);
  }

 private:
  std::vector<StateTensor> tensors_;
  std::vector<std::vector<float>> values_;
};

}  // namespace pipegraph::test
