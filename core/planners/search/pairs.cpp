#include "core/planners/search/pairs.h"

#include <algorithm>

namespace pipegraph {

namespace {
constexpr std::size_t k_most_reserved = 65'536;  // pairs
}

PairTable::PairTable(const SearchProblem& problem, const IdealFamily& family)
    : problem_(problem), family_(family) {
  find_live_tensors();
  for (const SearchTensor& tensor : problem.tensors)
    crossings_.push_back(
        {tensor.crossings * tensor.bytes / problem.bandwidth, tensor.crossings * problem.latency});
  const auto count = static_cast<std::int32_t>(ideals());
  for (const NodeSet& set : family.ideals) sizes_.push_back(set.count());
  const std::size_t most = std::min(ideals() * ideals() / 2, k_most_reserved);
  pairs_.reserve(most);
  outer_.reserve(most);
  outputs_.reserve(most);
  begin_.push_back(0);
  for (std::int32_t inner = 0; inner < count; ++inner) {
    for (std::int32_t outer = inner + 1; outer < count; ++outer)
      if (size(outer) > size(inner) && ideal(inner).is_subset_of(ideal(outer)))
        add_pair(inner, outer);
    begin_.push_back(pairs_.size());
  }
  find_bases();
  const std::vector<double> fixed = sums(problem.fixed);
  const std::vector<double> saved = sums(problem.saved);
  for (StagePair& pair : pairs_) {
    pair.fixed =
        fixed[static_cast<std::size_t>(pair.outer)] - fixed[static_cast<std::size_t>(pair.inner)];
    pair.saved +=
        saved[static_cast<std::size_t>(pair.outer)] - saved[static_cast<std::size_t>(pair.inner)];
  }
}

void PairTable::find_bases() {
  base_.assign(ideals(), -1);
  added_.resize(ideals());
  for (const StagePair& pair : pairs_)  // inner ideals come by size: the last is a largest
    base_[static_cast<std::size_t>(pair.outer)] = pair.inner;
  for (std::size_t i = 1; i < ideals(); ++i) {
    NodeSet added = family_.ideals[i];
    added -= ideal(base_[i]);
    added_[i] = added.nodes();
  }
}

std::vector<double> PairTable::sums(const std::vector<double>& by_block) const {
  std::vector<double> result(ideals(), 0.0);
  for (std::size_t i = 1; i < ideals(); ++i) {
    result[i] = result[static_cast<std::size_t>(base_[i])];
    for (const Digraph::Node block : added_[i])
      result[i] += by_block[static_cast<std::size_t>(block)];
  }
  return result;
}

void PairTable::find_live_tensors() {
  live_.resize(ideals());
  for (std::size_t i = 0; i < ideals(); ++i) {
    const NodeSet& set = family_.ideals[i];
    for (std::size_t t = 0; t < problem_.tensors.size(); ++t) {
      const SearchTensor& tensor = problem_.tensors[t];
      if (set.contains(tensor.producer)) continue;
      const auto inside =
          std::ranges::count_if(tensor.consumers, [&](auto c) { return set.contains(c); });
      if (inside > 0)
        live_[i].push_back({static_cast<std::int32_t>(t), static_cast<std::int32_t>(inside)});
    }
  }
}

void PairTable::add_pair(std::int32_t inner, std::int32_t outer) {
  const auto i = static_cast<std::size_t>(inner);
  const auto o = static_cast<std::size_t>(outer);
  StagePair pair;
  pair.inner = inner;
  pair.outer = outer;
  pair.outputs_begin = static_cast<std::uint32_t>(outputs_.size());
  const auto cross = [&](std::int32_t tensor) {
    const Crossing& added = crossings_[static_cast<std::size_t>(tensor)];
    pair.transfer_seconds += added.transfer_seconds;
    pair.latency_seconds += added.latency_seconds;
  };
  const std::vector<LiveTensor>& below = live_[i];
  const std::vector<LiveTensor>& above = live_[o];
  std::size_t b = 0;
  std::size_t a = 0;
  while (b < below.size() || a < above.size()) {
    const bool from_below =
        a == above.size() || (b < below.size() && below[b].tensor < above[a].tensor);
    if (from_below) {  // produced by the stage
      cross(below[b].tensor);
      outputs_.push_back(static_cast<std::uint16_t>(b++));
      continue;
    }
    const bool in_both = b < below.size() && below[b].tensor == above[a].tensor;
    if (!in_both || above[a].consumers > below[b].consumers) {  // read by the stage
      cross(above[a].tensor);
      pair.saved += problem_.tensors[static_cast<std::size_t>(above[a].tensor)].saved_at_consumer;
    }
    ++a;
    if (in_both) ++b;
  }
  pair.outputs_end = static_cast<std::uint32_t>(outputs_.size());
  pairs_.push_back(pair);
  outer_.push_back(outer);
}

}  // namespace pipegraph
