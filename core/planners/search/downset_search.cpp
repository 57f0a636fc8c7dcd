#include "core/planners/search/downset_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

constexpr double k_proof = 1e-9;  // relative; two bottlenecks closer than this are equal
constexpr double k_infinite = std::numeric_limits<double>::infinity();

/// Devices that `work` device seconds need to meet `target`, at least.
std::int64_t devices_for(double work, double target) {
  const double needed = std::ceil(work / target - 1e-9);
  return needed > 1e9 ? 1'000'000'000 : static_cast<std::int64_t>(needed);
}

}  // namespace

DownsetSearch::DownsetSearch(const LayerProblem& problem, const IdealFamily& family)
    : problem_(problem),
      family_(family),
      costs_(problem, family),
      replicas_(replica_counts(problem)) {
  list_pairs();
}

void DownsetSearch::list_pairs() {
  const std::size_t count = family_.ideals.size();
  begin_.push_back(0);
  for (std::size_t inner = 0; inner < count; ++inner) {
    for (std::size_t outer = inner + 1; outer < count; ++outer)
      if (family_.ideals[inner].is_subset_of(family_.ideals[outer]))
        outer_.push_back(static_cast<std::int32_t>(outer));
    begin_.push_back(outer_.size());
  }
}

std::vector<Digraph::Node> DownsetSearch::layers_of(const DownsetPair& pair) const {
  NodeSet stage = family_.ideals[static_cast<std::size_t>(pair.outer)];
  stage -= family_.ideals[static_cast<std::size_t>(pair.inner)];
  return stage.nodes();
}

double DownsetSearch::priced(const DownsetPair& pair, std::size_t degree, const StageShape& shape) {
  const auto limit = static_cast<std::uint64_t>(problem_.devices) + 1;
  const std::uint64_t key = ((pair.index * costs_.degrees().size() + degree) * limit +
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

bool DownsetSearch::fits_target(const DownsetPair& pair, std::size_t degree,
                                const StageShape& shape, const StageTerms& terms) {
  const double part = 1.0 / shape.replicas;
  if (terms.least_time * part + terms.least_sync * (1.0 - part) > target_) return false;
  if (terms.saved * shape.in_flight + terms.fixed <= problem_.memory &&
      terms.time * part + terms.sync * (1.0 - part) <= target_)
    return true;
  const double price = priced(pair, degree, shape);
  return price < k_infinite && price <= target_;
}

bool DownsetSearch::too_many_devices(std::int32_t devices, std::int32_t outer) const {
  const double rest = costs_.work(full()) - costs_.work(outer);
  return devices + devices_for(rest, target_) > problem_.devices;
}

void DownsetSearch::insert(std::vector<Label>& front, const Label& label) {
  for (const Label& other : front)
    if (other.devices <= label.devices && other.replicas <= label.replicas) return;
  std::erase_if(front, [&](const Label& other) {
    return other.devices >= label.devices && other.replicas >= label.replicas;
  });
  front.push_back(label);
}

void DownsetSearch::extend_degree(const DownsetPair& pair, std::size_t degree) {
  const StageTerms stage = costs_.terms(pair, degree);
  const int t = costs_.degrees()[degree];
  const std::vector<Label>& from = fronts_[static_cast<std::size_t>(pair.inner)];
  for (std::size_t i = 0; i < from.size(); ++i) {
    for (const int d : replicas_) {
      const std::int32_t devices = from[i].devices + t * d;
      const std::int32_t replicas = from[i].replicas + d;
      if (too_many_devices(devices, pair.outer) || replicas > problem_.micro_batches) break;
      if (!fits_target(pair, degree, {t, d, (replicas + d - 1) / d}, stage)) continue;
      // More replicas of the same stage would be dominated.
      insert(fronts_[static_cast<std::size_t>(pair.outer)],
             {devices, replicas, pair.inner, static_cast<std::int32_t>(i),
              static_cast<std::int32_t>(degree), d});
      break;
    }
  }
}

void DownsetSearch::extend(const DownsetPair& pair) {
  const auto inner = static_cast<std::size_t>(pair.inner);
  std::int32_t fewest = problem_.devices;
  for (const Label& label : fronts_[inner]) fewest = std::min(fewest, label.devices);
  const auto needed = std::max<std::int64_t>(
      1, devices_for(costs_.work(pair.outer) - costs_.work(pair.inner), target_));
  if (needed > problem_.devices ||
      too_many_devices(fewest + static_cast<std::int32_t>(needed), pair.outer))
    return;
  for (std::size_t q = 0; q < costs_.degrees().size(); ++q)
    if (costs_.has(pair, q)) extend_degree(pair, q);
}

LayerPlan DownsetSearch::plan_of(const Label& last) const {
  LayerPlan plan;
  std::int32_t outer = static_cast<std::int32_t>(family_.ideals.size()) - 1;
  Label label = last;
  while (label.parent_ideal >= 0) {
    const int y = (label.replicas + label.d - 1) / label.d;
    auto stage =
        price_stage(problem_, layers_of({label.parent_ideal, outer, 0}),
                    {costs_.degrees()[static_cast<std::size_t>(label.degree)], label.d, y});
    check(stage.has_value(), "a stage of the search cannot be priced");
    plan.stages.push_back(std::move(*stage));
    plan.bottleneck = std::max(plan.bottleneck, plan.stages.back().time);
    outer = label.parent_ideal;
    label = fronts_[static_cast<std::size_t>(outer)][static_cast<std::size_t>(label.parent_label)];
  }
  std::ranges::reverse(plan.stages);
  return plan;
}

std::optional<LayerPlan> DownsetSearch::probe(double target) {
  target_ = target * (1.0 + 1e-12);
  fronts_.assign(family_.ideals.size(), {});
  fronts_.front().push_back({});
  for (std::size_t inner = 0; inner + 1 < family_.ideals.size(); ++inner) {
    if (fronts_[inner].empty()) continue;
    if (out_of_time_ && out_of_time_()) {
      truncated_ = true;
      return std::nullopt;
    }
    for (std::uint64_t i = begin_[inner]; i < begin_[inner + 1]; ++i)
      extend({static_cast<std::int32_t>(inner), outer_[i], i});
  }
  if (fronts_.back().empty()) return std::nullopt;
  return plan_of(*std::ranges::min_element(fronts_.back(), {}, &Label::devices));
}

DownsetOutcome DownsetSearch::run(const std::function<bool()>& out_of_time) {
  out_of_time_ = out_of_time;
  truncated_ = false;
  DownsetOutcome outcome;
  outcome.least_bound = costs_.work(full()) / problem_.devices;
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
  if (try_target(k_infinite)) {
    for (int step = 0; !truncated_; ++step) {
      const double value = outcome.plan->bottleneck;
      const double below = value * (1.0 - k_proof);
      const double middle = (outcome.lower_bound + value) / 2.0;
      if (below <= outcome.lower_bound) break;
      if (try_target(step % 4 == 3 || middle >= below ? below : middle)) continue;
    }
  }
  outcome.exact = !truncated_;
  outcome.truncated = truncated_;
  return outcome;
}

}  // namespace pipegraph
