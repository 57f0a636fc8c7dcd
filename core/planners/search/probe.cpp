#include "core/planners/search/probe.h"

#include <algorithm>
#include <cmath>

namespace pipegraph {
namespace {

constexpr std::int32_t k_unreachable = std::numeric_limits<std::int32_t>::max() / 4;
constexpr double k_rounding = 1e-12;
constexpr std::uint16_t k_not_priced = 65'535;
constexpr std::size_t k_most_labels = 4'000'000;  // per attempt; beyond it the answer is not final

}  // namespace

Prober::Prober(const SearchProblem& problem, const PairTable& pairs, const BatchCosts& costs)
    : problem_(problem), pairs_(pairs), costs_(costs) {
  batches_ = (problem.mini_batch + costs.micro_batch - 1) / costs.micro_batch;
  device_limit_ = std::min(problem.devices, costs.max_devices);
  least_work_ = pairs.sums(least_device_seconds(costs, device_limit_));
  for (double& work : least_work_) work /= costs.micro_batch;
  for (const StagePair& pair : pairs.pairs()) {
    const bool has_successor = problem.in_flight == InFlightRule::LongestPath
                                   ? pair.outputs_end > pair.outputs_begin
                                   : pair.inner > 0;
    first_height_.push_back(has_successor ? 2 : 1);
  }
  time_.resize(costs.time.size());
  for (std::size_t row = 1; row < costs.time.size(); ++row)
    for (std::size_t block = 0; block < problem.blocks(); ++block)
      monotone_ = monotone_ && costs.time[row][block] <= costs.time[row - 1][block];
}

const std::vector<double>& Prober::row_sums(std::size_t row) {
  if (time_[row].empty()) {
    time_[row] = pairs_.sums(costs_.time[row]);
    for (double& seconds : time_[row]) seconds /= costs_.micro_batch;
  }
  return time_[row];
}

double Prober::pair_time(const StagePair& pair, int devices) {
  const auto& row = row_sums(costs_.row_of_devices[static_cast<std::size_t>(devices)]);
  const double compute =
      row[static_cast<std::size_t>(pair.outer)] - row[static_cast<std::size_t>(pair.inner)];
  const double communication =
      pair.transfer_seconds / devices + pair.latency_seconds / costs_.micro_batch;
  return problem_.communication == CommunicationRule::Sum ? compute + communication
                                                          : std::max(compute, communication);
}

/// A bound on the devices of a pair that costs next to nothing; may exceed the limit.
double Prober::least_devices(std::int32_t inner, std::int32_t outer) const {
  return least_devices_[static_cast<std::size_t>(outer)] -
         least_devices_[static_cast<std::size_t>(inner)];
}

int Prober::devices_for_time(std::size_t position) {
  std::uint16_t& known = time_devices_[position];
  if (known == k_not_priced) {
    const StagePair& pair = pairs_.pairs()[position];
    known = static_cast<std::uint16_t>(first_allowed(pair, price(pair)));
  }
  return known;
}

/// The least allowed count from `devices` on that meets the target; 0: none.
int Prober::first_allowed(const StagePair& pair, int devices) {
  int d = problem_.allowed_devices(devices);
  while (d > devices && d <= device_limit_ && pair_time(pair, d) > target_)
    d = problem_.allowed_devices(d + 1);
  return d > device_limit_ ? 0 : d;
}

/// The least devices, allowed or not, on which the pair meets the target; 0: none.
int Prober::price(const StagePair& pair) {
  const double at_least = least_devices(pair.inner, pair.outer);
  if (at_least > device_limit_) return 0;
  const int start = std::max(1, static_cast<int>(std::ceil(at_least)));
  if (!monotone_) {
    for (int d = start; d <= device_limit_; ++d)
      if (pair_time(pair, d) <= target_) return d;
    return 0;
  }
  if (pair_time(pair, start) <= target_) return start;
  int low = start;  // too slow
  int high = start + 1;
  for (int stride = 1; high < device_limit_ && pair_time(pair, high) > target_; stride *= 2) {
    low = high;
    high += stride;
  }
  high = std::min(high, device_limit_);
  if (high <= low || pair_time(pair, high) > target_) return 0;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    (pair_time(pair, middle) <= target_ ? high : low) = middle;
  }
  return high;
}

int Prober::devices_for_memory(const StagePair& pair, int height) const {
  const double room = memory_ - pair.fixed;
  if (room < 0.0) return 0;
  const double per_share = pair.saved * std::min(height, batches_);
  if (per_share <= 0.0) return 1;
  const double share = std::floor(room / per_share);
  if (share < 1.0) return 0;
  if (share >= costs_.micro_batch) return 1;
  return static_cast<int>(std::ceil(costs_.micro_batch / share));
}

int Prober::devices_for(std::size_t position, int height) {
  const int by_time = devices_for_time(position);
  if (by_time == 0 || height > limits_.depth) return 0;
  const StagePair& pair = pairs_.pairs()[position];
  const int by_memory = devices_for_memory(pair, height);
  if (by_memory == 0 || by_memory > device_limit_) return 0;
  if (by_memory <= by_time) return by_time;
  if (monotone_) return first_allowed(pair, by_memory);
  for (int d = by_memory; d <= device_limit_; ++d)
    if (d == problem_.allowed_devices(d) && pair_time(pair, d) <= target_) return d;
  return 0;
}

void Prober::forget_target() {
  time_devices_.assign(pairs_.pairs().size(), k_not_priced);
  least_height_ = first_height_;
  least_devices_.resize(pairs_.ideals());
  for (std::size_t i = 0; i < least_devices_.size(); ++i)
    least_devices_[i] = least_work_[i] * (1.0 - 1e-9) / target_;
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
      if (rest + 1 >= togo_[i] || rest + least_devices(inner, outer) > togo_[i] - 1) continue;
      if (time_devices_[p] == k_not_priced && monotone_) {
        const int most = std::min(device_limit_, togo_[i] - rest - 1);
        if (pair_time(pairs_.pairs()[p], most) > target_) continue;
      }
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
      if (togo_[outer] >= k_unreachable || devices_for_time(p) == 0) continue;
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
        time_devices_[p] = 0;
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

void Prober::expand(std::int32_t inner, std::size_t label, std::size_t cap) {
  const Front& front = fronts_[static_cast<std::size_t>(inner)];
  const Label from = front.labels[label];
  const std::span<const std::uint16_t> heights =
      std::span<const std::uint16_t>(front.heights).subspan(from.heights, labels_width(inner));
  for (std::size_t p = pairs_.begin(inner); p < pairs_.end(inner); ++p) {
    const std::int32_t outer = pairs_.outer()[p];
    const std::int32_t rest = togo_[static_cast<std::size_t>(outer)];
    if (time_devices_[p] == 0 ||
        from.devices + rest + least_devices(inner, outer) > problem_.devices ||
        devices_for_time(p) == 0)
      continue;
    const StagePair& pair = pairs_.pairs()[p];
    const int height = height_of(pair, heights);
    const int devices = devices_for(p, height);
    if (devices == 0 || from.devices + devices + rest > problem_.devices) continue;
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
  for (std::int32_t inner = 0; inner + 1 < count; ++inner)
    for (std::size_t l = 0; l < fronts_[static_cast<std::size_t>(inner)].labels.size(); ++l) {
      expand(inner, l, labels_per_ideal);
      if (counts_.labels - before > k_most_labels) return {std::nullopt, false};
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
  target_ = limits.target * (1.0 + k_rounding);
  memory_ = std::min(limits.memory, problem_.memory) * (1.0 + k_rounding);
  forget_target();
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
