#include "core/planners/search/downset_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

constexpr double k_proof = 1e-9;  // relative; two bottlenecks closer than this are equal
constexpr double k_infinite = std::numeric_limits<double>::infinity();

/// How near, relatively, a guess is hoped to be.
constexpr double k_near = 0.02;

/// First targets, in multiples of all work on all devices: lower ones cost less to refuse. Without
/// a guess, before long, whether anything fits at all.
std::vector<double> first_targets(double guess) {
  std::vector<double> targets{1.03, 1.1, 1.25, 1.6, 2.5, 6.0};
  if (guess == 0.0) {
    targets.insert(targets.begin() + 2, k_infinite);
    return targets;
  }
  targets.push_back(std::max(targets.front(), guess * (1.0 + k_near)));
  targets.push_back(k_infinite);
  std::ranges::sort(targets);
  return targets;
}

/// Devices that `work` device seconds need to meet `target`, at least.
std::int64_t devices_for(double work, double target) {
  if (work <= 0.0) return 0;
  const double needed = std::ceil(work / target - 1e-9);
  return needed > 1e9 ? 1'000'000'000 : static_cast<std::int64_t>(needed);
}

/// Of a stage on so many replicas, whatever the ways of its layers.
double least_time(const StageTerms& terms, int replicas) {
  const double part = 1.0 / replicas;
  return terms.least_time * part + terms.least_sync * (1.0 - part);
}

}  // namespace

DownsetSearch::DownsetSearch(const LayerProblem& problem, const DownsetPairs& pairs)
    : problem_(problem),
      pairs_(pairs),
      costs_(problem, pairs.family()),
      replicas_(replica_counts(problem)),
      known_(pairs.size() * costs_.degrees().size(), -1),
      seconds_per_byte_(costs_.degrees().size()) {}

std::vector<Digraph::Node> DownsetSearch::layers_of(const DownsetPair& pair) const {
  NodeSet stage = pairs_.ideal(pair.outer);
  stage -= pairs_.ideal(pair.inner);
  return stage.nodes();
}

double DownsetSearch::priced(const DownsetPair& pair, std::size_t degree, const StageShape& shape) {
  // By any rule a stage adds at most twice the replicas of two neighbours to what is in flight.
  const auto limit = 4 * static_cast<std::uint64_t>(problem_.devices) + 1;
  const auto ideals = static_cast<std::uint64_t>(pairs_.family().ideals.size());
  const std::uint64_t index =
      static_cast<std::uint64_t>(pair.inner) * ideals + static_cast<std::uint64_t>(pair.outer);
  const std::uint64_t key = ((index * costs_.degrees().size() + degree) * limit +
                             static_cast<std::uint64_t>(shape.replicas)) *
                                limit +
                            static_cast<std::uint64_t>(shape.in_flight);
  const auto found = prices_.find(key);
  if (found != prices_.end()) return found->second;
  const auto stage = price_stage(problem_, layers_of(pair), shape);
  const double price = stage ? stage->time : k_infinite;
  prices_.emplace(key, price);
  return price;
}

double DownsetSearch::seconds_per_byte(std::size_t degree, int in_flight) {
  std::vector<double>& known = seconds_per_byte_[degree];
  const auto at = static_cast<std::size_t>(in_flight);
  if (known.size() <= at) known.resize(at + 1, -1.0);
  if (known[at] < 0.0) known[at] = costs_.seconds_per_byte(degree, in_flight);
  return known[at];
}

bool DownsetSearch::fits_target(const DownsetPair& pair, std::size_t degree,
                                const StageShape& shape, const StageTerms& terms) {
  const double part = 1.0 / shape.replicas;
  const double least = least_time(terms, shape.replicas);
  if (least > target_) return false;
  if (terms.saved * shape.in_flight + terms.fixed <= problem_.memory &&
      terms.time * part + terms.sync * (1.0 - part) <= target_)
    return true;
  // Any price will do, and the knapsack finds one: a layer that saves memory may always do so.
  const double lean = terms.lean_saved * shape.in_flight + terms.lean_fixed;
  if (target_ == k_infinite && lean * (1.0 + k_proof) <= problem_.memory) return true;
  // Rounding must not refuse what the knapsack would take.
  const double room = problem_.memory * (1.0 + k_proof);
  if (terms.least_saved * shape.in_flight + terms.least_fixed > room) return false;
  if (shape.in_flight >= costs_.lean_from(degree) && lean > room) return false;
  const double excess = terms.fast_saved * shape.in_flight + terms.fast_fixed - room;
  if (excess > 0.0 &&
      least + excess * seconds_per_byte(degree, shape.in_flight) * part > target_ * (1.0 + k_proof))
    return false;
  const double price = priced(pair, degree, shape);
  return price < k_infinite && price <= target_;
}

bool DownsetSearch::no_worse(const Label& a, const Label& b) const {
  return a.devices <= b.devices && a.in_flight <= b.in_flight &&
         (problem_.in_flight == LayerInFlight::Replicas || a.d <= b.d);
}

void DownsetSearch::insert(std::vector<Label>& front, const Label& label) const {
  for (const Label& other : front)
    if (no_worse(other, label)) return;
  std::erase_if(front, [&](const Label& other) { return no_worse(label, other); });
  front.push_back(label);
}

const StageTerms& DownsetSearch::terms(const Reached& reached, std::size_t degree) {
  std::int32_t& known = known_[reached.number * costs_.degrees().size() + degree];
  if (known < 0) {
    known = static_cast<std::int32_t>(terms_.size());
    terms_.push_back(costs_.terms(reached.pair, degree));
  }
  return terms_[static_cast<std::size_t>(known)];
}

void DownsetSearch::extend_degree(const Reached& reached, std::size_t degree) {
  const auto& [pair, number, least_devices] = reached;
  const int t = costs_.degrees()[degree];
  const int most = problem_.devices - togo_[static_cast<std::size_t>(pair.outer)];
  const std::vector<Label>& from = fronts_[static_cast<std::size_t>(pair.inner)];
  const auto first = std::ranges::lower_bound(replicas_, (least_devices + t - 1) / t);
  if (first == replicas_.end() ||
      std::ranges::none_of(from, [&](const Label& l) { return l.devices + t * *first <= most; }))
    return;
  const bool by_replicas = problem_.in_flight == LayerInFlight::Replicas;
  const StageTerms& stage = terms(reached, degree);
  const auto fast =
      std::find_if(first, replicas_.end(), [&](int d) { return least_time(stage, d) <= target_; });
  for (std::size_t i = 0; i < from.size(); ++i) {
    for (const int d : std::span(fast, replicas_.end())) {
      const std::int32_t devices = from[i].devices + t * d;
      if (devices > most) break;
      if (by_replicas && from[i].in_flight + d > problem_.micro_batches) break;
      const int in_flight = in_flight_before(problem_, d, from[i].in_flight, from[i].d);
      if (!fits_target(pair, degree, {t, d, (in_flight + d - 1) / d}, stage)) continue;
      insert(fronts_[static_cast<std::size_t>(pair.next)],
             {devices, in_flight, pair.inner, pair.outer, static_cast<std::int32_t>(i),
              static_cast<std::int32_t>(degree), d});
      if (by_replicas) break;  // more replicas of the same stage would be dominated
    }
  }
}

/// All stages above an ideal.
void DownsetSearch::extend(std::int32_t inner) {
  std::int32_t fewest = problem_.devices;
  for (const Label& label : fronts_[static_cast<std::size_t>(inner)])
    fewest = std::min(fewest, label.devices);
  const double work = costs_.work(inner);
  const double room = (problem_.devices - fewest) * target_ * (1.0 + 2 * k_proof) + work;
  std::size_t number = pairs_.first(inner);
  for (const std::int32_t outer : pairs_.outer(inner)) {
    const std::size_t own = number++;
    if (through_[static_cast<std::size_t>(outer)] > room) continue;
    const std::int64_t left = problem_.devices - fewest - togo_[static_cast<std::size_t>(outer)];
    if (left < 1) continue;
    const DownsetPair pair = pairs_.pair(inner, outer);
    const auto least = static_cast<std::int32_t>(devices_for(costs_.work(outer) - work, target_));
    for (std::size_t q = 0; q < costs_.degrees().size(); ++q)
      if (costs_.has(pair, q)) extend_degree({pair, own, least}, q);
  }
}

/// From the sinks up, undoing the exchanges of branches between one stage and the next.
LayerPlan DownsetSearch::plan_of(const Label& last) const {
  std::vector<Label> labels;
  for (Label label = last; label.inner >= 0;
       label =
           fronts_[static_cast<std::size_t>(label.inner)][static_cast<std::size_t>(label.parent)])
    labels.push_back(label);
  std::vector<Digraph::Node> original(problem_.layers.size());
  std::iota(original.begin(), original.end(), 0);
  LayerPlan plan;
  for (auto label = labels.rbegin(); label != labels.rend(); ++label) {
    const DownsetPair pair = pairs_.pair(label->inner, label->outer);
    std::vector<Digraph::Node> layers = layers_of(pair);
    for (Digraph::Node& layer : layers) layer = original[static_cast<std::size_t>(layer)];
    std::ranges::sort(layers);
    const int y = (label->in_flight + label->d - 1) / label->d;
    auto stage = price_stage(
        problem_, layers, {costs_.degrees()[static_cast<std::size_t>(label->degree)], label->d, y});
    check(stage.has_value(), "a stage of the search cannot be priced");
    plan.stages.push_back(std::move(*stage));
    plan.bottleneck = std::max(plan.bottleneck, plan.stages.back().time);
    const std::vector<Digraph::Node> before = original;
    const std::vector<Digraph::Node> moved = pairs_.moved(pair);
    for (std::size_t layer = 0; layer < moved.size(); ++layer)
      original[static_cast<std::size_t>(moved[layer])] = before[layer];
  }
  return plan;
}

std::optional<LayerPlan> DownsetSearch::probe(double target) {
  target_ = target * (1.0 + 1e-12);
  const std::size_t count = pairs_.family().ideals.size();
  fronts_.assign(count, {});
  fronts_.front().push_back({});
  togo_.resize(count);
  through_.resize(count);
  const double work = costs_.work(pairs_.full());
  for (std::size_t i = 0; i < count; ++i) {
    const double below = costs_.work(static_cast<std::int32_t>(i));
    togo_[i] = static_cast<std::int32_t>(devices_for(work - below, target_));
    through_[i] = target_ == k_infinite ? 0.0 : below + togo_[i] * target_;
  }
  for (std::int32_t inner = 0; inner < pairs_.full(); ++inner) {
    if (fronts_[static_cast<std::size_t>(inner)].empty()) continue;
    if (stop_ && stop_(pairs_.outer(inner).size())) {
      truncated_ = true;
      return std::nullopt;
    }
    extend(inner);
  }
  if (fronts_.back().empty()) return std::nullopt;
  return plan_of(*std::ranges::min_element(fronts_.back(), {}, &Label::devices));
}

std::optional<int> DownsetSearch::fewest_devices(const Stop& stop) {
  stop_ = stop;
  if (!probe(k_infinite)) return std::nullopt;
  return std::ranges::min_element(fronts_.back(), {}, &Label::devices)->devices;
}

// NOLINTNEXTLINE(readability-function-cognitive-complexity): both phases share their attempts
DownsetOutcome DownsetSearch::run(const Stop& stop, double guess) {
  stop_ = stop;
  truncated_ = false;
  DownsetOutcome outcome;
  outcome.least_bound = costs_.work(pairs_.full()) / problem_.devices;
  outcome.lower_bound = outcome.least_bound;
  const auto try_target = [&](double target) {
    ++outcome.probes;
    auto plan = probe(target);
    if (!plan) {
      if (!truncated_) outcome.lower_bound = std::max(outcome.lower_bound, target);
      return false;
    }
    outcome.plan = std::move(plan);
    return true;
  };
  for (const double factor : first_targets(guess)) {
    const bool any = outcome.least_bound == 0.0 || factor == k_infinite;
    const bool reached = try_target(any ? k_infinite : outcome.least_bound * factor);
    if (truncated_ || outcome.least_bound == 0.0 || (reached ? !any : any)) break;
  }
  // The plan is near the least one if the guess was good: small steps first.
  double step = guess > 0.0 ? k_near : 1.0;
  for (int tried = 0; outcome.plan && !truncated_; ++tried) {
    const double value = outcome.plan->bottleneck;
    const double below = value * (1.0 - k_proof);
    const double middle = std::max((outcome.lower_bound + value) / 2.0, value * (1.0 - step));
    if (below <= outcome.lower_bound) break;
    const bool reached = try_target(tried % 4 == 3 || middle >= below ? below : middle);
    step = reached ? 2.0 * step : 1.0;
  }
  outcome.exact = !truncated_;
  outcome.truncated = truncated_;
  return outcome;
}

}  // namespace pipegraph
