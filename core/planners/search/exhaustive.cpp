#include "core/planners/search/exhaustive.h"

#include <algorithm>
#include <limits>

namespace pipegraph {
namespace {

using Mask = std::uint32_t;

class Enumerator {
 public:
  Enumerator(const Digraph& graph, std::size_t most_stages,
             const std::function<void(const SearchPlan&)>& visit)
      : visit_(visit), most_stages_(most_stages), full_((Mask{1} << graph.size()) - 1) {
    for (std::size_t node = 0; node < graph.size(); ++node) {
      Mask mask = 0;
      for (const Digraph::Node next : graph.successors(static_cast<Digraph::Node>(node)))
        mask |= Mask{1} << next;
      successors_.push_back(mask);
    }
  }

  /// Ways from every ideal to the full set, by the number of stages left.
  double count() const {
    std::vector<double> ways(full_ + 1U, 0.0);
    ways[full_] = 1.0;
    double total = 0.0;
    for (std::size_t stages = 1; stages <= most_stages_; ++stages) {
      for (Mask done = 0; done <= full_; ++done) {  // ascending: supersets still have old values
        double next = 0.0;
        const Mask rest = full_ & ~done;
        if (closed(done))
          for (Mask stage = rest; stage != 0; stage = (stage - 1) & rest)
            next += ways[done | stage];
        ways[done] = next;
      }
      total += ways[0];
    }
    return total;
  }

  void descend(Mask done) {
    if (done == full_) {
      visit_(plan_);
      return;
    }
    if (plan_.stages.size() == most_stages_) return;
    const Mask rest = full_ & ~done;
    for (Mask stage = rest; stage != 0; stage = (stage - 1) & rest) {
      if (!closed(done | stage)) continue;
      plan_.stages.push_back({blocks_of(stage), 1, 1, 0.0});
      descend(done | stage);
      plan_.stages.pop_back();
    }
  }

 private:
  bool closed(Mask set) const {
    for (std::size_t node = 0; node < successors_.size(); ++node)
      if ((set >> node & 1U) != 0 && (successors_[node] & ~set) != 0) return false;
    return true;
  }
  static std::vector<Digraph::Node> blocks_of(Mask mask) {
    std::vector<Digraph::Node> blocks;
    for (Digraph::Node node = 0; mask != 0; ++node, mask >>= 1)
      if ((mask & 1U) != 0) blocks.push_back(node);
    return blocks;
  }

  const std::function<void(const SearchPlan&)>& visit_;
  std::size_t most_stages_;
  Mask full_;
  std::vector<Mask> successors_;
  SearchPlan plan_;
};

/// Least bottleneck of a partition whose heights are settled: tries every split of the devices.
class DeviceSplit {
 public:
  DeviceSplit(const SearchProblem& problem, const BatchCosts& costs, SearchPlan plan)
      : problem_(problem), costs_(costs), plan_(std::move(plan)) {}

  std::optional<SearchPlan> best() {
    assign(0, problem_.devices, 0.0);
    return best_;
  }

 private:
  void assign(std::size_t stage, int left, double so_far) {
    if (so_far >= best_value_) return;
    if (stage == plan_.stages.size()) {
      best_value_ = so_far;
      best_ = plan_;
      best_->max_time_per_sample = so_far;
      return;
    }
    const int others = static_cast<int>(plan_.stages.size() - stage) - 1;
    for (int d = 1; d <= std::min(left - others, costs_.max_devices); ++d) {
      SearchStage& current = plan_.stages[stage];
      if (problem_.allowed_devices(d) != d) continue;
      if (memory_needed(problem_, costs_, current.blocks, d, current.height) > problem_.memory)
        continue;
      current.devices = d;
      current.time_per_sample = time_per_sample(problem_, costs_, current.blocks, d);
      assign(stage + 1, left - d, std::max(so_far, current.time_per_sample));
    }
  }

  const SearchProblem& problem_;
  const BatchCosts& costs_;
  SearchPlan plan_;
  std::optional<SearchPlan> best_;
  double best_value_ = std::numeric_limits<double>::infinity();
};

}  // namespace

void for_each_partition(const Digraph& graph, std::size_t most_stages,
                        const std::function<void(const SearchPlan&)>& visit) {
  Enumerator(graph, most_stages, visit).descend(0);
}

double count_partitions(const Digraph& graph, std::size_t most_stages) {
  const std::function<void(const SearchPlan&)> nothing;
  return Enumerator(graph, most_stages, nothing).count();
}

std::optional<SearchPlan> exhaustive_search(const SearchProblem& problem, const BatchCosts& costs) {
  std::optional<SearchPlan> best;
  const auto most_stages = static_cast<std::size_t>(problem.devices);
  for_each_partition(problem.graph, most_stages, [&](const SearchPlan& partition) {
    SearchPlan plan = partition;
    plan.micro_batch = costs.micro_batch;
    settle(problem, costs, plan);
    const auto split = DeviceSplit(problem, costs, plan).best();
    if (split && (!best || split->max_time_per_sample < best->max_time_per_sample)) best = split;
  });
  return best;
}

}  // namespace pipegraph
