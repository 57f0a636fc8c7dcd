// Piper's problem as numbers only (Tarnawski et al., NeurIPS 2021): layers that can run in several
// ways, stages with data and tensor parallelism, every later stage counted in a stage's memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/graph/digraph.h"
#include "core/planners/search/knapsack.h"

namespace pipegraph {

/// One way to run a layer on a number of devices; amounts per device and micro-batch of a replica.
struct LayerWay {
  double time = 0.0;        ///< seconds, forward and backward
  double parameters = 0.0;  ///< bytes that replicas reduce once per mini-batch
  double saved = 0.0;       ///< bytes for each micro-batch in flight
  double fixed = 0.0;       ///< bytes whatever is in flight
  std::vector<double> in;   ///< bytes, one direction, by Digraph::predecessors of the layer
  std::vector<double> out;  ///< the same by successors
};

/// All ways at one degree of tensor parallelism: plain, and perhaps with recomputation.
struct LayerDegree {
  int tensor_parallel = 1;
  std::vector<LayerWay> ways;
};

enum class TransferCharge : std::uint8_t {
  Edge,      ///< every cut edge, as Piper does
  Consumer,  ///< every tensor once where it is produced and once in each stage that reads it
};

/// What of a replica's micro-batches a stage has in flight.
enum class LayerInFlight : std::uint8_t {
  Replicas,  ///< as Piper has it: as many as this and all later stages have replicas
  Schedule,  ///< what 1F1B keeps where stages take micro-batches of different sizes
             ///< (docs/schedules)
};

struct LayerProblem {
  Digraph graph;
  std::vector<std::vector<LayerDegree>> layers;  ///< by layer, ascending degrees, 1 first
  std::vector<double> saved_input;  ///< by layer: bytes of its output that a reading stage keeps
  int devices = 1;
  int micro_batches = 1;  ///< N, of one replica's size, in a mini-batch
  double memory = 0.0;    ///< bytes per device; may be infinite
  double bandwidth = 0.0;
  TransferCharge transfer = TransferCharge::Consumer;
  KnapsackMethod knapsack = KnapsackMethod::Exact;
  LayerInFlight in_flight = LayerInFlight::Replicas;
};

struct LayerStage {
  std::vector<Digraph::Node> layers;  ///< ascending
  int tensor_parallel = 1;
  int replicas = 1;
  int in_flight = 1;                      ///< micro-batches of a replica
  std::vector<Digraph::Node> recomputed;  ///< ascending
  double time = 0.0;                      ///< seconds per micro-batch: the cost
};

/// Stages from the sinks up.
struct LayerPlan {
  std::vector<LayerStage> stages;
  double bottleneck = 0.0;

  int devices() const;
};

/// How a stage is to be run.
struct StageShape {
  int tensor_parallel = 1;
  int replicas = 1;   ///< d
  int in_flight = 1;  ///< y, micro-batches of a replica
};

/// The ways of `layers` at a degree, as knapsack choices: by layer its cost and its memory. Empty
/// if a layer has no way at that degree. What the stage keeps of its inputs is no layer's: it comes
/// in `shared_memory`.
struct StageChoices {
  std::vector<std::vector<KnapsackChoice>> layers;
  double shared_memory = 0.0;
};
StageChoices stage_choices(const LayerProblem& problem, const std::vector<Digraph::Node>& layers,
                           const StageShape& shape);

/// The cheapest stage of that shape that fits, or nothing.
std::optional<LayerStage> price_stage(const LayerProblem& problem,
                                      const std::vector<Digraph::Node>& layers,
                                      const StageShape& shape);

/// What a stage of `replicas` has in flight in front of one that has `behind` (0: there is none) on
/// `behind_replicas`, in micro-batches of one replica over all of them; no more than there are.
int in_flight_before(const LayerProblem& problem, int replicas, int behind, int behind_replicas);

/// The divisors of the micro-batches up to the devices, ascending: the replicas a stage may have.
std::vector<int> replica_counts(const LayerProblem& problem);

}  // namespace pipegraph
