#include "core/planners/search/segments.h"

#include <algorithm>
#include <cmath>

namespace pipegraph {

SegmentRules::SegmentRules(const ChainProblem& problem, const PairTable& pairs,
                           const ChainCosts& costs)
    : problem_(problem), pairs_(pairs), costs_(costs) {
  const std::size_t ideals = pairs.ideals();
  position_.assign(ideals * ideals, -1);
  for (std::size_t i = 0; i < pairs.pairs().size(); ++i)
    position_[static_cast<std::size_t>(pairs.pairs()[i].inner) * ideals +
              static_cast<std::size_t>(pairs.pairs()[i].outer)] = static_cast<std::int32_t>(i);
  memory_binds_ = std::ranges::any_of(pairs.pairs(), [&](const StagePair& pair) {
    return costs.most_height(pair, 1) != ChainCosts::k_any_height;
  });
}

std::size_t SegmentRules::position(std::int32_t inner, std::int32_t outer) const {
  return static_cast<std::size_t>(position_[static_cast<std::size_t>(inner) * pairs_.ideals() +
                                            static_cast<std::size_t>(outer)]);
}

std::optional<MachineSegment> SegmentRules::single(const StagePair& pair,
                                                   std::int32_t segment_outer, int r, int q) const {
  if (r * q > costs_.most_replicas()) return std::nullopt;
  const int height = memory_binds_ ? costs_.most_height(pair, r * q) : ChainCosts::k_any_height;
  if (height == 0) return std::nullopt;
  double time = costs_.stage_time(pair, r, q);
  // A stage that fills its segment is charged for its transfers as a segment.
  if (pair.outer != segment_outer) time = std::max(time, costs_.inner_transfer(pair, r, q));
  return MachineSegment{time, 1, height == ChainCosts::k_any_height ? height : height - 1, r, r,
                        -1,   -1};
}

SegmentTable::SegmentTable(const SegmentRules& rules, int q, double cap)
    : rules_(rules), q_(q), cap_(cap) {
  const auto& pairs = rules.pairs().pairs();
  const int workers = rules.problem().per_machine();
  lists_.assign(static_cast<std::size_t>(workers) + 1, std::vector<Segments>(pairs.size()));
  live_.resize(rules.pairs().ideals());
  may_hold_.resize(static_cast<std::size_t>(workers) + 1);
  for (int used = 1; used <= workers; ++used)
    for (const StagePair& pair : pairs)
      may_hold_[static_cast<std::size_t>(used)].push_back(may_hold(pair, used) ? 1 : 0);
  for (auto inner = static_cast<std::int32_t>(rules.pairs().ideals()) - 2; inner >= 0; --inner)
    extend(inner);
  for (int used = rules.problem().exactly ? workers : 1; used <= workers; ++used)
    for (std::size_t pair = 0; pair < pairs.size(); ++pair)
      for (const MachineSegment& segment : of(pair, used)) keep(lists_.front()[pair], segment);
}

double SegmentTable::least(double work, int devices_of_one) const {
  return std::ceil(work / (cap_ * devices_of_one) - 1e-9);
}

bool SegmentTable::may_hold(const StagePair& pair, int workers) const {
  const ChainCosts& costs = rules_.costs();
  const ChainProblem& problem = rules_.problem();
  const double work = costs.work(pair.outer) - costs.work(pair.inner);
  if (least(work, workers * q_) > 1.0) return false;
  const double above = least(rules_.total_work() - costs.work(pair.outer), problem.per_machine());
  if (above + q_ > problem.machines()) return false;
  const double devices = (problem.machines() - above) * problem.per_machine() - workers * q_;
  return least(costs.work(pair.inner), 1) <= devices;
}

void SegmentTable::keep(Segments& segments, const MachineSegment& segment) const {
  const auto no_worse = [&](const MachineSegment& a, const MachineSegment& b) {
    // A first stage of several will pay for its output, which its time as an only one lacks.
    if (a.time > b.time || (a.middle < 0) != (b.middle < 0)) return false;
    return !rules_.memory_binds() || (a.stages <= b.stages && a.most_after >= b.most_after);
  };
  for (const MachineSegment& other : segments)
    if (no_worse(other, segment)) return;
  std::erase_if(segments, [&](const MachineSegment& other) { return no_worse(segment, other); });
  segments.push_back(segment);
}

/// Segments whose lower end is `inner`; those from higher ideals are complete.
void SegmentTable::extend(std::int32_t inner) {
  const PairTable& pairs = rules_.pairs();
  const ChainCosts& costs = rules_.costs();
  const int workers = rules_.problem().per_machine();
  for (std::size_t stage = pairs.begin(inner); stage < pairs.end(inner); ++stage) {
    const StagePair& last = pairs.pairs()[stage];
    for (int r = 1; r <= workers; ++r) {
      if (least(costs.work(last.outer) - costs.work(inner), r * q_) > 1.0) continue;
      const auto alone = rules_.single(last, last.outer, r, q_);
      if (!alone || alone->time > cap_) continue;
      if (may_hold_[static_cast<std::size_t>(r)][stage] != 0)
        keep(lists_[static_cast<std::size_t>(r)][stage], *alone);
      const auto added = rules_.single(last, -1, r, q_);
      if (r == workers || added->time > cap_) continue;
      for (const std::size_t rest : live_[static_cast<std::size_t>(last.outer)])
        join(stage, rest, *added);
    }
  }
  for (std::size_t pair = pairs.begin(inner); pair < pairs.end(inner); ++pair)
    if (std::ranges::any_of(lists_, [&](const auto& list) { return !list[pair].empty(); }))
      live_[static_cast<std::size_t>(inner)].push_back(pair);
}

/// The stage `added`, of pair `stage`, below all segments of pair `rest`.
void SegmentTable::join(std::size_t stage, std::size_t rest, const MachineSegment& added) {
  const StagePair& last = rules_.pairs().pairs()[stage];
  const std::size_t whole = rules_.position(last.inner, rules_.pairs().pairs()[rest].outer);
  for (int others = 1; added.replicas + others <= rules_.problem().per_machine(); ++others) {
    const Segments& above = of(rest, others);
    const int workers = added.replicas + others;
    if (above.empty() || may_hold_[static_cast<std::size_t>(workers)][whole] == 0) continue;
    for (std::size_t i = 0; i < above.size(); ++i) {
      const double output = above[i].middle < 0
                                ? rules_.costs().first_output(last.outer, above[i].replicas, q_)
                                : 0.0;
      const bool any = above[i].most_after == ChainCosts::k_any_height;
      keep(lists_[static_cast<std::size_t>(workers)][whole],
           {std::max({added.time, above[i].time, output}), above[i].stages + 1,
            std::min(added.most_after, any ? above[i].most_after : above[i].most_after - 1),
            added.replicas, workers, last.outer, static_cast<std::int32_t>(i)});
    }
  }
}

}  // namespace pipegraph
