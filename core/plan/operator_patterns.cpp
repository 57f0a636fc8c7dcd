// Exact names first, then patterns on what they left.
#include "core/plan/operator_patterns.h"

#include "core/base/nearest.h"
#include "core/base/wildcard.h"

namespace pipegraph {
namespace {

/// The assignment as it grows: by which entry each operator was taken.
class Assignment {
 public:
  explicit Assignment(const ComputationGraph& graph)
      : graph_(graph), taken_by_(graph.size(), nullptr) {}

  void take_exact(const OperatorPattern& entry, OperatorId id) {
    if (taken_by_[id.index()] != nullptr)
      fail_twice(entry, fmt::format("operator '{}' is", entry.text), id);
    taken_by_[id.index()] = &entry;
  }

  void take_pattern(const OperatorPattern& entry) {
    bool found = false;
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      const auto id = make_id<OperatorId>(i);
      const std::string& name = graph_.at(id).name;
      if (!matches_wildcard(entry.text, name)) continue;
      found = true;
      const OperatorPattern* before = taken_by_[i];
      if (before != nullptr && before->text == name) continue;
      if (before != nullptr)
        fail_twice(entry,
                   fmt::format("pattern '{}' matches operator '{}', which is", entry.text, name),
                   id);
      taken_by_[i] = &entry;
    }
    if (!found)
      throw ConfigError(entry.position, fmt::format("pattern '{}' matches no operator", entry.text),
                        "a pattern of operators of the model");
  }

  std::vector<std::vector<OperatorId>> by_list(std::size_t lists) const {
    std::vector<std::vector<OperatorId>> result(lists);
    for (std::size_t i = 0; i < taken_by_.size(); ++i)
      if (taken_by_[i] != nullptr) result[taken_by_[i]->list].push_back(make_id<OperatorId>(i));
    return result;
  }

 private:
  [[noreturn]] void fail_twice(const OperatorPattern& entry, const std::string& what,
                               OperatorId id) const {
    const OperatorPattern& before = *taken_by_[id.index()];
    throw ConfigError(
        entry.position,
        fmt::format("{} already taken by '{}' in {}", what, before.text, before.position.key),
        "every operator in one place");
  }

  const ComputationGraph& graph_;
  std::vector<const OperatorPattern*> taken_by_;
};

[[noreturn]] void fail_unknown(const ComputationGraph& graph, const OperatorPattern& entry) {
  std::vector<std::string> names;
  for (const Operator& op : graph.operators()) names.push_back(op.name);
  const std::optional<std::string> close = nearest(entry.text, names);
  throw ConfigError(entry.position, fmt::format("there is no operator '{}'", entry.text),
                    close ? fmt::format("'{}'", *close)
                          : fmt::format("one of the model's {} operators", graph.size()));
}

}  // namespace

std::vector<std::vector<OperatorId>> resolve_operators(const ComputationGraph& graph,
                                                       std::span<const OperatorPattern> entries,
                                                       std::size_t lists) {
  Assignment assignment(graph);
  std::vector<const OperatorPattern*> patterns;
  for (const OperatorPattern& entry : entries) {
    if (const std::optional<OperatorId> id = graph.find(entry.text))
      assignment.take_exact(entry, *id);
    else if (is_wildcard(entry.text))
      patterns.push_back(&entry);
    else
      fail_unknown(graph, entry);
  }
  for (const OperatorPattern* entry : patterns) assignment.take_pattern(*entry);
  return assignment.by_list(lists);
}

}  // namespace pipegraph
