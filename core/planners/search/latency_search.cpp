#include "core/planners/search/latency_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace pipegraph {
namespace {

constexpr double k_infinite = std::numeric_limits<double>::infinity();

/// No more than one stage a block can have.
int usable_devices(const SearchProblem& problem, const BatchCosts& costs) {
  const double most = static_cast<double>(problem.blocks()) * costs.max_devices;
  return most < problem.devices ? static_cast<int>(most) : problem.devices;
}

class Sweep {
 public:
  Sweep(const SearchProblem& problem, const PairTable& pairs, const BatchCosts& costs)
      : problem_(problem),
        pairs_(pairs),
        batch_(costs),
        costs_(problem, pairs, costs),
        devices_(usable_devices(problem, costs)) {
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
    sums_to_come_ = least_sums_to_come();
    const double least_sum = search(k_infinite, outcome);
    const auto feasible = std::ranges::partition_point(
        largest, [&](double t) { return search(t, outcome) == k_infinite; });
    double tried = -1.0;
    double bound = k_infinite;
    for (const double target : std::ranges::subrange(feasible, largest.end())) {
      if (least_sum + repeats_ * target >= best_) break;
      if (target <= tried) continue;
      hopeless_ = best_;
      // What is skipped until the next trial is covered by trying its far end.
      tried = target * (1.0 + options.step);
      // Of chains with a largest time from here to there, those that were not hopeless.
      bound = std::min(bound, search(tried, outcome) + repeats_ * target);
    }
    outcome.latency = best_ * batch_.micro_batch;
    outcome.lower_bound = std::min(bound, best_) * batch_.micro_batch;
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

  /// Where memory does not bind, one place by devices; else all that no other is no worse than.
  void keep(std::vector<Label>& labels, const Label& label) const {
    if (!memory_binds_) {
      Label& known = labels[static_cast<std::size_t>(label.devices)];
      if (label.sum < known.sum) known = label;
      return;
    }
    const auto no_worse = [](const Label& a, const Label& b) {
      return a.devices <= b.devices && a.sum <= b.sum && a.stages <= b.stages;
    };
    for (const Label& other : labels)
      if (no_worse(other, label)) return;
    std::erase_if(labels, [&](const Label& other) { return no_worse(label, other); });
    labels.push_back(label);
  }

  /// Positions of the labels that others with fewer devices do not make needless, by devices where
  /// memory does not bind.
  std::vector<std::int32_t> useful(const std::vector<Label>& labels) const {
    std::vector<std::int32_t> result;
    double least = k_infinite;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (!memory_binds_ && labels[i].sum >= least) continue;
      least = labels[i].sum;
      result.push_back(static_cast<std::int32_t>(i));
    }
    return result;
  }

  /// By ideal the least sum of the stages that follow it, whatever their devices.
  std::vector<double> least_sums_to_come() const {
    std::vector<double> least(pairs_.ideals(), k_infinite);
    least.back() = 0.0;
    for (std::size_t inner = pairs_.ideals() - 1; inner-- > 0;) {
      const auto ideal = static_cast<std::int32_t>(inner);
      for (std::size_t i = pairs_.begin(ideal); i < pairs_.end(ideal); ++i) {
        const StagePair& pair = pairs_.pairs()[i];
        const double rest = least[static_cast<std::size_t>(pair.outer)];
        for (int d = 1; d <= costs_.most_devices(); ++d)
          least[inner] = std::min(least[inner], rest + costs_.time(pair, d));
      }
    }
    return least;
  }

  /// By ideal the devices that the rest needs at least if no stage is above `target`.
  std::vector<std::int32_t> devices_to_come(double target) const {
    const auto last = static_cast<std::int32_t>(pairs_.ideals()) - 1;
    std::vector<std::int32_t> devices;
    for (std::int32_t ideal = 0; ideal <= last; ++ideal) {
      const double rest = costs_.work(last) - costs_.work(ideal);
      // Huge for tiny targets; nothing takes no devices, even in no time.
      const double needed = rest > 0.0 ? std::ceil(rest / target - 1e-9) : 0.0;
      devices.push_back(static_cast<std::int32_t>(std::min(needed, devices_ + 1.0)));
    }
    return devices;
  }

  void extend(const StagePair& pair, std::span<const std::int32_t> from, double target) {
    const std::vector<Label>& below = labels_[static_cast<std::size_t>(pair.inner)];
    const auto outer = static_cast<std::size_t>(pair.outer);
    for (int d = 1; d <= costs_.most_devices(); ++d) {
      const double time = costs_.time(pair, d);
      if (time > target) continue;
      const int height = memory_binds_ ? costs_.most_height(pair, d) : PairCosts::k_any_height;
      const int most = devices_ - devices_to_come_[outer] - d;
      for (const std::int32_t i : from) {
        const Label& before = below[static_cast<std::size_t>(i)];
        if (before.devices > most) continue;
        const Label label{before.devices + d,
                          before.stages + 1,
                          before.sum + time,
                          std::max(before.largest, time),
                          pair.inner,
                          i,
                          d};
        if (label.stages > height ||
            label.sum + sums_to_come_[outer] + repeats_ * label.largest >= hopeless_)
          continue;
        keep(labels_[outer], label);
      }
    }
  }

  /// The least sum with no stage above `target`; takes the plan if it is the best so far.
  double search(double target, LatencyOutcome& outcome) {
    ++outcome.sweeps;
    devices_to_come_ = devices_to_come(target);
    if (devices_to_come_.front() > devices_) return k_infinite;
    const std::size_t places = memory_binds_ ? 0 : static_cast<std::size_t>(devices_) + 1;
    labels_.assign(pairs_.ideals(), std::vector<Label>(places, Label{.sum = k_infinite}));
    if (memory_binds_) labels_.front().emplace_back();
    labels_.front().front() = {};
    for (std::size_t inner = 0; inner + 1 < pairs_.ideals(); ++inner) {
      const std::vector<std::int32_t> from = useful(labels_[inner]);
      if (from.empty()) continue;
      const auto ideal = static_cast<std::int32_t>(inner);
      for (std::size_t i = pairs_.begin(ideal); i < pairs_.end(ideal); ++i)
        extend(pairs_.pairs()[i], from, target);
    }
    const std::vector<Label>& ends = labels_.back();
    if (useful(ends).empty()) return k_infinite;
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
  int devices_ = 1;  ///< that stages can use
  double repeats_ = 0.0;
  bool memory_binds_ = true;
  std::vector<double> sums_to_come_;           ///< by ideal
  std::vector<std::int32_t> devices_to_come_;  ///< by ideal, at the target of the sweep
  std::vector<std::vector<Label>> labels_;     ///< by ideal
  double best_ = k_infinite;                   ///< seconds per sample, of the best plan so far
  double hopeless_ = k_infinite;               ///< partial plans that take so long are given up
};

}  // namespace

double steps_of_sweep(const SearchProblem& problem, const PairTable& pairs,
                      const BatchCosts& costs) {
  return static_cast<double>(pairs.pairs().size()) * costs.max_devices *
         usable_devices(problem, costs);
}

LatencyOutcome least_latency(const SearchProblem& problem, const PairTable& pairs,
                             const BatchCosts& costs, const LatencyOptions& options) {
  return Sweep(problem, pairs, costs).run(options);
}

}  // namespace pipegraph
