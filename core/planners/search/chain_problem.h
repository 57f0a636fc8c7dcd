// PipeDream's problem as numbers only (Narayanan et al., SOSP 2019): a chain of stages, each
// replicated, on one or two levels of bandwidth. A full machine of the inner level is a worker of
// the outer one; a replicated worker repeats the inner chain.
#pragma once

#include <cstdint>
#include <vector>

#include "core/planners/search/pairs.h"

namespace pipegraph {

/// `workers` of the level below (of the first: devices), joined at `bandwidth`.
struct ChainLevel {
  int workers = 1;
  double bandwidth = 0.0;  ///< bytes per second; may be infinite
};

/// How replicas agree on parameters.
enum class SyncRule : std::uint8_t {
  Ring,  ///< a ring all-reduce per level, once per mini-batch, added to compute
  Sum,   ///< PipeDream's program: 4 (m - 1) P / (B m) once per micro-batch of a replica, added
  Max,   ///< PipeDream's paper: 2 (m - 1) P / B once per micro-batch of a replica, overlapped
};

struct ChainProblem {
  SearchProblem base;              ///< blocks, tensors, memory, mini-batch
  BatchCosts costs;                ///< compute at the micro-batch size
  std::vector<double> parameters;  ///< by block: bytes that replicas reduce
  std::vector<ChainLevel> levels;  ///< one or two, inner first
  SyncRule sync = SyncRule::Ring;
  bool exactly = false;         ///< all workers of every level must be used
  int most_replicas = 1 << 30;  ///< of one stage

  int devices() const;
  int machines() const { return levels.back().workers; }
  int per_machine() const { return levels.size() > 1 ? levels.front().workers : 1; }
};

/// A stage of the flat chain.
struct ChainStage {
  std::vector<Digraph::Node> blocks;  ///< ascending
  int replicas = 1;                   ///< inside a machine
  int machines = 1;                   ///< that repeat it
  bool segment_begins = true;         ///< its machines are others than those of the stage before
};

/// Stages from the sinks up.
struct ChainPlan {
  std::vector<ChainStage> stages;
  double max_time_per_sample = 0.0;  ///< seconds
};

/// Costs of stages between nested ideals U over V, in seconds per sample of the whole pipeline.
/// A stage runs r times in each of q machines.
class ChainCosts {
 public:
  /// All must outlive this.
  ChainCosts(const ChainProblem& problem, const PairTable& pairs);

  /// Compute and inner synchronisation of a stage.
  double stage_time(const StagePair& pair, int r, int q) const;
  /// The same of a machine's whole chain, of bottleneck `inside`, repeated q times.
  double segment_time(const StagePair& pair, double inside, int q) const;
  /// What a stage takes at least on q machines or more, one worker of each; 0 with two levels.
  double least_segment_time(const StagePair& pair, int q) const;
  /// The longer of the transfers at a stage's two ends, on an inner link (for all but the first
  /// stage of a machine's chain) or an outer one.
  double inner_transfer(const StagePair& pair, int r, int q) const;
  double outer_transfer(const StagePair& pair, int q) const;
  /// What the first stage of a machine's chain of several pays for its output to the next, below
  /// which lies `ideal`. (Of PipeDream's rules only the reader pays.)
  double first_output(std::int32_t ideal, int r, int q) const;
  /// Stages from this to the chain's end, this included, that memory allows; 0 = not even one,
  /// k_any_height = any number.
  int most_height(const StagePair& pair, int replicas) const;
  static constexpr int k_any_height = 1 << 30;

  int most_replicas() const { return most_replicas_; }
  double work(std::int32_t ideal) const { return work_[static_cast<std::size_t>(ideal)]; }

 private:
  double compute(const StagePair& pair, int replicas) const;
  double parameters(const StagePair& pair) const;

  const ChainProblem& problem_;
  const PairTable& pairs_;
  int most_replicas_ = 1;
  std::vector<std::vector<double>> time_;  ///< [row][ideal]: sums
  std::vector<double> parameters_, cut_;   ///< by ideal; cut_: bytes per sample, both directions
  std::vector<double> least_compute_;      ///< by ideal: seconds per sample on any replicas
  std::vector<double> work_;               ///< by ideal: device seconds per sample, at least
};

}  // namespace pipegraph
