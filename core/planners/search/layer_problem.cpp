#include "core/planners/search/layer_problem.h"

#include <algorithm>

namespace pipegraph {
namespace {

const LayerDegree* find_degree(const std::vector<LayerDegree>& degrees, int tensor_parallel) {
  for (const LayerDegree& degree : degrees)
    if (degree.tensor_parallel == tensor_parallel) return &degree;
  return nullptr;
}

bool inside(const std::vector<Digraph::Node>& layers, Digraph::Node node) {
  return std::ranges::binary_search(layers, node);
}

/// Bytes of the layer's cut edges, one direction.
double edge_bytes(const LayerProblem& problem, const std::vector<Digraph::Node>& layers,
                  Digraph::Node layer, const LayerWay& way) {
  double bytes = 0.0;
  const auto before = problem.graph.predecessors(layer);
  for (std::size_t i = 0; i < before.size(); ++i)
    if (!inside(layers, before[i])) bytes += way.in[i];
  const auto after = problem.graph.successors(layer);
  for (std::size_t i = 0; i < after.size(); ++i)
    if (!inside(layers, after[i])) bytes += way.out[i];
  return bytes;
}

const LayerWay& plain_way(const LayerProblem& problem, Digraph::Node layer, int tensor_parallel) {
  return find_degree(problem.layers[static_cast<std::size_t>(layer)], tensor_parallel)
      ->ways.front();
}

/// What the stage receives of `producer`: its largest edge into the stage.
double received_bytes(const LayerProblem& problem, const std::vector<Digraph::Node>& layers,
                      Digraph::Node producer, int tensor_parallel) {
  double most = 0.0;
  for (const Digraph::Node reader : problem.graph.successors(producer)) {
    if (!inside(layers, reader)) continue;
    const auto before = problem.graph.predecessors(reader);
    const auto at = std::ranges::lower_bound(before, producer) - before.begin();
    most = std::max(most,
                    plain_way(problem, reader, tensor_parallel).in[static_cast<std::size_t>(at)]);
  }
  return most;
}

/// Layers outside the stage that it reads, ascending.
std::vector<Digraph::Node> stage_inputs(const LayerProblem& problem,
                                        const std::vector<Digraph::Node>& layers) {
  std::vector<Digraph::Node> inputs;
  for (const Digraph::Node layer : layers)
    for (const Digraph::Node before : problem.graph.predecessors(layer))
      if (!inside(layers, before)) inputs.push_back(before);
  std::ranges::sort(inputs);
  inputs.erase(std::ranges::unique(inputs).begin(), inputs.end());
  return inputs;
}

/// Bytes by layer, of which the stage's sum counts every cut tensor once; tensors received are
/// booked on the stage's first layer.
std::vector<double> tensor_bytes(const LayerProblem& problem,
                                 const std::vector<Digraph::Node>& layers, int tensor_parallel) {
  std::vector<double> bytes(layers.size(), 0.0);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto after = problem.graph.successors(layers[i]);
    const LayerWay& way = plain_way(problem, layers[i], tensor_parallel);
    for (std::size_t edge = 0; edge < after.size(); ++edge)
      if (!inside(layers, after[edge])) bytes[i] = std::max(bytes[i], way.out[edge]);
  }
  for (const Digraph::Node input : stage_inputs(problem, layers))
    bytes.front() += received_bytes(problem, layers, input, tensor_parallel);
  return bytes;
}

}  // namespace

int LayerPlan::devices() const {
  int sum = 0;
  for (const LayerStage& stage : stages) sum += stage.tensor_parallel * stage.replicas;
  return sum;
}

StageChoices stage_choices(const LayerProblem& problem, const std::vector<Digraph::Node>& layers,
                           const StageShape& shape) {
  StageChoices result;
  for (const Digraph::Node layer : layers)
    if (find_degree(problem.layers[static_cast<std::size_t>(layer)], shape.tensor_parallel) ==
        nullptr)
      return result;
  const bool per_edge = problem.transfer == TransferCharge::Edge;
  const std::vector<double> once =
      per_edge ? std::vector<double>{} : tensor_bytes(problem, layers, shape.tensor_parallel);
  const double d = shape.replicas;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    std::vector<KnapsackChoice>& choices = result.layers.emplace_back();
    for (const LayerWay& way :
         find_degree(problem.layers[static_cast<std::size_t>(layers[i])], shape.tensor_parallel)
             ->ways) {
      const double cut = per_edge ? edge_bytes(problem, layers, layers[i], way) : once[i];
      const double bytes =
          2.0 * cut / d + 4.0 * (d - 1.0) / d * way.parameters / problem.micro_batches;
      choices.push_back(
          {way.time / d + bytes / problem.bandwidth, way.saved * shape.in_flight + way.fixed});
    }
  }
  for (const Digraph::Node input : stage_inputs(problem, layers))
    result.shared_memory += problem.saved_input[static_cast<std::size_t>(input)] * shape.in_flight;
  return result;
}

std::optional<LayerStage> price_stage(const LayerProblem& problem,
                                      const std::vector<Digraph::Node>& layers,
                                      const StageShape& shape) {
  const StageChoices choices = stage_choices(problem, layers, shape);
  if (choices.layers.empty()) return std::nullopt;
  const auto answer =
      solve_knapsack(choices.layers, problem.memory - choices.shared_memory, problem.knapsack);
  if (!answer) return std::nullopt;
  LayerStage stage{layers, shape.tensor_parallel, shape.replicas, shape.in_flight,
                   {},     answer->cost};
  for (std::size_t i = 0; i < layers.size(); ++i)
    if (answer->chosen[i] != 0) stage.recomputed.push_back(layers[i]);
  return stage;
}

int in_flight_before(const LayerProblem& problem, int replicas, int behind, int behind_replicas) {
  const auto whole = [&](int samples) { return (samples + replicas - 1) / replicas * replicas; };
  int samples = 0;
  if (problem.in_flight == LayerInFlight::Replicas)
    samples = behind + replicas;
  else if (replicas > behind_replicas)
    samples = whole(behind) + replicas;
  else
    samples = whole(behind + behind_replicas);
  return std::min(samples, problem.micro_batches);
}

std::vector<int> replica_counts(const LayerProblem& problem) {
  std::vector<int> counts;
  for (int d = 1; d <= std::min(problem.devices, problem.micro_batches); ++d)
    if (problem.micro_batches % d == 0) counts.push_back(d);
  return counts;
}

}  // namespace pipegraph
