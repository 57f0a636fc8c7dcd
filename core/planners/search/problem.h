// The stage search as numbers only: blocks with costs, tensors between them, equal devices.
// Planning goes from the sinks up; a stage is the difference of two nested ideals (sets closed
// under successors).
#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/digraph.h"

namespace pipegraph {

/// Data produced by one block and read by others.
struct SearchTensor {
  Digraph::Node producer = 0;
  std::vector<Digraph::Node> consumers;  ///< ascending, without the producer
  double bytes = 0.0;                    ///< per sample, one direction
  double crossings = 2.0;                ///< messages per cut: forward and, if it has one, gradient
  double saved_at_consumer = 0.0;        ///< bytes per sample a consuming stage keeps of it
};

enum class CommunicationRule : std::uint8_t {
  Sum,      ///< compute + communication
  Overlap,  ///< the larger of both
};

/// How many samples a stage has in flight.
enum class InFlightRule : std::uint8_t {
  LongestPath,  ///< b x longest path to a sink in stages (1F1B on a stage graph)
  Position,     ///< b x stages from here to the end of the chain
};

/// How many devices a stage may have.
enum class DeviceCounts : std::uint8_t { All, PowersOfTwo };

/// What does not depend on the micro-batch size.
struct SearchProblem {
  Digraph graph;                      ///< blocks
  std::vector<SearchTensor> tensors;  ///< of all blocks
  std::vector<double> fixed;          ///< by block: bytes per device, whatever the replicas
  std::vector<double> saved;          ///< by block: bytes per sample from forward to backward
  double memory = 0.0;                ///< bytes per device for both; may be infinite
  int devices = 1;
  DeviceCounts device_counts = DeviceCounts::All;
  int mini_batch = 1;
  double latency = 0.0;    ///< seconds per message
  double bandwidth = 0.0;  ///< bytes per second; may be infinite
  CommunicationRule communication = CommunicationRule::Sum;
  InFlightRule in_flight = InFlightRule::LongestPath;

  std::size_t blocks() const { return fixed.size(); }
  /// The least count that a stage may have and that is no less than `devices`.
  int allowed_devices(int devices) const;
};

/// Compute at one micro-batch size. Costs need not be affine in samples: there is one row per
/// distinct share size ceil(b / d).
struct BatchCosts {
  int micro_batch = 1;
  int max_devices = 1;  ///< of one stage: min(N, b, samples of the last micro-batch)
  std::vector<std::uint16_t> row_of_devices;  ///< by device count, [0] unused
  std::vector<std::int32_t> share;            ///< by row: samples per replica, descending
  std::vector<std::vector<double>> time;      ///< [row][block]: seconds, forward and backward
};

/// One stage of a found plan.
struct SearchStage {
  std::vector<Digraph::Node> blocks;  ///< ascending
  int devices = 1;
  int height = 1;              ///< stages from here to a sink, or to the chain's end; in flight =
                               ///< min(height, ceil(B/b)) x b
  double time_per_sample = 0;  ///< seconds, by the problem's own rule
};

/// Stages from the sinks up; every stage's successors stand before it.
struct SearchPlan {
  int micro_batch = 1;
  std::vector<SearchStage> stages;
  double max_time_per_sample = 0.0;  ///< the objective

  int depth() const;
  int devices() const;
};

/// The time of one stage on any number of devices, what crosses its borders found once.
class StageTimes {
 public:
  /// All must outlive this.
  StageTimes(const SearchProblem& problem, const BatchCosts& costs,
             const std::vector<Digraph::Node>& blocks);
  /// By the problem's rules.
  double per_sample(int devices);

 private:
  const SearchProblem& problem_;
  const BatchCosts& costs_;
  const std::vector<Digraph::Node>& blocks_;
  double bytes_ = 0.0;     ///< that enter or leave per sample, both directions
  double messages_ = 0.0;  ///< per micro-batch, both directions
  int row_ = -1;           ///< of compute_
  double compute_ = 0.0;   ///< seconds of a micro-batch
};

/// The stage's figures by the problem's rules, from its blocks (no prefix sums). `height` only
/// matters for memory.
double time_per_sample(const SearchProblem& problem, const BatchCosts& costs,
                       const std::vector<Digraph::Node>& blocks, int devices);
double memory_needed(const SearchProblem& problem, const BatchCosts& costs,
                     const std::vector<Digraph::Node>& blocks, int devices, int height);

/// By block the least device count x seconds of any share on at most `device_limit` devices.
std::vector<double> least_device_seconds(const BatchCosts& costs, int device_limit);

/// Recomputes heights and times of all stages from their blocks.
void settle(const SearchProblem& problem, const BatchCosts& costs, SearchPlan& plan);

}  // namespace pipegraph
