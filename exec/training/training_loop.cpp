#include "exec/training/training_loop.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "core/base/errors.h"
#include "exec/training/checkpoint_folder.h"
#include "exec/training/finite_losses.h"

namespace pipegraph {
namespace {

double sum(const std::vector<double>& parts) {
  double total = 0.0;
  for (const double part : parts) total += part;
  return total;
}

class Loop {
 public:
  Loop(const TrainingParts& parts, TrainingPoint start, const TrainingOptions& options)
      : parts_(parts), options_(options), point_(std::move(start)) {}

  TrainingPoint run() {
    bool stopped = false;
    while (point_.step < options_.steps && !stopped) {
      LossRow row = step();
      stopped = asked_to_stop();
      if (!stopped && is_due(options_.validate_every, point_.step == options_.steps)) {
        row.validation_loss = validate();
        stopped = !row.validation_loss;
      }
      const bool last = stopped || point_.step == options_.steps;
      if (parts_.log != nullptr) parts_.log->append(row);
      parts_.report(row);
      if (is_due(options_.checkpoint_every, last))
        write_checkpoint(options_.checkpoints, point_, parts_.runner.state(), parts_.ranks);
    }
    return point_;
  }

 private:
  bool is_due(std::int64_t every, bool last) const {
    return every > 0 && (last || point_.step % every == 0);
  }

  LossRow step() {
    const auto begin = std::chrono::steady_clock::now();
    const std::vector<double> losses = run({.kind = StepKind::Train,
                                            .step = point_.step + 1,
                                            .first_sample = point_.samples,
                                            .data = &parts_.data,
                                            .optimizer = point_.settings});
    const Seconds time = std::chrono::steady_clock::now() - begin;
    ++point_.step;
    point_.samples += point_.mini_batch;
    return {.step = point_.step,
            .samples = point_.samples,
            .loss = sum(losses),
            .time = time,
            .parts = losses};
  }

  /// Mean over all validation samples, or nothing if asked to stop before the last of them.
  std::optional<double> validate() {
    double total = 0.0;
    for (std::int64_t i = 0; i < options_.validation_batches; ++i) {
      if (i > 0 && asked_to_stop()) return std::nullopt;
      total += sum(run({.kind = StepKind::Evaluate,
                        .step = point_.step,
                        .first_sample = options_.first_validation_sample + i * point_.mini_batch,
                        .data = parts_.validation,
                        .optimizer = point_.settings}));
    }
    return total / static_cast<double>(options_.validation_batches);
  }

  std::vector<double> run(const StepOrder& order) {
    const std::vector<LossValue> losses = parts_.runner.run(order);
    check_finite(
        losses,
        fmt::format("{} of step {}", order.kind == StepKind::Train ? "loss" : "validation loss",
                    order.step),
        "training has diverged, or the data do not fit it (try a smaller --learning-rate)");
    std::vector<double> means;
    for (const LossValue& value : losses) means.push_back(value.mean);
    return means;
  }

  bool asked_to_stop() {
    const std::string_view mine = parts_.stop() ? "stop" : "";
    if (parts_.ranks.size() == 1) return !mine.empty();
    const std::vector<std::string> all = parts_.ranks.all_gather(mine);
    return std::any_of(all.begin(), all.end(), [](const auto& text) { return !text.empty(); });
  }

  const TrainingParts& parts_;
  const TrainingOptions& options_;
  TrainingPoint point_;
};

}  // namespace

TrainingPoint train(const TrainingParts& parts, TrainingPoint start,
                    const TrainingOptions& options) {
  return Loop(parts, std::move(start), options).run();
}

}  // namespace pipegraph
