#include "core/planners/search/mixed_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/planners/search/optimise.h"
#include "core/planners/search/pair_costs.h"

namespace pipegraph {
namespace {

constexpr double k_proof = 1e-9;  // relative; two bottlenecks closer than this are equal
constexpr double k_infinite = std::numeric_limits<double>::infinity();

/// One way to run a stage.
struct Mode {
  std::size_t size = 0;
  std::int64_t samples = 1;  ///< of a micro-batch
  int k = 1;
  std::int64_t run() const { return samples * k; }
};

std::int64_t round_up(std::int64_t samples, std::int64_t multiple) {
  return (samples + multiple - 1) / multiple * multiple;
}

/// What a stage needs in flight above a successor that has `bound`.
std::int64_t above(const Mode& own, const Mode& successor, std::int64_t bound) {
  if (own.k == 1 && successor.k == 1 && own.samples > successor.samples)
    return round_up(bound, own.samples) + own.samples;
  return round_up(bound + std::max(own.run(), successor.run()), own.samples);
}

class MixedSearch {
 public:
  MixedSearch(const MixedProblem& problem, const PairTable& pairs, std::size_t most_labels)
      : problem_(problem), pairs_(pairs), most_labels_(most_labels) {
    for (std::size_t size = 0; size < problem.sizes.size(); ++size) {
      costs_.emplace_back(problem.base, pairs, problem.sizes[size]);
      for (const int k : problem.ks) modes_.push_back({size, problem.sizes[size].micro_batch, k});
    }
    work_.assign(pairs.ideals(), k_infinite);
    for (const PairCosts& costs : costs_)
      for (std::size_t i = 0; i < work_.size(); ++i)
        work_[i] = std::min(work_[i], total(costs) - costs.work(static_cast<std::int32_t>(i)));
  }

  MixedOutcome run() {
    MixedOutcome outcome;
    outcome.lower_bound = k_infinite;
    for (const BatchCosts& costs : problem_.sizes)
      outcome.lower_bound =
          std::min(outcome.lower_bound, bottleneck_lower_bound(problem_.base, costs));
    outcome.exact = true;
    double low = outcome.lower_bound;
    const auto try_target = [&](double target) {
      ++outcome.probes;
      if (probe(target, outcome)) return true;
      low = std::max(low, target);
      if (dropped_)
        outcome.exact = false;
      else
        outcome.lower_bound = std::max(outcome.lower_bound, target);
      return false;
    };
    if (!try_target(k_infinite)) return outcome;
    for (int step = 0;; ++step) {
      const double value = outcome.max_time_per_sample;
      const double below = value * (1.0 - k_proof);
      const double middle = (low + value) / 2.0;
      if (below <= low) return outcome;
      try_target(step % 4 == 3 || middle >= below ? below : middle);
    }
  }

 private:
  struct Label {
    std::int32_t devices = 0;
    std::int32_t inner = -1;  ///< ideal below the last stage
    std::int32_t parent = -1;
    std::int32_t d = 1;
    std::int32_t mode = 0;
    std::int64_t in_flight = 0;
    std::vector<std::int64_t> needs;  ///< [live tensor][mode]: of a producer that runs so
  };

  double total(const PairCosts& costs) const {
    return costs.work(static_cast<std::int32_t>(pairs_.ideals()) - 1);
  }

  /// The least devices on which the stage meets target and memory; 0: none.
  int devices_for(const StagePair& pair, const Mode& mode, std::int64_t in_flight) const {
    const BatchCosts& batch = problem_.sizes[mode.size];
    const PairCosts& costs = costs_[mode.size];
    const std::int64_t batches = (problem_.base.mini_batch + mode.samples - 1) / mode.samples;
    const auto kept =
        static_cast<double>(std::min((in_flight + mode.samples - 1) / mode.samples, batches));
    for (int d = 1; d <= costs.most_devices(); ++d) {
      const int share = batch.share[batch.row_of_devices[static_cast<std::size_t>(d)]];
      if (pair.fixed + pair.saved * kept * share <= problem_.base.memory * (1.0 + 1e-12) &&
          costs.time(pair, d) <= target_)
        return d;
    }
    return 0;
  }

  std::span<const std::int64_t> needs_of(const Label& label, std::size_t live) const {
    return std::span(label.needs).subspan(live * modes_.size(), modes_.size());
  }

  std::int64_t in_flight(const StagePair& pair, const Label& below, std::size_t mode) const {
    std::int64_t most = modes_[mode].run();
    for (const std::uint16_t output : pairs_.outputs(pair))
      most = std::max(most, needs_of(below, output)[mode]);
    return most;
  }

  /// Needs of the outer ideal's live tensors once a stage that runs in `mode` is on top.
  std::vector<std::int64_t> needs_above(const StagePair& pair, const Label& below, const Mode& mode,
                                        std::int64_t bound) const {
    const auto lower = pairs_.live(pair.inner);
    const auto upper = pairs_.live(pair.outer);
    std::vector<std::int64_t> needs(upper.size() * modes_.size(), 0);
    std::size_t b = 0;
    for (std::size_t a = 0; a < upper.size(); ++a) {
      while (b < lower.size() && lower[b].tensor < upper[a].tensor) ++b;
      const bool in_both = b < lower.size() && lower[b].tensor == upper[a].tensor;
      const bool read = !in_both || upper[a].consumers > lower[b].consumers;
      for (std::size_t m = 0; m < modes_.size(); ++m) {
        std::int64_t& need = needs[a * modes_.size() + m];
        if (in_both) need = needs_of(below, b)[m];
        if (read) need = std::max(need, above(modes_[m], mode, bound));
      }
    }
    return needs;
  }

  void insert(std::vector<Label>& front, Label label) {
    const auto no_worse = [](const Label& a, const Label& b) {
      return a.devices <= b.devices && std::ranges::equal(a.needs, b.needs, std::less_equal<>{});
    };
    for (const Label& other : front)
      if (no_worse(other, label)) return;
    std::erase_if(front, [&](const Label& other) { return no_worse(label, other); });
    if (front.size() >= most_labels_) {
      dropped_ = true;
      const auto worst = std::ranges::max_element(front, {}, &Label::devices);
      if (worst->devices <= label.devices) return;
      front.erase(worst);
    }
    front.push_back(std::move(label));
  }

  void extend(const StagePair& pair) {
    const std::vector<Label>& from = fronts_[static_cast<std::size_t>(pair.inner)];
    const double rest = work_[static_cast<std::size_t>(pair.outer)] / target_ * (1.0 - k_proof);
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (from[i].devices + 1 + rest > problem_.base.devices) continue;
      for (std::size_t m = 0; m < modes_.size(); ++m) {
        const std::int64_t bound = in_flight(pair, from[i], m);
        const int d = devices_for(pair, modes_[m], bound);
        if (d == 0 || from[i].devices + d + rest > problem_.base.devices) continue;
        insert(fronts_[static_cast<std::size_t>(pair.outer)],
               {from[i].devices + d, pair.inner, static_cast<std::int32_t>(i), d,
                static_cast<std::int32_t>(m), bound, needs_above(pair, from[i], modes_[m], bound)});
      }
    }
  }

  bool probe(double target, MixedOutcome& outcome) {
    target_ = target * (1.0 + 1e-12);
    dropped_ = false;
    fronts_.assign(pairs_.ideals(), {});
    fronts_.front().push_back({});
    for (std::size_t inner = 0; inner + 1 < pairs_.ideals(); ++inner) {
      const auto ideal = static_cast<std::int32_t>(inner);
      for (std::size_t i = pairs_.begin(ideal); i < pairs_.end(ideal); ++i)
        extend(pairs_.pairs()[i]);
    }
    const std::vector<Label>& ends = fronts_.back();
    if (ends.empty()) return false;
    take(*std::ranges::min_element(ends, {}, &Label::devices), outcome);
    return true;
  }

  void take(const Label& last, MixedOutcome& outcome) const {
    outcome.stages.clear();
    outcome.max_time_per_sample = 0.0;
    auto outer = static_cast<std::int32_t>(pairs_.ideals()) - 1;
    for (const Label* label = &last; label->inner >= 0;) {
      NodeSet blocks = pairs_.ideal(outer);
      blocks -= pairs_.ideal(label->inner);
      const Mode& mode = modes_[static_cast<std::size_t>(label->mode)];
      MixedStage stage{blocks.nodes(), label->d, mode.size, mode.k, label->in_flight, 0.0};
      stage.time_per_sample =
          time_per_sample(problem_.base, problem_.sizes[mode.size], stage.blocks, label->d);
      outcome.max_time_per_sample = std::max(outcome.max_time_per_sample, stage.time_per_sample);
      outcome.stages.push_back(std::move(stage));
      outer = label->inner;
      label = &fronts_[static_cast<std::size_t>(outer)][static_cast<std::size_t>(label->parent)];
    }
    std::ranges::reverse(outcome.stages);
  }

  const MixedProblem& problem_;
  const PairTable& pairs_;
  std::size_t most_labels_;
  std::vector<PairCosts> costs_;
  std::vector<Mode> modes_;
  std::vector<double> work_;  ///< by ideal: device seconds per sample of the rest, at least
  std::vector<std::vector<Label>> fronts_;
  double target_ = 0.0;
  bool dropped_ = false;
};

}  // namespace

MixedOutcome search_mixed(const MixedProblem& problem, const PairTable& pairs,
                          std::size_t most_labels) {
  return MixedSearch(problem, pairs, most_labels).run();
}

}  // namespace pipegraph
