#include "core/planners/search/knapsack.h"

#include <algorithm>
#include <limits>

namespace pipegraph {
namespace {

constexpr std::uint64_t k_most_nodes = 100'000;  // of the branch and bound, then it is not exact

/// Exchange of the cheapest choice of a layer for its other one.
struct Exchange {
  std::size_t layer = 0;
  std::uint8_t to = 0;
  double cost = 0.0;  ///< added, >= 0
  double gain = 0.0;  ///< memory saved, > 0
};

double per_byte(const Exchange& exchange) { return exchange.cost / exchange.gain; }

/// Equal gains, cheapest first: an optimum takes the first few of each class.
using ExchangeClass = std::vector<Exchange>;

std::vector<ExchangeClass> classes_of(std::vector<Exchange> exchanges) {
  std::ranges::sort(exchanges, [](const Exchange& a, const Exchange& b) {
    if (a.gain != b.gain) return a.gain > b.gain;
    return a.cost != b.cost ? a.cost < b.cost : a.layer < b.layer;
  });
  std::vector<ExchangeClass> classes;
  for (const Exchange& exchange : exchanges) {
    if (classes.empty() || classes.back().front().gain != exchange.gain) classes.emplace_back();
    classes.back().push_back(exchange);
  }
  return classes;
}

/// Least cost of exchanges that together gain `need`.
class BranchAndBound {
 public:
  BranchAndBound(std::vector<ExchangeClass> classes, double need, double incumbent)
      : classes_(std::move(classes)), need_(need), best_(incumbent), taken_(classes_.size(), 0) {
    for (std::size_t c = 0; c < classes_.size(); ++c)
      for (const Exchange& exchange : classes_[c])
        by_ratio_.push_back({per_byte(exchange), c, exchange});
    std::ranges::sort(by_ratio_, [](const Ranked& a, const Ranked& b) {
      return a.ratio != b.ratio ? a.ratio < b.ratio : a.exchange.layer < b.exchange.layer;
    });
  }

  void run() { descend(0, need_, 0.0); }
  bool complete() const { return nodes_ < k_most_nodes; }
  double best() const { return best_; }
  /// The exchanges of the best answer found; empty when none beat the incumbent.
  std::vector<Exchange> exchanges() const {
    std::vector<Exchange> result;
    for (std::size_t c = 0; c < best_taken_.size(); ++c)
      result.insert(result.end(), classes_[c].begin(),
                    classes_[c].begin() + static_cast<std::ptrdiff_t>(best_taken_[c]));
    return result;
  }

 private:
  struct Ranked {
    double ratio;
    std::size_t group;
    Exchange exchange;
  };

  /// Cost of gaining `need` with fractions of the classes from `first` on.
  double relaxation(std::size_t first, double need) const {
    double cost = 0.0;
    for (const Ranked& item : by_ratio_) {
      if (need <= 0.0) return cost;
      if (item.group < first) continue;
      const double part = std::min(1.0, need / item.exchange.gain);
      cost += part * item.exchange.cost;
      need -= item.exchange.gain;
    }
    return need <= 0.0 ? cost : std::numeric_limits<double>::infinity();
  }

  void descend(std::size_t group, double need, double cost) {
    if (++nodes_ >= k_most_nodes) return;
    if (need <= 0.0) {
      if (cost < best_) {
        best_ = cost;
        best_taken_ = taken_;
      }
      return;
    }
    if (group == classes_.size() || cost + relaxation(group, need) >= best_) return;
    const ExchangeClass& members = classes_[group];
    for (std::size_t count = 0; count <= members.size(); ++count) {
      if (count > 0) {
        cost += members[count - 1].cost;
        need -= members[count - 1].gain;
      }
      taken_[group] = count;
      descend(group + 1, need, cost);
      if (need <= 0.0) break;
    }
    taken_[group] = 0;
  }

  std::vector<ExchangeClass> classes_;
  double need_;
  double best_;
  std::vector<std::size_t> taken_;
  std::vector<std::size_t> best_taken_;
  std::vector<Ranked> by_ratio_;
  std::uint64_t nodes_ = 0;
};

void apply(const Exchange& exchange, KnapsackAnswer& answer) {
  answer.chosen[exchange.layer] = exchange.to;
  answer.cost += exchange.cost;
}

/// In ascending cost per byte until `need` is gained.
KnapsackAnswer greedily(KnapsackAnswer cheapest, std::vector<Exchange> exchanges, double need) {
  std::ranges::sort(exchanges, [](const Exchange& a, const Exchange& b) {
    return per_byte(a) != per_byte(b) ? per_byte(a) < per_byte(b) : a.layer < b.layer;
  });
  for (const Exchange& exchange : exchanges) {
    if (need <= 0.0) break;
    apply(exchange, cheapest);
    need -= exchange.gain;
  }
  return cheapest;
}

}  // namespace

std::optional<KnapsackAnswer> solve_knapsack(std::span<const std::vector<KnapsackChoice>> layers,
                                             double memory, KnapsackMethod method) {
  KnapsackAnswer cheapest;
  std::vector<Exchange> exchanges;
  double used = 0.0;
  double gain = 0.0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const std::vector<KnapsackChoice>& choices = layers[i];
    const std::uint8_t first = choices.size() > 1 && choices[1].cost < choices[0].cost ? 1 : 0;
    cheapest.chosen.push_back(first);
    cheapest.cost += choices[first].cost;
    used += choices[first].memory;
    if (choices.size() < 2) continue;
    const KnapsackChoice& other = choices[1U - first];
    const double saves = choices[first].memory - other.memory;
    if (saves <= 0.0) continue;
    exchanges.push_back(
        {i, static_cast<std::uint8_t>(1U - first), other.cost - choices[first].cost, saves});
    gain += saves;
  }
  const double need = used - memory;
  cheapest.exact = true;
  if (need <= 0.0) return cheapest;
  if (gain < need) return std::nullopt;
  KnapsackAnswer answer = greedily(cheapest, exchanges, need);
  answer.exact = false;
  if (method == KnapsackMethod::Greedy) return answer;
  BranchAndBound search(classes_of(std::move(exchanges)), need, answer.cost - cheapest.cost);
  search.run();
  const std::vector<Exchange> better = search.exchanges();
  if (!better.empty()) {
    answer = cheapest;
    for (const Exchange& exchange : better) apply(exchange, answer);
  }
  answer.exact = search.complete();
  return answer;
}

}  // namespace pipegraph
