// A network of one parameter tensor and its momentum, whose steps depend on everything they should:
// parameters, state, samples, learning rate.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "exec/training/step_runner.h"
#include "tests/exec/training/fake_state.h"

namespace pipegraph::test {

/// Sample i is the number 1 / (i + 1).
class FakeData final : public DataSource {
 public:
  void read(OperatorId, std::int64_t first, std::span<float> into) const override {
    for (std::size_t i = 0; i < into.size(); ++i)
      into[i] = 1.0F / static_cast<float>(first + static_cast<std::int64_t>(i) + 1);
  }
  void read(OperatorId, std::int64_t, std::span<std::int32_t>) const override {}
};

class FakeRunner final : public StepRunner {
 public:
  explicit FakeRunner(std::size_t mini_batch)
      : mini_batch_(mini_batch), state_({{"w", {3}}, {"w:momentum", {3}}}) {
    state_.values()[0] = {1.0F, -2.0F, 0.5F};
  }

  /// Each loss is the mean of (w_k - sample)^2.
  std::vector<LossValue> run(const StepOrder& order) override {
    orders.push_back(order);
    std::vector<float> samples(mini_batch_);
    order.data->read(OperatorId{0}, order.first_sample, samples);
    std::vector<LossValue> losses;
    for (std::size_t k = 0; k < 3; ++k) {
      float& w = state_.values()[0][k];
      float& momentum = state_.values()[1][k];
      double loss = 0.0;
      float gradient = 0.0F;
      for (const float sample : samples) {
        loss += (w - sample) * (w - sample);
        gradient += 2 * (w - sample) / static_cast<float>(mini_batch_);
      }
      losses.push_back({make_id<OperatorId>(k), loss / static_cast<double>(mini_batch_)});
      if (order.kind == StepKind::Evaluate) continue;
      momentum = static_cast<float>(order.optimizer.momentum) * momentum + gradient;
      w -= static_cast<float>(order.optimizer.learning_rate) * momentum;
    }
    if (order.step == diverges_at) losses[1].mean = std::numeric_limits<double>::quiet_NaN();
    return losses;
  }
  FakeState& state() override { return state_; }

  std::vector<StepOrder> orders;  ///< all so far
  std::int64_t diverges_at = -1;

 private:
  std::size_t mini_batch_;
  FakeState state_;
};

}  // namespace pipegraph::test
