#include "core/planners/search/chain_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

constexpr double k_proof = 1e-9;  // relative; two bottlenecks closer than this are equal
constexpr double k_infinite = std::numeric_limits<double>::infinity();
/// Caps on the bottleneck that are tried, in multiples of all work on all devices.
constexpr std::array k_caps{1.05, 1.15, 1.3, 1.6, 2.2, 4.0, 10.0, k_infinite};

/// Numbers of machines that may repeat a segment: all, or with two levels and many machines those
/// up to 8, powers of two, and all machines.
std::vector<int> counts_of_machines(const ChainProblem& problem) {
  std::vector<int> counts;
  for (int q = 1; q <= problem.machines(); ++q)
    if (problem.levels.size() == 1 || q <= 8 || (q & (q - 1)) == 0 || q == problem.machines())
      counts.push_back(q);
  return counts;
}

}  // namespace

ChainSearch::ChainSearch(const ChainProblem& problem, const PairTable& pairs)
    : problem_(problem),
      pairs_(pairs),
      costs_(problem, pairs),
      rules_(problem, pairs, costs_),
      machine_counts_(counts_of_machines(problem)),
      all_counts_(machine_counts_.size() == static_cast<std::size_t>(problem.machines())) {}

bool ChainSearch::flat_chain_fits() const {
  // By ideal, for every number of stages the fewest devices.
  std::vector<std::vector<int>> fewest(pairs_.ideals());
  fewest.front() = {0};
  for (const StagePair& pair : pairs_.pairs()) {
    const std::vector<int>& below = fewest[static_cast<std::size_t>(pair.inner)];
    if (below.empty()) continue;
    std::vector<int>& above = fewest[static_cast<std::size_t>(pair.outer)];
    for (std::size_t stages = 0; stages < below.size(); ++stages) {
      const int most = std::min(problem_.devices() - below[stages], costs_.most_replicas());
      int d = 1;
      while (d <= most && costs_.most_height(pair, d) <= static_cast<int>(stages)) ++d;
      if (d > most) continue;
      if (above.size() < stages + 2) above.resize(stages + 2, problem_.devices() + 1);
      above[stages + 1] = std::min(above[stages + 1], below[stages] + d);
    }
  }
  return std::ranges::any_of(fewest.back(), [&](int d) { return d <= problem_.devices(); });
}

void ChainSearch::make_tables(double cap) {
  tables_.clear();
  for (const int q : machine_counts_) tables_.emplace_back(rules_, q, cap);
}

const Segments& ChainSearch::segments(std::size_t pair, std::size_t q_index) {
  if (!tables_.empty()) return tables_[q_index].of(pair);
  scratch_.clear();
  const StagePair& stage = pairs_.pairs()[pair];
  if (const auto alone = rules_.single(stage, stage.outer, 1, machine_counts_[q_index]))
    scratch_.push_back(*alone);
  return scratch_;
}

void ChainSearch::keep(std::vector<Entry>& entries, const Entry& entry) const {
  const auto no_worse = [&](const Entry& a, const Entry& b) {
    if (problem_.exactly ? a.machines != b.machines : a.machines > b.machines) return false;
    return !rules_.memory_binds() || a.stages <= b.stages;
  };
  for (const Entry& other : entries)
    if (no_worse(other, entry)) return;
  std::erase_if(entries, [&](const Entry& other) { return no_worse(entry, other); });
  entries.push_back(entry);
}

void ChainSearch::add_entries(std::size_t pair, std::size_t q_index, std::size_t segment) {
  const StagePair& stage = pairs_.pairs()[pair];
  const int q = machine_counts_[q_index];
  const MachineSegment chosen = segments(pair, q_index)[segment];
  const double rest =
      costs_.work(static_cast<std::int32_t>(pairs_.ideals()) - 1) - costs_.work(stage.outer);
  const double needed = std::ceil(rest / target_ / problem_.per_machine() - 1e-9);
  const std::vector<Entry>& below = entries_[static_cast<std::size_t>(stage.inner)];
  for (std::size_t i = 0; i < below.size(); ++i) {
    if (below[i].machines + q + needed > problem_.machines()) continue;
    if (below[i].stages > chosen.most_after) continue;
    keep(entries_[static_cast<std::size_t>(stage.outer)],
         {below[i].machines + q, below[i].stages + chosen.stages, stage.inner,
          static_cast<std::int32_t>(i), q, static_cast<std::int32_t>(segment)});
  }
}

void ChainSearch::extend(std::size_t pair) {
  const StagePair& stage = pairs_.pairs()[pair];
  const double work = costs_.work(stage.outer) - costs_.work(stage.inner);
  const double one = target_ * problem_.per_machine() * (1.0 + k_proof);
  const auto first = std::ranges::partition_point(
      machine_counts_, [&](int machines) { return work > one * machines; });
  if (first == machine_counts_.end() || costs_.least_segment_time(stage, *first) > target_) return;
  std::int32_t most_stages = 0;  // behind
  for (const Entry& entry : entries_[static_cast<std::size_t>(stage.inner)])
    most_stages = std::max(most_stages, entry.stages);
  for (auto q = static_cast<std::size_t>(first - machine_counts_.begin());
       q < machine_counts_.size(); ++q) {
    const int machines = machine_counts_[q];
    if (machines > costs_.most_replicas()) break;
    if (costs_.outer_transfer(stage, machines) > target_) continue;
    bool before_all = false;
    const std::size_t count = segments(pair, q).size();
    for (std::size_t i = 0; i < count; ++i) {
      const MachineSegment& segment = segments(pair, q)[i];
      if (costs_.segment_time(stage, segment.time, machines) > target_) continue;
      before_all = before_all || segment.most_after >= most_stages;
      add_entries(pair, q, i);
    }
    // More machines would only add entries that these dominate.
    if (before_all && problem_.per_machine() == 1 && !problem_.exactly) return;
  }
}

bool ChainSearch::reach(double target) {
  target_ = target * (1.0 + 1e-12);
  entries_.assign(pairs_.ideals(), {});
  entries_.front().push_back({});
  for (std::size_t inner = 0; inner + 1 < pairs_.ideals(); ++inner) {
    if (entries_[inner].empty()) continue;
    const auto ideal = static_cast<std::int32_t>(inner);
    for (std::size_t pair = pairs_.begin(ideal); pair < pairs_.end(ideal); ++pair) extend(pair);
  }
  if (problem_.exactly)
    std::erase_if(entries_.back(),
                  [&](const Entry& entry) { return entry.machines != problem_.machines(); });
  return !entries_.back().empty();
}

/// The stages of one segment, whose upper end is `outer`, from its last up.
void ChainSearch::append_stages(ChainPlan& plan, const Entry& entry, std::int32_t outer) const {
  const auto stage_of = [&](std::int32_t low, std::int32_t high, int r) {
    NodeSet blocks = pairs_.ideal(high);
    blocks -= pairs_.ideal(low);
    plan.stages.push_back({blocks.nodes(), r, entry.q, high == outer});
  };
  const std::size_t pair = rules_.position(entry.inner, outer);
  if (tables_.empty()) {
    stage_of(entry.inner, outer, 1);
    return;
  }
  const auto found = std::ranges::find(machine_counts_, entry.q) - machine_counts_.begin();
  const SegmentTable& table = tables_[static_cast<std::size_t>(found)];
  std::int32_t low = entry.inner;
  MachineSegment segment = table.of(pair)[static_cast<std::size_t>(entry.segment)];
  while (segment.middle >= 0) {
    stage_of(low, segment.middle, segment.replicas);
    low = segment.middle;
    segment = table.of(rules_.position(low, outer),
                       segment.workers - segment.replicas)[static_cast<std::size_t>(segment.rest)];
  }
  stage_of(low, outer, segment.replicas);
}

ChainPlan ChainSearch::plan_of_last() const {
  const Entry* entry = &*std::ranges::min_element(entries_.back(), {}, &Entry::machines);
  std::vector<std::pair<Entry, std::int32_t>> segments;  // with their upper ends
  auto outer = static_cast<std::int32_t>(pairs_.ideals()) - 1;
  ChainPlan plan;
  while (entry->inner >= 0) {
    segments.emplace_back(*entry, outer);
    const std::size_t pair = rules_.position(entry->inner, outer);
    const StagePair& stage = pairs_.pairs()[pair];
    double inside = 0.0;
    if (tables_.empty()) {
      inside = costs_.stage_time(stage, 1, entry->q);
    } else {
      const auto q = std::ranges::find(machine_counts_, entry->q) - machine_counts_.begin();
      inside = tables_[static_cast<std::size_t>(q)]
                   .of(pair)[static_cast<std::size_t>(entry->segment)]
                   .time;
    }
    plan.max_time_per_sample =
        std::max({plan.max_time_per_sample, costs_.segment_time(stage, inside, entry->q),
                  costs_.outer_transfer(stage, entry->q)});
    outer = entry->inner;
    entry = &entries_[static_cast<std::size_t>(outer)][static_cast<std::size_t>(entry->entry)];
  }
  for (auto segment = segments.rbegin(); segment != segments.rend(); ++segment)
    append_stages(plan, segment->first, segment->second);
  return plan;
}

ChainOutcome ChainSearch::run() {
  ChainOutcome outcome;
  outcome.least_bound = rules_.total_work() / problem_.devices();
  outcome.lower_bound = outcome.least_bound;
  const auto try_target = [&](double target) {
    ++outcome.probes;
    if (!reach(target)) {
      outcome.lower_bound = std::max(outcome.lower_bound, target);
      return false;
    }
    outcome.plan = plan_of_last();
    return true;
  };
  outcome.exact = all_counts_;
  if (rules_.memory_binds() && !flat_chain_fits()) return outcome;
  for (const double factor : k_caps) {
    const double cap = outcome.least_bound > 0.0 ? outcome.least_bound * factor : k_infinite;
    if (problem_.levels.size() > 1) make_tables(cap);
    if (try_target(cap)) break;
    if (cap == k_infinite) return outcome;
  }
  while (outcome.plan) {
    const double value = outcome.plan->max_time_per_sample;
    const double below = value * (1.0 - k_proof);
    const double middle = (outcome.lower_bound + value) / 2.0;
    if (below <= outcome.lower_bound) break;
    try_target(outcome.probes % 4 == 3 || middle >= below ? below : middle);
  }
  return outcome;
}

}  // namespace pipegraph
