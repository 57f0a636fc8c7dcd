#include "core/planners/piper.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/yaml_reader.h"
#include "core/planners/best_of_search.h"
#include "core/planners/no_fit.h"
#include "core/planners/search/downset_search.h"
#include "core/planners/search/family.h"

namespace pipegraph {
namespace {

constexpr const char* k_cut_short =
    "a limit of the search came before the first plan; a longer time_limit may find one";
constexpr std::size_t k_small_family = 1'500;  // ideals, where there are too many downsets

/// The search over one workload, for every micro-batch size in turn.
class PiperSearch {
 public:
  PiperSearch(const Workload& workload, const PlannerOptions& options, const PiperOptions& own)
      : workload_(workload), own_(own), devices_(all_devices()) {
    const SearchInput search = input(1).search;
    if (auto all = all_ideals(search.problem.graph, own.downsets)) {
      family_ = std::move(*all);
    } else {
      family_ = choose_family(search.problem, search.signature,
                              {.complete = own.downsets, .partial = k_small_family});
      report_.notes.push_back(fmt::format("more than {} downsets: searched {} of them ({})",
                                          own.downsets, family_.ideals.size(), family_.name));
    }
    if (own.granularity == Granularity::Layer)
      report_.notes.push_back(
          fmt::format("{} operators in {} layers", workload.graph->size(), search.blocks.size()));
    pairs_.emplace(search.problem.graph, family_, branch_signature(search));
    report_.family = family_.name;
    report_.states = family_.ideals.size();
    report_.cuts = pairs_->size();
    elapsed_ = options.elapsed;
  }

  std::variant<Proposal, Infeasible> propose(std::int32_t micro_batch, const LeftFree& left_free) {
    const std::int32_t mini_batch = workload_.training.mini_batch;
    if (mini_batch % micro_batch != 0)
      return Infeasible{fmt::format("micro-batches of {} samples do not divide a mini-batch of {}",
                                    micro_batch, mini_batch)};
    LayerInput layers = input(micro_batch);
    layers.problem.memory -= left_free.memory.as_double();
    layers.problem.devices -= left_free.devices;
    const DownsetOutcome outcome =
        DownsetSearch(layers.problem, *pairs_)
            .run([this](std::size_t pairs) { return stop(pairs); }, last_ratio_);
    report_.probes += outcome.probes;
    if (outcome.truncated) report_.truncated = true;
    if (!outcome.plan) return Infeasible{reason(layers, outcome)};
    if (outcome.least_bound > 0.0) last_ratio_ = outcome.plan->bottleneck / outcome.least_bound;
    proposed_ = true;
    Proposal made = proposal(layers, outcome, micro_batch);
    if (!left_free.nothing() || devices_ != all_devices())
      bound_by_work(made, outcome, micro_batch);
    return made;
  }

  /// Whether any stages were found: then only the final count of memory can have refused them.
  bool proposed() const { return proposed_; }

  /// From here on memory is what the schedule keeps in flight, which is more than Piper has it
  /// where later stages have more replicas.
  void follow_schedule() {
    in_flight_ = LayerInFlight::Schedule;
    last_ratio_ = 0.0;
    report_.notes.emplace_back(
        "samples in flight are counted by the schedule, not by Piper's rule, which finds worse or "
        "what the final count of memory refuses");
  }

  int devices() const { return devices_; }

  /// Plans on fewer devices keep fewer micro-batches in flight, and fewer buffers of messages.
  void use_at_most(int devices) { devices_ = devices; }

  /// On how many devices micro-batches of that size would fit, if there are any.
  std::string fewest_devices_at(std::int32_t micro_batch) {
    if (workload_.training.mini_batch % micro_batch != 0) return {};
    LayerInput layers = input(micro_batch);
    LayerProblem& problem = layers.problem;
    problem.devices = std::max(all_devices(), problem.devices);
    problem.devices = std::max(problem.devices, static_cast<int>(problem.layers.size()));
    const auto fewest = DownsetSearch(problem, *pairs_).fewest_devices([this](std::size_t pairs) {
      return stop(pairs);
    });
    if (fewest) return fewest_devices_text(*fewest, static_cast<int>(workload_.topology->size()));
    if (stop(0)) return {};
    return fmt::format("no plan for {} devices was found either", problem.devices);
  }

  /// Counts of all sizes together, with the figures of the plan chosen.
  SearchReport report(const SearchReport& chosen) const {
    SearchReport result = chosen;
    result.probes = report_.probes;
    result.truncated = report_.truncated;
    if (devices_ != all_devices())
      result.notes.push_back(fmt::format(
          "on more than {} devices the final count of memory refuses what is found", devices_));
    return result;
  }

 private:
  /// None where ways are measured: they differ between layers that look alike.
  std::vector<std::uint64_t> branch_signature(const SearchInput& search) const {
    const bool measured = std::ranges::any_of(
        workload_.graph->operators(), [](const Operator& op) { return !op.variants.empty(); });
    return measured ? std::vector<std::uint64_t>{} : search.signature;
  }

  bool stop(std::size_t pairs) {
    looked_at_ += pairs;
    if (own_.pairs > 0 && looked_at_ > own_.pairs) return true;
    return own_.time_limit && elapsed_ && elapsed_() > *own_.time_limit;
  }

  LayerInput input(std::int32_t micro_batch) const {
    LayerInput layers = layer_input(
        workload_,
        {.micro_batch = micro_batch, .granularity = own_.granularity, .recompute = own_.recompute});
    layers.problem.knapsack = own_.knapsack;
    layers.problem.transfer = own_.transfer;
    layers.problem.in_flight = in_flight_;
    layers.problem.devices = devices_;
    return layers;
  }

  int all_devices() const { return static_cast<int>(workload_.topology->size()); }

  Proposal proposal(const LayerInput& layers, const DownsetOutcome& outcome,
                    std::int32_t micro_batch) const {
    const double value = outcome.plan->bottleneck / micro_batch;
    Proposal result;
    result.stages = stages_of(layers, *outcome.plan, micro_batch);
    result.objective = {"max_time_per_sample_s", value};
    result.search = report_;
    result.search.exact = outcome.exact && family_.complete;
    // Over a part of the downsets only the bound by work holds.
    const double bound =
        family_.complete ? outcome.lower_bound / micro_batch : outcome.least_bound / micro_batch;
    set_bound(result, bound);
    return result;
  }

  static void set_bound(Proposal& proposal, double bound) {
    const double value = proposal.objective.value;
    proposal.search.lower_bound_s = std::min(bound, value);
    if (bound > 0.0) proposal.search.gap = value / *proposal.search.lower_bound_s - 1.0;
  }

  /// What the search proved with less than there is says nothing about all there is.
  void bound_by_work(Proposal& proposal, const DownsetOutcome& outcome,
                     std::int32_t micro_batch) const {
    proposal.search.exact = false;
    set_bound(proposal, outcome.least_bound / micro_batch * devices_ / all_devices());
  }

  /// The layer that needs most memory alone, if it is more than there is.
  std::string reason(const LayerInput& layers, const DownsetOutcome& outcome) const {
    if (outcome.truncated) return k_cut_short;
    NoFit no_fit{.limit = layers.problem.memory, .finer = "'granularity: operator'"};
    for (const auto& layer : layers.problem.layers) {
      double needed = std::numeric_limits<double>::infinity();
      for (const LayerDegree& degree : layer)
        for (const LayerWay& way : degree.ways) needed = std::min(needed, way.saved + way.fixed);
      no_fit.needed.push_back(needed);
    }
    return reason_of(workload_, layers.search, no_fit);
  }

  const Workload& workload_;
  PiperOptions own_;
  SearchReport report_;
  IdealFamily family_;
  std::optional<DownsetPairs> pairs_;
  int devices_ = 1;  ///< that a plan may use
  LayerInFlight in_flight_ = LayerInFlight::Replicas;
  bool proposed_ = false;  ///< some stages
  std::function<Seconds()> elapsed_;
  std::uint64_t looked_at_ = 0;  ///< pairs of downsets
  double last_ratio_ = 0.0;  ///< bottleneck / least bound of the last plan, a guess for the next
};

template <class Enum, std::size_t N>
void read_choice(MapReader& options, const std::string& key,
                 const std::array<std::string, N>& names, Enum& into) {
  if (const auto value = options.optional(key)) into = static_cast<Enum>(value->as_choice(names));
}

bool limited(const Topology& topology) {
  return std::ranges::any_of(topology.devices(),
                             [](const Device& device) { return !device.unlimited_memory(); });
}

/// The first of equals; it has a plan.
PlannerResult of_less_objective(PlannerResult first, PlannerResult second) {
  const Plan* other = std::get_if<Plan>(&second);
  if (other == nullptr || other->objective->value >= std::get<Plan>(first).objective->value)
    return first;
  return second;
}

}  // namespace

PlannerResult plan_piper(const Workload& workload, const PlannerOptions& options,
                         const PiperOptions& own) {
  PiperSearch search(workload, options, own);
  PlannerResult result = best_of_search(workload, options, "piper", search);
  const Plan* first = std::get_if<Plan>(&result);
  // Neither rule allows all that the other does. Where the objective decides both are searched:
  // else more memory, by which the first rule finds something, might make the plan worse.
  const bool one_rule = options.choose == Choose::IterationTime || !limited(*workload.topology);
  if ((first != nullptr && one_rule) || !limited(*workload.topology)) return result;
  const bool refused_at_last = search.proposed();
  search.follow_schedule();
  PlannerResult by_schedule = best_of_search(workload, options, "piper", search);
  if (first != nullptr) return of_less_objective(std::move(result), std::move(by_schedule));
  const bool still_none = std::holds_alternative<Infeasible>(by_schedule);
  if (still_none && !refused_at_last) return result;
  result = std::move(by_schedule);
  if (options.device_use == DeviceUse::Exactly) return result;
  while (std::holds_alternative<Infeasible>(result) && search.devices() > 1) {
    search.use_at_most(search.devices() / 2);
    PlannerResult fewer = best_of_search(workload, options, "piper", search);
    if (std::holds_alternative<Plan>(fewer)) result = std::move(fewer);
  }
  return result;
}

Planner configure_piper(MapReader& options) {
  PiperOptions own;
  read_choice(options, "granularity", std::array<std::string, 2>{"layer", "operator"},
              own.granularity);
  read_choice(options, "knapsack", std::array<std::string, 2>{"exact", "greedy"}, own.knapsack);
  read_choice(options, "transfer", std::array<std::string, 2>{"edge", "consumer"}, own.transfer);
  if (const auto value = options.optional("recompute"))
    own.recompute = value->as_choice(std::array<std::string, 2>{"none", "choose"}) == 1;
  if (const auto value = options.optional("downsets"))
    own.downsets = static_cast<std::size_t>(value->as_integer(2, 40'000));
  if (const auto value = options.optional("time_limit")) {
    own.time_limit = value->as_seconds();
    if (own.time_limit->count() <= 0.0) value->fail("no plan is found in no time", "e.g. 10 s");
  }
  return [own](const Workload& workload, const PlannerOptions& common) {
    return plan_piper(workload, common, own);
  };
}

}  // namespace pipegraph
