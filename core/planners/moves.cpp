#include "core/planners/moves.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace pipegraph {
namespace {

/// Cuts of a stage that are tried when it is split.
constexpr std::size_t k_most_splits = 8;

/// Forwards in a row beyond which more hide nothing more.
constexpr std::int32_t k_most_k = 16;

class Neighbours {
 public:
  Neighbours(const ComputationGraph& graph, const Layout& layout, const MoveOptions& options)
      : graph_(graph),
        layout_(layout),
        options_(options),
        spare_(options.devices - places(layout)) {
    stage_of_.assign(graph.size(), 0);
    for (std::size_t s = 0; s < layout.stages.size(); ++s)
      for (const OperatorId op : layout.stages[s].operators) stage_of_[op.index()] = s;
  }

  std::vector<Layout> all() {
    move_operators();
    merge_stages();
    split_stages();
    move_devices();
    change_micro_batches();
    change_in_flight();
    change_k();
    change_kind();
    return std::move(found_);
  }

 private:
  void add(Layout next) {
    for (const Stage& stage : next.stages)
      if (static_cast<std::size_t>(stage.micro_batch) < stage.devices.size()) return;
    if (!is_acyclic(graph_, next)) return;
    number_places(next);
    found_.push_back(std::move(next));
  }

  /// Ordered pairs (operator, other stage) with an edge between them.
  void move_operators() {
    std::vector<std::pair<OperatorId, std::size_t>> moves;
    for (std::size_t i = 0; i < graph_.size(); ++i)
      for (const OperatorId input : graph_.operators()[i].inputs) {
        const auto op = make_id<OperatorId>(i);
        if (stage_of_[i] == stage_of_[input.index()]) continue;
        moves.emplace_back(op, stage_of_[input.index()]);
        moves.emplace_back(input, stage_of_[i]);
      }
    std::ranges::sort(moves);
    moves.erase(std::ranges::unique(moves).begin(), moves.end());
    for (const auto& [op, to] : moves) {
      const std::size_t from = stage_of_[op.index()];
      if (layout_.stages[from].operators.size() == 1) continue;  // that is a merge
      Layout next = layout_;
      std::erase(next.stages[from].operators, op);
      auto& target = next.stages[to].operators;
      target.insert(std::ranges::lower_bound(target, op), op);
      add(std::move(next));
    }
  }

  void merge(std::size_t a, std::size_t b) {
    Layout next = layout_;
    Stage& into = next.stages[a];
    const Stage& gone = next.stages[b];
    into.operators.insert(into.operators.end(), gone.operators.begin(), gone.operators.end());
    std::ranges::sort(into.operators);
    into.micro_batch = std::max(into.micro_batch, gone.micro_batch);
    const auto most = static_cast<std::size_t>(into.micro_batch);
    into.devices.resize(std::min(into.devices.size() + gone.devices.size(), most));
    next.stages.erase(next.stages.begin() + static_cast<std::ptrdiff_t>(b));
    add(std::move(next));
  }

  void merge_stages() {
    const std::size_t count = layout_.stages.size();
    for (std::size_t a = 0; a + 1 < count; ++a)
      for (std::size_t b = a + 1; b < count; ++b)
        if (layout_.kind == PlanKind::Graph ? count <= 16 || b == a + 1 : b == a + 1) merge(a, b);
  }

  void split(std::size_t at, std::size_t cut, std::size_t first_devices, std::size_t devices) {
    Layout next = layout_;
    Stage& first = next.stages[at];
    Stage second = first;
    const std::vector<OperatorId> order = topological(first.operators);
    first.operators.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(cut));
    second.operators.assign(order.begin() + static_cast<std::ptrdiff_t>(cut), order.end());
    std::ranges::sort(first.operators);
    std::ranges::sort(second.operators);
    first.devices.resize(first_devices);
    second.devices.resize(devices - first_devices);
    second.name += "b";
    next.stages.insert(next.stages.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                       std::move(second));
    add(std::move(next));
  }

  void split_stages() {
    for (std::size_t at = 0; at < layout_.stages.size(); ++at) {
      const Stage& stage = layout_.stages[at];
      const std::size_t size = stage.operators.size();
      const std::size_t devices = stage.devices.size() + (spare_ > 0 ? 1 : 0);
      if (size < 2 || devices < 2) continue;
      const std::size_t step = std::max<std::size_t>(1, size / k_most_splits);
      for (std::size_t cut = step; cut < size; cut += step)
        for (std::size_t first = 1; first < devices; ++first)
          if (devices <= 4 || first == std::max<std::size_t>(1, devices * cut / size))
            split(at, cut, first, devices);
    }
  }

  void move_devices() {
    const std::size_t count = layout_.stages.size();
    for (std::size_t to = 0; to < count; ++to) {
      if (spare_ > 0) {
        Layout next = layout_;
        next.stages[to].devices.emplace_back();
        add(std::move(next));
      }
      for (std::size_t from = 0; from < count; ++from) {
        if (from == to || layout_.stages[from].devices.size() < 2) continue;
        Layout next = layout_;
        next.stages[from].devices.pop_back();
        next.stages[to].devices.emplace_back();
        add(std::move(next));
      }
    }
  }

  std::optional<std::int32_t> other_size(std::int32_t size, int step) const {
    const auto& sizes = options_.micro_batches;
    const auto at = std::ranges::lower_bound(sizes, size) - sizes.begin() + step;
    if (at < 0 || at >= static_cast<std::ptrdiff_t>(sizes.size())) return std::nullopt;
    return sizes[static_cast<std::size_t>(at)];
  }

  void change_micro_batches() {
    for (const int step : {-1, 1}) {
      Layout together = layout_;
      for (std::size_t s = 0; s < layout_.stages.size(); ++s) {
        const auto size = other_size(layout_.stages[s].micro_batch, step);
        if (!size) continue;
        together.stages[s].micro_batch = *size;
        Layout next = layout_;
        next.stages[s].micro_batch = *size;
        add(std::move(next));
      }
      if (layout_.stages.size() > 1 && key_of(together) != key_of(layout_))
        add(std::move(together));
    }
  }

  void change_in_flight() {
    if (!options_.extra_in_flight || layout_.stages.empty()) return;
    const std::int32_t size = layout_.stages.front().micro_batch;
    for (const std::int64_t extra :
         {layout_.extra_in_flight - size, layout_.extra_in_flight + size})
      if (extra >= 0) {
        Layout next = layout_;
        next.extra_in_flight = extra;
        add(std::move(next));
      }
  }

  void change_k() {
    if (!options_.k || layout_.stages.empty()) return;
    Layout larger = layout_;
    Layout smaller = layout_;
    for (std::size_t s = 0; s < layout_.stages.size(); ++s) {
      larger.stages[s].k *= 2;
      smaller.stages[s].k = std::max(1, layout_.stages[s].k / 2);
    }
    if (larger.stages.front().k <= k_most_k) add(std::move(larger));
    if (key_of(smaller) != key_of(layout_)) add(std::move(smaller));
  }

  void change_kind() {
    if (!options_.other_kind) return;
    Layout next = layout_;
    if (next.kind == PlanKind::Graph) sort_stages(graph_, next);
    next.kind = next.kind == PlanKind::Graph ? PlanKind::Sequential : PlanKind::Graph;
    add(std::move(next));
  }

  std::vector<OperatorId> topological(const std::vector<OperatorId>& operators) const {
    std::vector<Digraph::Edge> edges;
    std::vector<Digraph::Node> index(graph_.size(), -1);
    for (std::size_t i = 0; i < operators.size(); ++i)
      index[operators[i].index()] = static_cast<Digraph::Node>(i);
    for (const OperatorId op : operators)
      for (const OperatorId input : graph_.at(op).inputs)
        if (index[input.index()] >= 0) edges.push_back({index[input.index()], index[op.index()]});
    std::vector<OperatorId> result;
    const auto order = topological_order(Digraph(operators.size(), std::move(edges)));
    for (const Digraph::Node node : *order)
      result.push_back(operators[static_cast<std::size_t>(node)]);
    return result;
  }

  const ComputationGraph& graph_;
  const Layout& layout_;
  const MoveOptions& options_;
  std::size_t spare_;
  std::vector<std::size_t> stage_of_;
  std::vector<Layout> found_;
};

}  // namespace

std::vector<Layout> neighbours(const ComputationGraph& graph, const Layout& layout,
                               const MoveOptions& options) {
  return Neighbours(graph, layout, options).all();
}

}  // namespace pipegraph
