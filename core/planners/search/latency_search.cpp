#include "core/planners/search/latency_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pipegraph {
namespace {

constexpr double k_infinite = std::numeric_limits<double>::infinity();

class Sweep {
 public:
  Sweep(const SearchProblem& problem, const PairTable& pairs, const BatchCosts& costs)
      : problem_(problem), pairs_(pairs), batch_(costs), costs_(problem, pairs, costs) {
    const int batches = (problem.mini_batch + costs.micro_batch - 1) / costs.micro_batch;
    repeats_ = batches - 1;
    memory_binds_ = std::ranges::any_of(pairs.pairs(), [&](const StagePair& pair) {
      return costs_.most_height(pair, 1) != PairCosts::k_any_height;
    });
  }

  LatencyOutcome run(const LatencyOptions& options) {
    LatencyOutcome outcome;
    const std::vector<double> largest = candidates();
    best_ = k_infinite;
    const double least_sum = search(k_infinite, outcome);
    double tried = -1.0;
    for (const double target : largest) {
      if (least_sum + repeats_ * target >= best_) break;
      if (target <= tried) continue;
      // What is skipped until the next trial is covered by trying its far end.
      tried = target * (1.0 + options.step);
      search(tried, outcome);
    }
    outcome.latency = best_ * batch_.micro_batch;
    outcome.lower_bound = outcome.latency / (1.0 + options.step);
    return outcome;
  }

 private:
  struct Label {
    std::int32_t devices = 0;
    std::int32_t stages = 0;
    double sum = 0.0;
    double largest = 0.0;
    std::int32_t inner = -1;
    std::int32_t label = -1;
    std::int32_t d = 0;
  };

  /// Every stage's time at every number of devices, ascending.
  std::vector<double> candidates() const {
    std::vector<double> times;
    for (const StagePair& pair : pairs_.pairs())
      for (int d = 1; d <= costs_.most_devices(); ++d) times.push_back(costs_.time(pair, d));
    std::ranges::sort(times);
    times.erase(std::ranges::unique(times).begin(), times.end());
    return times;
  }

  void keep(std::vector<Label>& labels, const Label& label) const {
    const auto no_worse = [&](const Label& a, const Label& b) {
      return a.devices <= b.devices && a.sum <= b.sum && (!memory_binds_ || a.stages <= b.stages);
    };
    for (const Label& other : labels)
      if (no_worse(other, label)) return;
    std::erase_if(labels, [&](const Label& other) { return no_worse(label, other); });
    labels.push_back(label);
  }

  bool hopeless(const Label& label, std::int32_t ideal, double target) const {
    const double rest =
        costs_.work(static_cast<std::int32_t>(pairs_.ideals()) - 1) - costs_.work(ideal);
    return label.devices + std::ceil(rest / target - 1e-9) > problem_.devices;
  }

  void extend(const StagePair& pair, double target) {
    const std::vector<Label>& below = labels_[static_cast<std::size_t>(pair.inner)];
    for (int d = 1; d <= costs_.most_devices(); ++d) {
      const double time = costs_.time(pair, d);
      if (time > target) continue;
      const int height = costs_.most_height(pair, d);
      for (std::size_t i = 0; i < below.size(); ++i) {
        const Label label{below[i].devices + d,
                          below[i].stages + 1,
                          below[i].sum + time,
                          std::max(below[i].largest, time),
                          pair.inner,
                          static_cast<std::int32_t>(i),
                          d};
        if (label.stages > height || hopeless(label, pair.outer, target)) continue;
        keep(labels_[static_cast<std::size_t>(pair.outer)], label);
      }
    }
  }

  /// The least sum with no stage above `target`; takes the plan if it is the best so far.
  double search(double target, LatencyOutcome& outcome) {
    ++outcome.sweeps;
    labels_.assign(pairs_.ideals(), {});
    labels_.front().push_back({});
    for (std::size_t inner = 0; inner + 1 < pairs_.ideals(); ++inner) {
      if (labels_[inner].empty()) continue;
      const auto ideal = static_cast<std::int32_t>(inner);
      for (std::size_t i = pairs_.begin(ideal); i < pairs_.end(ideal); ++i)
        extend(pairs_.pairs()[i], target);
    }
    const std::vector<Label>& ends = labels_.back();
    if (ends.empty()) return k_infinite;
    const Label& end = *std::ranges::min_element(ends, {}, &Label::sum);
    const double value = end.sum + repeats_ * end.largest;
    if (value < best_) {
      best_ = value;
      outcome.plan = plan_of(end);
    }
    return end.sum;
  }

  SearchPlan plan_of(Label label) const {
    SearchPlan plan;
    plan.micro_batch = batch_.micro_batch;
    auto outer = static_cast<std::int32_t>(pairs_.ideals()) - 1;
    while (label.inner >= 0) {
      NodeSet blocks = pairs_.ideal(outer);
      blocks -= pairs_.ideal(label.inner);
      plan.stages.push_back({blocks.nodes(), label.d, 1, 0.0});
      outer = label.inner;
      label = labels_[static_cast<std::size_t>(outer)][static_cast<std::size_t>(label.label)];
    }
    std::ranges::reverse(plan.stages);
    settle(problem_, batch_, plan);
    return plan;
  }

  const SearchProblem& problem_;
  const PairTable& pairs_;
  const BatchCosts& batch_;
  PairCosts costs_;
  double repeats_ = 0.0;
  bool memory_binds_ = true;
  std::vector<std::vector<Label>> labels_;
  double best_ = k_infinite;
};

}  // namespace

LatencyOutcome least_latency(const SearchProblem& problem, const PairTable& pairs,
                             const BatchCosts& costs, const LatencyOptions& options) {
  return Sweep(problem, pairs, costs).run(options);
}

}  // namespace pipegraph
