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
      machine_counts_(counts_of_machines(problem)),
      all_counts_(machine_counts_.size() == static_cast<std::size_t>(problem.machines())) {
  const std::size_t ideals = pairs.ideals();
  position_.assign(ideals * ideals, -1);
  for (std::size_t i = 0; i < pairs.pairs().size(); ++i)
    position_[static_cast<std::size_t>(pairs.pairs()[i].inner) * ideals +
              static_cast<std::size_t>(pairs.pairs()[i].outer)] = static_cast<std::int32_t>(i);
  memory_binds_ = std::ranges::any_of(pairs.pairs(), [&](const StagePair& pair) {
    return costs_.most_height(pair, 1) != ChainCosts::k_any_height;
  });
}

double ChainSearch::least(double work, int devices_of_one) const {
  return std::ceil(work / (cap_ * devices_of_one) - 1e-9);
}

bool ChainSearch::may_hold(const StagePair& pair, int workers, int q) const {
  const double work = costs_.work(pair.outer) - costs_.work(pair.inner);
  if (least(work, workers * q) > 1.0) return false;
  const double above = least(total_work() - costs_.work(pair.outer), problem_.per_machine());
  if (above + q > problem_.machines()) return false;
  const double devices = (problem_.machines() - above) * problem_.per_machine() - workers * q;
  return least(costs_.work(pair.inner), 1) <= devices;
}

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

void ChainSearch::make_tables() {
  tables_.clear();
  for (const int q : machine_counts_) tables_.push_back(segment_table(q));
}

std::size_t ChainSearch::position(std::int32_t inner, std::int32_t outer) const {
  return static_cast<std::size_t>(position_[static_cast<std::size_t>(inner) * pairs_.ideals() +
                                            static_cast<std::size_t>(outer)]);
}

void ChainSearch::keep(Segments& segments, const Segment& segment) const {
  const auto no_worse = [&](const Segment& a, const Segment& b) {
    // A first stage of several will pay for its output, which its time as an only one lacks.
    if (a.time > b.time || (a.middle < 0) != (b.middle < 0)) return false;
    return !memory_binds_ || (a.stages <= b.stages && a.most_after >= b.most_after);
  };
  for (const Segment& other : segments)
    if (no_worse(other, segment)) return;
  std::erase_if(segments, [&](const Segment& other) { return no_worse(segment, other); });
  segments.push_back(segment);
}

/// The stage as the last of a segment up to `segment_outer` (-1: to one further up).
std::optional<ChainSearch::Segment> ChainSearch::single(const StagePair& pair,
                                                        std::int32_t segment_outer, int r,
                                                        int q) const {
  if (r * q > costs_.most_replicas()) return std::nullopt;
  const int height = memory_binds_ ? costs_.most_height(pair, r * q) : ChainCosts::k_any_height;
  if (height == 0) return std::nullopt;
  double time = costs_.stage_time(pair, r, q);
  // A stage that fills its segment is charged for its transfers as a segment.
  if (pair.outer != segment_outer) time = std::max(time, costs_.inner_transfer(pair, r, q));
  return Segment{time, 1, height == ChainCosts::k_any_height ? height : height - 1, r, r, -1, -1};
}

ChainSearch::SegmentTable ChainSearch::segment_table(int q) const {
  const int workers = problem_.per_machine();
  SegmentTable table;
  table.lists.assign(static_cast<std::size_t>(workers) + 1,
                     std::vector<Segments>(pairs_.pairs().size()));
  table.live.resize(pairs_.ideals());
  table.may_hold.resize(static_cast<std::size_t>(workers) + 1);
  for (int used = 1; used <= workers; ++used)
    for (const StagePair& pair : pairs_.pairs())
      table.may_hold[static_cast<std::size_t>(used)].push_back(may_hold(pair, used, q) ? 1 : 0);
  for (auto inner = static_cast<std::int32_t>(pairs_.ideals()) - 2; inner >= 0; --inner)
    extend_segments(table, inner, q);
  for (int used = problem_.exactly ? workers : 1; used <= workers; ++used)
    for (std::size_t pair = 0; pair < pairs_.pairs().size(); ++pair)
      for (const Segment& segment : table.lists[static_cast<std::size_t>(used)][pair])
        keep(table.lists.front()[pair], segment);
  return table;
}

/// Segments whose lower end is `inner`; those from higher ideals are complete.
void ChainSearch::extend_segments(SegmentTable& table, std::int32_t inner, int q) const {
  const int workers = problem_.per_machine();
  for (std::size_t stage = pairs_.begin(inner); stage < pairs_.end(inner); ++stage) {
    const StagePair& last = pairs_.pairs()[stage];
    for (int r = 1; r <= workers; ++r) {
      if (least(costs_.work(last.outer) - costs_.work(inner), r * q) > 1.0) continue;
      const auto alone = single(last, last.outer, r, q);
      if (!alone || alone->time > cap_) continue;
      if (table.may_hold[static_cast<std::size_t>(r)][stage] != 0)
        keep(table.lists[static_cast<std::size_t>(r)][stage], *alone);
      const auto added = single(last, -1, r, q);
      if (r == workers || added->time > cap_) continue;
      for (const std::size_t rest : table.live[static_cast<std::size_t>(last.outer)])
        join_segments(table, {stage, rest, q}, *added);
    }
  }
  for (std::size_t pair = pairs_.begin(inner); pair < pairs_.end(inner); ++pair)
    if (std::ranges::any_of(table.lists, [&](const auto& list) { return !list[pair].empty(); }))
      table.live[static_cast<std::size_t>(inner)].push_back(pair);
}

/// The stage below all segments of the rest.
void ChainSearch::join_segments(SegmentTable& table, const Joint& joint,
                                const Segment& added) const {
  const StagePair& last = pairs_.pairs()[joint.stage];
  const std::size_t whole = position(last.inner, pairs_.pairs()[joint.rest].outer);
  for (int others = 1; added.replicas + others <= problem_.per_machine(); ++others) {
    const Segments& rest = table.lists[static_cast<std::size_t>(others)][joint.rest];
    const int workers = added.replicas + others;
    if (rest.empty() || table.may_hold[static_cast<std::size_t>(workers)][whole] == 0) continue;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      const double output =
          rest[i].middle < 0 ? costs_.first_output(last.outer, rest[i].replicas, joint.q) : 0.0;
      const bool any = rest[i].most_after == ChainCosts::k_any_height;
      keep(table.lists[static_cast<std::size_t>(workers)][whole],
           {std::max({added.time, rest[i].time, output}), rest[i].stages + 1,
            std::min(added.most_after, any ? rest[i].most_after : rest[i].most_after - 1),
            added.replicas, workers, last.outer, static_cast<std::int32_t>(i)});
    }
  }
}

const ChainSearch::Segments& ChainSearch::segments(std::size_t pair, std::size_t q_index) {
  if (!tables_.empty()) return tables_[q_index].lists.front()[pair];
  scratch_.clear();
  const StagePair& stage = pairs_.pairs()[pair];
  if (const auto alone = single(stage, stage.outer, 1, machine_counts_[q_index]))
    scratch_.push_back(*alone);
  return scratch_;
}

void ChainSearch::keep(std::vector<Entry>& entries, const Entry& entry) const {
  const auto no_worse = [&](const Entry& a, const Entry& b) {
    if (problem_.exactly ? a.machines != b.machines : a.machines > b.machines) return false;
    return !memory_binds_ || a.stages <= b.stages;
  };
  for (const Entry& other : entries)
    if (no_worse(other, entry)) return;
  std::erase_if(entries, [&](const Entry& other) { return no_worse(entry, other); });
  entries.push_back(entry);
}

void ChainSearch::add_entries(std::size_t pair, std::size_t q_index, std::size_t segment) {
  const StagePair& stage = pairs_.pairs()[pair];
  const int q = machine_counts_[q_index];
  const Segment chosen = segments(pair, q_index)[segment];
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
  for (std::size_t q = 0; q < machine_counts_.size(); ++q) {
    const int machines = machine_counts_[q];
    if (machines > costs_.most_replicas()) break;
    if (work > target_ * machines * problem_.per_machine() * (1.0 + k_proof)) continue;
    if (costs_.outer_transfer(stage, machines) > target_) continue;
    bool any_after = false;
    const std::size_t count = segments(pair, q).size();
    for (std::size_t i = 0; i < count; ++i) {
      const Segment& segment = segments(pair, q)[i];
      if (costs_.segment_time(stage, segment.time, machines) > target_) continue;
      any_after = any_after || segment.most_after == ChainCosts::k_any_height;
      add_entries(pair, q, i);
    }
    if (any_after && problem_.per_machine() == 1 && !problem_.exactly) return;
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
  const std::size_t pair = position(entry.inner, outer);
  if (tables_.empty()) {
    stage_of(entry.inner, outer, 1);
    return;
  }
  const auto found = std::ranges::find(machine_counts_, entry.q) - machine_counts_.begin();
  const SegmentTable& table = tables_[static_cast<std::size_t>(found)];
  std::int32_t low = entry.inner;
  Segment segment = table.lists.front()[pair][static_cast<std::size_t>(entry.segment)];
  while (segment.middle >= 0) {
    stage_of(low, segment.middle, segment.replicas);
    low = segment.middle;
    segment = table.lists[static_cast<std::size_t>(segment.workers - segment.replicas)]
                         [position(low, outer)][static_cast<std::size_t>(segment.rest)];
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
    const std::size_t pair = position(entry->inner, outer);
    const StagePair& stage = pairs_.pairs()[pair];
    double inside = 0.0;
    if (tables_.empty()) {
      inside = costs_.stage_time(stage, 1, entry->q);
    } else {
      const auto q = std::ranges::find(machine_counts_, entry->q) - machine_counts_.begin();
      inside = tables_[static_cast<std::size_t>(q)]
                   .lists.front()[pair][static_cast<std::size_t>(entry->segment)]
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
  outcome.least_bound = total_work() / problem_.devices();
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
  if (memory_binds_ && !flat_chain_fits()) return outcome;
  for (const double factor : k_caps) {
    cap_ = outcome.least_bound > 0.0 ? outcome.least_bound * factor : k_infinite;
    if (problem_.levels.size() > 1) make_tables();
    if (try_target(cap_)) break;
    if (cap_ == k_infinite) return outcome;
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
