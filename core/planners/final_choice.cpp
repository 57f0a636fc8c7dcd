#include "core/planners/final_choice.h"

#include <fmt/format.h>

#include <limits>

namespace pipegraph {
namespace {

/// Two iteration times closer than this (relative) count as equal.
constexpr double k_equal = 1e-9;
/// Own plans that are compared on shared links: so many of the shortest, of the shortest that are
/// no worse on links of their own, and of the leanest.
constexpr std::size_t k_most_shared = 8;
constexpr double k_never = std::numeric_limits<double>::infinity();

class Choice {
 public:
  Choice(RatedLayouts& rated, const ChoiceOptions& options)
      : rated_(rated), plans_(rated.all()), options_(options) {
    std::ranges::stable_sort(plans_, {}, &RatedLayout::seconds);
    const auto first = std::ranges::find_if(plans_, &RatedLayout::of_another);
    if (first != plans_.end()) best_other_ = &*first;
  }

  FinalChoice choose() {
    if (options_.links == LinkRates::Shared) {
      rate_others();
      rate_own();
    }
    alone_too_ = std::ranges::any_of(
        plans_, [&](const RatedLayout& plan) { return beats_shared(plan) && beats_alone(plan); });
    double best = k_never;
    for (const RatedLayout& plan : plans_)
      if (eligible(plan)) best = std::min(best, measure(plan));
    if (options_.links == LinkRates::Shared) rate_lean(best);
    const RatedLayout& chosen = leanest(best);
    return {static_cast<std::size_t>(&chosen - plans_.data()), notes(chosen)};
  }

 private:
  double measure(const RatedLayout& plan) const {
    return options_.links == LinkRates::Own ? plan.seconds : plan.shared_seconds.value_or(k_never);
  }
  /// No worse than any other planner's plan.
  bool beats_alone(const RatedLayout& plan) const {
    return best_other_ == nullptr || plan.seconds <= best_other_->seconds * (1 + k_equal);
  }
  bool beats_shared(const RatedLayout& plan) const {
    return options_.links == LinkRates::Own || measure(plan) <= shared_of_others_ * (1 + k_equal);
  }
  bool eligible(const RatedLayout& plan) const {
    return beats_shared(plan) && (!alone_too_ || beats_alone(plan));
  }

  /// Shared links make no transfer shorter and nothing overtakes, so that a plan which takes longer
  /// on links of its own than another on shared ones need not be rated.
  void rate_others() {
    for (RatedLayout& plan : plans_) {
      if (plan.seconds > shared_of_others_) break;
      if (!plan.of_another) continue;
      rated_.rate_shared_surely(plan);
      if (!plan.shared_seconds) ++unrated_;
      shared_of_others_ = std::min(shared_of_others_, plan.shared_seconds.value_or(k_never));
    }
  }

  void rate_own() {
    std::vector<RatedLayout*> own;
    for (RatedLayout& plan : plans_)
      if (!plan.of_another && plan.seconds <= shared_of_others_) own.push_back(&plan);
    std::ranges::stable_sort(own, {}, [](const RatedLayout* plan) { return least_shared(*plan); });
    std::size_t all = 0;
    std::size_t short_alone = 0;
    for (RatedLayout* plan : own) {
      const bool alone = beats_alone(*plan);
      if (all >= k_most_shared && (!alone || short_alone >= k_most_shared)) continue;
      if (alone && short_alone == 0)
        rated_.rate_shared_surely(*plan);
      else
        rated_.rate_shared(*plan);
      ++all;
      if (alone) ++short_alone;
    }
  }

  void rate_lean(double best) {
    std::vector<RatedLayout*> lean;
    for (RatedLayout& plan : plans_)
      if (plan.seconds <= best * (1 + options_.memory_slack) && (!alone_too_ || beats_alone(plan)))
        lean.push_back(&plan);
    std::ranges::stable_sort(lean, {}, &RatedLayout::memory);
    if (lean.size() > k_most_shared) lean.resize(k_most_shared);
    for (RatedLayout* plan : lean) rated_.rate_shared(*plan);
  }

  /// Of those nearly as short as `best`; of equals the shorter, then the one of less time alone.
  const RatedLayout& leanest(double best) const {
    const RatedLayout* chosen = nullptr;
    for (const RatedLayout& plan : plans_) {
      if (!eligible(plan) || measure(plan) > best * (1 + options_.memory_slack)) continue;
      if (chosen == nullptr || plan.memory < chosen->memory ||
          (plan.memory == chosen->memory && measure(plan) < measure(*chosen)))
        chosen = &plan;
    }
    check(chosen != nullptr, "the shortest plan is nearly as short as itself");
    return *chosen;
  }

  std::vector<std::string> notes(const RatedLayout& chosen) const {
    std::vector<std::string> found;
    if (!alone_too_)
      found.push_back(fmt::format(
          "with every transfer alone on its links the plan of '{}' is shorter: {}, this one takes "
          "{} ({:.1f} % more); where transfers share links no plan was found that is as short as "
          "any other planner's both ways",
          best_other_->plan.planner, to_text(Seconds{best_other_->seconds}),
          to_text(Seconds{chosen.seconds}), (chosen.seconds / best_other_->seconds - 1) * 100));
    if (unrated_ > 0)
      found.push_back(
          fmt::format("{} of other planners' plans are too large to be run where "
                      "transfers share links: compared with every transfer alone",
                      unrated_));
    return found;
  }

  RatedLayouts& rated_;
  std::vector<RatedLayout>& plans_;  ///< by time alone
  ChoiceOptions options_;
  const RatedLayout* best_other_ = nullptr;  ///< by time alone
  double shared_of_others_ = k_never;        ///< the least
  std::size_t unrated_ = 0;                  ///< of other planners that might be the best
  bool alone_too_ = true;  ///< some plan is no worse than any other planner's both ways
};

}  // namespace

FinalChoice choose_finally(RatedLayouts& rated, const ChoiceOptions& options) {
  return Choice(rated, options).choose();
}

}  // namespace pipegraph
