#include "core/planners/search/probe.h"

#include <algorithm>
#include <limits>

namespace pipegraph {
namespace {

constexpr std::int32_t k_unreachable = std::numeric_limits<std::int32_t>::max() / 4;
constexpr double k_rounding = 1e-12;
constexpr std::size_t k_most_labels = 4'000'000;  // per attempt; beyond it the answer is not final

}  // namespace

Prober::Prober(const SearchProblem& problem, const PairTable& pairs, const BatchCosts& costs)
    : problem_(problem), pairs_(pairs), costs_(costs), devices_(problem, pairs, costs) {
  first_height_.reserve(pairs.pairs().size());
  for (const StagePair& pair : pairs.pairs()) {
    const bool has_successor = problem.in_flight == InFlightRule::LongestPath
                                   ? pair.outputs_end > pair.outputs_begin
                                   : pair.inner > 0;
    first_height_.push_back(has_successor ? 2 : 1);
  }
}

int Prober::devices_for(std::size_t position, int height) {
  return height > limits_.depth ? 0 : devices_.needed(position, height);
}

/// Devices from every ideal to the full set if each stage stood at its least height.
void Prober::relax() {
  const auto count = static_cast<std::int32_t>(pairs_.ideals());
  togo_.assign(pairs_.ideals(), k_unreachable);
  togo_pair_.assign(pairs_.ideals(), -1);
  togo_.back() = 0;
  for (std::int32_t inner = count - 2; inner >= 0; --inner) {
    const auto i = static_cast<std::size_t>(inner);
    for (std::size_t p = pairs_.begin(inner); p < pairs_.end(inner); ++p) {
      const std::int32_t outer = pairs_.outer()[p];
      const std::int32_t rest = togo_[static_cast<std::size_t>(outer)];
      if (rest + 1 >= togo_[i] || rest + devices_.at_least(inner, outer) > togo_[i] - 1) continue;
      if (!devices_.may_do_with(p, togo_[i] - rest - 1)) continue;
      const int devices = devices_for(p, least_height_[p]);
      if (devices == 0 || rest + devices >= togo_[i]) continue;
      togo_[i] = rest + devices;
      togo_pair_[i] = static_cast<std::int32_t>(p);
    }
  }
}

std::size_t Prober::labels_width(std::int32_t ideal) const {
  return problem_.in_flight == InFlightRule::LongestPath ? pairs_.live(ideal).size() : 1;
}

int Prober::height_of(const StagePair& pair, std::span<const std::uint16_t> heights) const {
  if (problem_.in_flight == InFlightRule::Position) return heights[0] + 1;
  int below = 0;
  for (const std::uint16_t output : pairs_.outputs(pair))
    below = std::max<int>(below, heights[output]);
  return below + 1;
}

/// Heights of the outer ideal's live tensors into scratch_.
void Prober::propagate(const StagePair& pair, std::span<const std::uint16_t> heights, int height) {
  const auto saturated = static_cast<std::uint16_t>(std::min(height, 65'000));
  if (problem_.in_flight == InFlightRule::Position) {
    scratch_.assign(1, saturated);
    return;
  }
  const auto below = pairs_.live(pair.inner);
  const auto above = pairs_.live(pair.outer);
  scratch_.resize(above.size());
  std::size_t b = 0;
  for (std::size_t a = 0; a < above.size(); ++a) {
    while (b < below.size() && below[b].tensor < above[a].tensor) ++b;
    if (b == below.size() || below[b].tensor != above[a].tensor)
      scratch_[a] = saturated;
    else
      scratch_[a] =
          above[a].consumers > below[b].consumers ? std::max(heights[b], saturated) : heights[b];
  }
}

/// Least height of every pair, from the least heights any sequence of stages can give.
void Prober::bound_heights() {
  const std::size_t count = pairs_.ideals();
  std::vector<std::vector<std::uint16_t>> least(count);
  std::vector<char> reached(count, 0);
  for (std::size_t i = 0; i < count; ++i)
    least[i].assign(labels_width(static_cast<std::int32_t>(i)), 65'535);
  least[0].assign(least[0].size(), 0);
  reached[0] = 1;
  for (std::size_t i = 0; i < count; ++i) {
    if (!reached[i] || togo_[i] >= k_unreachable) continue;
    const auto inner = static_cast<std::int32_t>(i);
    for (std::size_t p = pairs_.begin(inner); p < pairs_.end(inner); ++p) {
      const StagePair& pair = pairs_.pairs()[p];
      const auto outer = static_cast<std::size_t>(pair.outer);
      if (togo_[outer] >= k_unreachable || devices_.needed_for_time(p) == 0) continue;
      const int height = height_of(pair, least[i]);
      least_height_[p] = static_cast<std::uint16_t>(height);
      if (devices_for(p, height) == 0) continue;
      propagate(pair, least[i], height);
      for (std::size_t t = 0; t < scratch_.size(); ++t)
        least[outer][t] = std::min(least[outer][t], scratch_[t]);
      reached[outer] = 1;
    }
  }
  for (std::size_t i = 0; i < count; ++i)
    if (!reached[i])
      for (std::size_t p = pairs_.begin(static_cast<std::int32_t>(i));
           p < pairs_.end(static_cast<std::int32_t>(i)); ++p)
        devices_.rule_out(p);
}

std::optional<SearchPlan> Prober::accept(SearchPlan plan) const {
  settle(problem_, costs_, plan);
  for (const SearchStage& stage : plan.stages)
    if (stage.height > limits_.depth ||
        memory_needed(problem_, costs_, stage.blocks, stage.devices, stage.height) >
            memory_ * (1.0 + 10 * k_rounding))
      return std::nullopt;
  if (plan.devices() > problem_.devices) return std::nullopt;
  return plan;
}

std::optional<SearchPlan> Prober::plan_of_relaxation() {
  SearchPlan plan;
  plan.micro_batch = costs_.micro_batch;
  const auto last = static_cast<std::int32_t>(pairs_.ideals()) - 1;
  for (std::int32_t at = 0; at != last;) {
    const auto p = static_cast<std::size_t>(togo_pair_[static_cast<std::size_t>(at)]);
    const StagePair& pair = pairs_.pairs()[p];
    NodeSet blocks = pairs_.ideal(pair.outer);
    blocks -= pairs_.ideal(pair.inner);
    plan.stages.push_back({blocks.nodes(), devices_for(p, least_height_[p]), 1, 0.0});
    at = pair.outer;
  }
  return accept(std::move(plan));
}

bool Prober::insert(Front& front, const Label& label, std::span<const std::uint16_t> heights,
                    std::size_t cap) {
  const std::size_t width = heights.size();
  const auto heights_of = [&](const Label& other) {
    return std::span<const std::uint16_t>(front.heights).subspan(other.heights, width);
  };
  const auto below = [](std::span<const std::uint16_t> a, std::span<const std::uint16_t> b) {
    for (std::size_t i = 0; i < a.size(); ++i)
      if (a[i] > b[i]) return false;
    return true;
  };
  for (const Label& other : front.labels)
    if (other.devices <= label.devices && below(heights_of(other), heights)) return false;
  const auto dominated = [&](const Label& other) {
    return label.devices <= other.devices && below(heights, heights_of(other));
  };
  std::erase_if(front.labels, dominated);
  if (front.labels.size() >= cap) {
    truncated_ = true;
    const auto worst = std::ranges::max_element(front.labels, {}, &Label::devices);
    if (worst->devices <= label.devices) return false;
    front.labels.erase(worst);
  }
  Label kept = label;
  kept.heights = static_cast<std::uint32_t>(front.heights.size());
  front.heights.insert(front.heights.end(), heights.begin(), heights.end());
  front.labels.push_back(kept);
  ++counts_.labels;
  return true;
}

/// The pairs above an ideal that some of its labels might use.
void Prober::find_usable(std::int32_t inner) {
  usable_.clear();
  const std::vector<Label>& labels = fronts_[static_cast<std::size_t>(inner)].labels;
  if (labels.empty()) return;
  const int most =
      problem_.devices - std::ranges::min_element(labels, {}, &Label::devices)->devices;
  for (std::size_t p = pairs_.begin(inner); p < pairs_.end(inner); ++p) {
    const std::int32_t outer = pairs_.outer()[p];
    const std::int32_t rest = togo_[static_cast<std::size_t>(outer)];
    if (rest + devices_.at_least(inner, outer) > most) continue;
    const int devices = devices_.needed_for_time(p);
    if (devices > 0 && rest + devices <= most) usable_.push_back({p, devices, rest});
  }
}

void Prober::expand(std::int32_t inner, std::size_t label, std::size_t cap) {
  const Front& front = fronts_[static_cast<std::size_t>(inner)];
  const Label from = front.labels[label];
  const std::span<const std::uint16_t> heights =
      std::span<const std::uint16_t>(front.heights).subspan(from.heights, labels_width(inner));
  for (const Usable& usable : usable_) {
    if (from.devices + usable.least_devices + usable.rest > problem_.devices) continue;
    const StagePair& pair = pairs_.pairs()[usable.pair];
    const int height = height_of(pair, heights);
    const int devices = devices_for(usable.pair, height);
    if (devices == 0 || from.devices + devices + usable.rest > problem_.devices) continue;
    propagate(pair, heights, height);
    insert(fronts_[static_cast<std::size_t>(pair.outer)],
           {from.devices + devices, inner, static_cast<std::int32_t>(label), 0}, scratch_, cap);
  }
}

Prober::Answer Prober::search_labels(std::size_t labels_per_ideal) {
  const auto count = static_cast<std::int32_t>(pairs_.ideals());
  fronts_.assign(pairs_.ideals(), {});
  truncated_ = false;
  fronts_[0].labels.push_back({});
  fronts_[0].heights.assign(labels_width(0), 0);
  const std::uint64_t before = counts_.labels;
  for (std::int32_t inner = 0; inner + 1 < count; ++inner) {
    find_usable(inner);
    for (std::size_t l = 0; l < fronts_[static_cast<std::size_t>(inner)].labels.size(); ++l) {
      expand(inner, l, labels_per_ideal);
      if (counts_.labels - before > k_most_labels) return {std::nullopt, false};
    }
  }
  const Front& done = fronts_.back();
  if (done.labels.empty()) return {std::nullopt, !truncated_};
  SearchPlan plan;
  plan.micro_batch = costs_.micro_batch;
  const Label* label = &*std::ranges::min_element(done.labels, {}, &Label::devices);
  for (std::int32_t at = count - 1; at != 0;) {
    const Front& parent = fronts_[static_cast<std::size_t>(label->parent_ideal)];
    const Label& previous = parent.labels[static_cast<std::size_t>(label->parent_label)];
    NodeSet blocks = pairs_.ideal(at);
    blocks -= pairs_.ideal(label->parent_ideal);
    plan.stages.insert(plan.stages.begin(),
                       {blocks.nodes(), label->devices - previous.devices, 1, 0.0});
    at = label->parent_ideal;
    label = &previous;
  }
  return {accept(std::move(plan)), !truncated_};
}

Prober::Answer Prober::probe(const ProbeLimits& limits) {
  ++counts_.probes;
  limits_ = limits;
  memory_ = std::min(limits.memory, problem_.memory) * (1.0 + k_rounding);
  devices_.aim(limits.target * (1.0 + k_rounding), memory_);
  least_height_ = first_height_;
  for (int round = 0; round < 2; ++round) {
    if (round == 1) {
      bound_heights();
    }
    relax();
    if (togo_[0] > problem_.devices) {
      ++counts_.relaxed;
      return {std::nullopt, true};
    }
    if (auto plan = plan_of_relaxation()) {
      ++counts_.relaxed;
      return {std::move(plan), true};
    }
  }
  constexpr std::size_t k_unlimited = std::numeric_limits<std::size_t>::max();
  for (const std::size_t cap : {std::size_t{2}, std::size_t{12}, k_unlimited}) {
    Answer answer = search_labels(cap);
    if (answer.plan || answer.final || cap == k_unlimited) return answer;
  }
  return {std::nullopt, false};
}

}  // namespace pipegraph
