#include "core/planners/search/recursion.h"

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <map>

#include "core/planners/search/recursion_stages.h"

namespace pipegraph {
namespace {

using Kind = SeriesParallelTree::Kind;

constexpr int k_impossible = std::numeric_limits<int>::max();

/// How a part reaches a height with a number of devices; stages are listed on demand.
struct Way {
  int height = k_impossible;
  int stage = -1;                     ///< a candidate, if the part's first piece is one stage
  int devices = 0;                    ///< of that stage
  std::array<const Way*, 2> parts{};  ///< the others, from the sinks up; null: no more
};

/// By number of devices used, 0 to all.
using Ways = std::vector<Way>;

/// A part that is no series counts as a series of one.
class Recursion {
 public:
  Recursion(const SearchProblem& problem, const BatchCosts& costs, const RecursionOptions& options)
      : problem_(problem),
        costs_(costs),
        options_(options),
        batches_((problem.mini_batch + costs.micro_batch - 1) / costs.micro_batch),
        stages_(problem, costs, counts(problem, costs, options)) {}

  std::optional<SearchPlan> probe(const SeriesParallelTree& tree, double target) {
    target_ = target;
    tables_.clear();
    groups_.clear();
    const Ways& ways = series(tree, length(tree), 0)[0];
    const Way* best = nullptr;
    for (const Way& way : ways)
      if (way.height < k_impossible && (best == nullptr || way.height < best->height)) best = &way;
    if (best == nullptr) return std::nullopt;
    SearchPlan plan;
    plan.micro_batch = costs_.micro_batch;
    list_stages(*best, plan);
    settle(problem_, costs_, plan);
    return plan;
  }

  std::uint64_t stages() const { return stages_.size(); }

 private:
  struct TableKey {
    TreePart part;
    int height;
    int variant;
    auto operator<=>(const TableKey&) const = default;
  };

  /// Device counts that a stage may have.
  static std::vector<int> counts(const SearchProblem& problem, const BatchCosts& costs,
                                 const RecursionOptions& options) {
    std::vector<int> allowed;
    for (const int count : options.device_counts)
      if (count <= std::min(problem.devices, costs.max_devices)) allowed.push_back(count);
    return allowed;
  }

  static std::size_t length(const SeriesParallelTree& tree) {
    return tree.kind == Kind::Series ? tree.children.size() : 1;
  }
  static const SeriesParallelTree& child(const SeriesParallelTree& tree, std::size_t i) {
    return tree.kind == Kind::Series ? tree.children[i] : tree;
  }
  int higher(int height) const { return std::min(height + 1, batches_); }

  /// The stage before what `after` describes, whose heights become `at`: with every device count.
  void put_stage(int number, const Ways& after, Ways& into) {
    const RecursionStages::Candidate& stage = stages_.at(number);
    const std::vector<int>& counts = stages_.counts();
    for (std::size_t c = 0; c < counts.size(); ++c) {
      if (stage.time[c] > target_) continue;
      for (std::size_t used = 0; used + static_cast<std::size_t>(counts[c]) < into.size(); ++used) {
        if (after[used].height == k_impossible) continue;
        const int height = higher(after[used].height);
        Way& way = into[used + static_cast<std::size_t>(counts[c])];
        if (height >= way.height || stage.fixed[c] + stage.saved[c] * height > problem_.memory)
          continue;
        way = {height, number, counts[c], {&after[used], nullptr}};
      }
    }
  }

  Ways nothing() const { return Ways(static_cast<std::size_t>(problem_.devices) + 1); }

  /// By first child: the children [first, last) of a series, above stages of `height`.
  const std::vector<Ways>& series(const SeriesParallelTree& tree, std::size_t last, int height) {
    const auto [place, added] = tables_.try_emplace(TableKey{{&tree, 0, last}, height, -1});
    std::vector<Ways>& table = place->second;
    if (!added) return table;
    table.assign(last + 1, nothing());
    table[last][0].height = height;
    for (std::size_t first = last; first-- > 0;) {
      for (std::size_t end = first + 1; end <= last; ++end) {
        const int stage = stages_.of({{&tree, first, end}});
        if (stage >= 0) put_stage(stage, table[end], table[first]);
      }
      const SeriesParallelTree& part = child(tree, first);
      if (part.kind == Kind::Parallel) {
        above(table[first + 1], table[first],
              [&](int over) -> const Ways& { return parallel(part, {}, over); });
        if (options_.joins == Joins::WithBranch) join_with_branch(tree, first, last, table);
      }
      if (part.kind == Kind::Empty) table[first] = table[first + 1];
      if (options_.joins == Joins::WithBranch) fork_with_branch(tree, first, last, table);
    }
    return table;
  }

  /// `of(height)` put before every way of `after`.
  template <class Of>
  void above(const Ways& after, Ways& into, const Of& of) {
    for (std::size_t used = 0; used < after.size(); ++used) {
      if (after[used].height == k_impossible) continue;
      const Ways& part = of(after[used].height);
      for (std::size_t d = 0; used + d < into.size(); ++d)
        if (part[d].height < into[used + d].height)
          into[used + d] = {part[d].height, -1, 0, {&after[used], &part[d]}};
    }
  }

  /// One branch of a parallel part from or up to some child only.
  struct Cut {
    std::size_t branch = std::numeric_limits<std::size_t>::max();
    std::size_t first = 0;
    std::size_t last = 0;
  };

  const Ways& branch_ways(const SeriesParallelTree& tree, std::size_t branch, const Cut& cut,
                          int height) {
    const SeriesParallelTree& part = tree.children[branch];
    const bool is_cut = cut.branch == branch;
    return series(part, is_cut ? cut.last : length(part), height)[is_cut ? cut.first : 0];
  }

  /// Branches side by side, all above stages of `height`.
  const Ways& parallel(const SeriesParallelTree& tree, const Cut& cut, int height) {
    const int variant = cut.branch < tree.children.size() ? static_cast<int>(cut.branch) : -2;
    const auto [place, added] =
        tables_.try_emplace(TableKey{{&tree, cut.first, cut.last}, height, variant});
    std::vector<Ways>& table = place->second;
    if (!added) return table.front();
    const std::size_t count = tree.children.size();
    table.assign(count + 1, nothing());
    table[count][0].height = 0;
    Ways one_stage = nothing();
    one_stage[0].height = height;
    for (std::size_t first = count; first-- > 0;) {
      beside(branch_ways(tree, first, cut, height), table[first + 1], table[first]);
      for (std::size_t end = first + 2; end <= count; ++end) {
        if (cut.branch >= first && cut.branch < end) continue;
        Ways& group = groups_.emplace_back(nothing());
        put_stage(stages_.of_branches({&tree, first, end}), groups_.emplace_back(one_stage), group);
        beside(group, table[end], table[first]);
      }
    }
    return table.front();
  }

  static void beside(const Ways& one, const Ways& others, Ways& into) {
    for (std::size_t a = 0; a < one.size(); ++a) {
      if (one[a].height == k_impossible) continue;
      for (std::size_t b = 0; a + b < into.size(); ++b) {
        if (others[b].height == k_impossible) continue;
        const int height = std::max(one[a].height, others[b].height);
        if (height < into[a + b].height) into[a + b] = {height, -1, 0, {&others[b], &one[a]}};
      }
    }
  }

  /// A stage of the end of one branch, the join, and what follows it up to `end`.
  void join_with_branch(const SeriesParallelTree& tree, std::size_t at, std::size_t last,
                        std::vector<Ways>& table) {
    const SeriesParallelTree& part = child(tree, at);
    for (std::size_t branch = 0; branch < stages_.branches_to_cut(part); ++branch) {
      const SeriesParallelTree& cut_branch = part.children[branch];
      if (cut_branch.kind == Kind::Empty) continue;
      for (std::size_t cut = 0; cut < length(cut_branch); ++cut)
        for (std::size_t end = at + 2; end <= last; ++end) {
          Ways& stage = groups_.emplace_back(nothing());
          put_stage(stages_.of({{&tree, at + 1, end}, {&cut_branch, cut, length(cut_branch)}}),
                    table[end], stage);
          above(stage, table[at], [&](int over) -> const Ways& {
            return parallel(part, {branch, 0, cut}, over);
          });
        }
    }
  }

  /// A stage of the children from `at`, and of the beginning of one branch after them.
  void fork_with_branch(const SeriesParallelTree& tree, std::size_t at, std::size_t last,
                        std::vector<Ways>& table) {
    for (std::size_t fork = at + 1; fork < last; ++fork) {
      const SeriesParallelTree& part = child(tree, fork);
      if (part.kind != Kind::Parallel) continue;
      for (std::size_t branch = 0; branch < stages_.branches_to_cut(part); ++branch) {
        const SeriesParallelTree& cut_branch = part.children[branch];
        if (cut_branch.kind == Kind::Empty) continue;
        for (std::size_t cut = 1; cut <= length(cut_branch); ++cut) {
          Ways& rest = groups_.emplace_back(nothing());
          above(table[fork + 1], rest, [&](int over) -> const Ways& {
            return parallel(part, {branch, cut, length(cut_branch)}, over);
          });
          put_stage(stages_.of({{&tree, at, fork}, {&cut_branch, 0, cut}}), rest, table[at]);
        }
      }
    }
  }

  void list_stages(const Way& way, SearchPlan& plan) const {
    for (const Way* part : way.parts)
      if (part != nullptr) list_stages(*part, plan);
    if (way.stage >= 0) plan.stages.push_back({stages_.at(way.stage).blocks, way.devices, 1, 0.0});
  }

  const SearchProblem& problem_;
  const BatchCosts& costs_;
  const RecursionOptions& options_;
  int batches_ = 1;
  RecursionStages stages_;
  double target_ = 0.0;
  std::map<TableKey, std::vector<Ways>> tables_;  ///< whose addresses stay
  std::deque<Ways> groups_;                       ///< ways that others point to
};

}  // namespace

RecursionOutcome search_by_recursion(const SearchProblem& problem, const BatchCosts& costs,
                                     const SeriesParallelTree& tree,
                                     const RecursionOptions& options) {
  RecursionOutcome outcome;
  Recursion recursion(problem, costs, options);
  const auto try_target = [&](double target) {
    ++outcome.probes;
    auto plan = recursion.probe(tree, target);
    outcome.stages = recursion.stages();
    if (!plan) return false;
    outcome.plan = std::move(plan);
    return true;
  };
  if (!try_target(std::numeric_limits<double>::infinity())) return outcome;
  double low = 0.0;
  while (outcome.plan->max_time_per_sample > low * (1.0 + options.tolerance)) {
    const double middle = (low + outcome.plan->max_time_per_sample) / 2.0;
    if (!try_target(middle)) low = middle;
  }
  return outcome;
}

}  // namespace pipegraph
