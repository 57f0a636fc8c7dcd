// All nested pairs V < U of a family, each a possible stage U \ V, with what its cost needs and
// what does not depend on target, micro-batch size or device count.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/planners/search/ideals.h"
#include "core/planners/search/problem.h"

namespace pipegraph {

/// A tensor produced outside an ideal and read inside it.
struct LiveTensor {
  std::int32_t tensor = 0;
  std::int32_t consumers = 0;  ///< blocks inside that read it
};

struct StagePair {
  std::int32_t inner = 0;           ///< index of V
  std::int32_t outer = 0;           ///< index of U
  double fixed = 0.0;               ///< bytes per device
  double saved = 0.0;               ///< bytes per sample in flight
  double transfer_seconds = 0.0;    ///< per sample on one device: crossing bytes / bandwidth
  double latency_seconds = 0.0;     ///< per micro-batch: crossings x latency
  std::uint32_t outputs_begin = 0;  ///< into PairTable::outputs
  std::uint32_t outputs_end = 0;
};

class PairTable {
 public:
  /// Both must outlive the table.
  PairTable(const SearchProblem& problem, const IdealFamily& family);

  std::size_t ideals() const { return family_.ideals.size(); }
  const NodeSet& ideal(std::int32_t index) const {
    return family_.ideals[static_cast<std::size_t>(index)];
  }
  std::span<const StagePair> pairs() const { return pairs_; }
  /// The outer ideal of every pair, once more on its own: what inner loops read.
  std::span<const std::int32_t> outer() const { return outer_; }
  /// By ideal the sum of `by_block` over its blocks.
  std::vector<double> sums(const std::vector<double>& by_block) const;
  /// Pairs with inner ideal V, by outer ideal; as positions [first, last) of pairs().
  std::size_t begin(std::int32_t inner) const { return begin_[static_cast<std::size_t>(inner)]; }
  std::size_t end(std::int32_t inner) const { return begin_[static_cast<std::size_t>(inner) + 1]; }
  /// Live tensors of an ideal, by tensor.
  std::span<const LiveTensor> live(std::int32_t ideal) const {
    return live_[static_cast<std::size_t>(ideal)];
  }
  /// Positions in live(inner) of the tensors the stage produces.
  std::span<const std::uint16_t> outputs(const StagePair& pair) const {
    return std::span(outputs_).subspan(pair.outputs_begin, pair.outputs_end - pair.outputs_begin);
  }

 private:
  std::size_t size(std::int32_t ideal) const { return sizes_[static_cast<std::size_t>(ideal)]; }
  void find_live_tensors();
  void find_bases();
  void add_pair(std::int32_t inner, std::int32_t outer);

  const SearchProblem& problem_;
  const IdealFamily& family_;
  /// What a tensor adds to a stage whose border it crosses; see StagePair.
  struct Crossing {
    double transfer_seconds = 0.0;
    double latency_seconds = 0.0;
  };
  std::vector<Crossing> crossings_;  ///< by tensor
  std::vector<std::vector<LiveTensor>> live_;
  std::vector<double> fixed_, saved_;  ///< sums by ideal
  std::vector<std::size_t> sizes_;     ///< by ideal: blocks
  std::vector<StagePair> pairs_;
  std::vector<std::int32_t> outer_;
  std::vector<std::int32_t> base_;                 ///< by ideal: a large ideal inside it
  std::vector<std::vector<Digraph::Node>> added_;  ///< by ideal: its blocks outside base_
  std::vector<std::size_t> begin_;
  std::vector<std::uint16_t> outputs_;
};

}  // namespace pipegraph
