#include "core/planners/layer_input.h"

#include <algorithm>
#include <map>
#include <optional>

#include "core/graph/node_set.h"
#include "core/stage/parameter_copies.h"

namespace pipegraph {
namespace {

using Blocks = std::vector<std::vector<OperatorId>>;

Blocks single_operators(const ComputationGraph& graph) {
  Blocks blocks;
  for (std::size_t i = 0; i < graph.size(); ++i) blocks.push_back({make_id<OperatorId>(i)});
  return blocks;
}

/// Whether the blocks form an acyclic graph.
bool acyclic(const ComputationGraph& graph, const Blocks& blocks) {
  std::vector<Digraph::Node> block_of(graph.size(), 0);
  for (std::size_t b = 0; b < blocks.size(); ++b)
    for (const OperatorId op : blocks[b]) block_of[op.index()] = static_cast<Digraph::Node>(b);
  std::vector<Digraph::Edge> edges;
  for (const Digraph::Edge& edge : graph.edges().edges()) {
    const Digraph::Edge between{block_of[static_cast<std::size_t>(edge.from)],
                                block_of[static_cast<std::size_t>(edge.to)]};
    if (between.from != between.to) edges.push_back(between);
  }
  return topological_order(Digraph(blocks.size(), std::move(edges))).has_value();
}

bool convex(const ComputationGraph& graph, const std::vector<OperatorId>& block) {
  NodeSet set(graph.size());
  for (const OperatorId op : block) set.insert(op.value);
  return is_convex(graph.edges(), set);
}

/// The measured ways of a block, added up over its operators.
class VariantSums {
 public:
  VariantSums(const ComputationGraph& graph, const SearchInput& search)
      : graph_(graph), search_(search), block_of_(graph.size(), 0) {
    for (std::size_t b = 0; b < search.blocks.size(); ++b)
      for (const OperatorId op : search.blocks[b])
        block_of_[op.index()] = static_cast<Digraph::Node>(b);
  }

  bool measured(std::size_t block) const {
    return std::ranges::all_of(search_.blocks[block],
                               [&](OperatorId op) { return !graph_.at(op).variants.empty(); });
  }

  std::vector<LayerDegree> degrees(std::size_t block, const LayerInputOptions& options) const {
    std::vector<LayerDegree> result;
    const OperatorId first = search_.blocks[block].front();
    for (const OperatorVariant& shape : graph_.at(first).variants) {
      if (shape.tensor_parallel > options.most_tensor_parallel) continue;
      if (shape.recompute && !options.recompute) continue;
      auto way = sum(block, shape, options.micro_batch);
      if (!way) continue;
      if (result.empty() || result.back().tensor_parallel != shape.tensor_parallel) {
        if (shape.recompute) continue;  // only beside a plain way
        result.push_back({shape.tensor_parallel, {}});
      }
      result.back().ways.push_back(std::move(*way));
    }
    return result;
  }

 private:
  std::optional<LayerWay> sum(std::size_t block, const OperatorVariant& shape,
                              double samples) const {
    const auto node = static_cast<Digraph::Node>(block);
    const auto before = search_.problem.graph.predecessors(node);
    const auto after = search_.problem.graph.successors(node);
    LayerWay way;
    way.in.assign(before.size(), 0.0);
    way.out.assign(after.size(), 0.0);
    for (const OperatorId id : search_.blocks[block]) {
      const Operator& op = graph_.at(id);
      const auto found = std::ranges::find_if(op.variants, [&](const OperatorVariant& variant) {
        return variant.tensor_parallel == shape.tensor_parallel &&
               variant.recompute == shape.recompute;
      });
      if (found == op.variants.end()) return std::nullopt;
      way.time += found->time.count() * samples;
      way.parameters += found->parameters.as_double();
      way.saved += found->saved.as_double() * samples;
      way.fixed += found->fixed.as_double();
      for (std::size_t i = 0; i < op.inputs.size(); ++i)
        add(way.in, before, block_of_[op.inputs[i].index()],
            found->input_bytes[i].as_double() * samples);
      for (const auto& [consumer, bytes] : found->output_bytes)
        add(way.out, after, block_of_[consumer.index()], bytes.as_double() * samples);
    }
    return way;
  }

  static void add(std::vector<double>& bytes, std::span<const Digraph::Node> neighbours,
                  Digraph::Node block, double amount) {
    const auto at = std::ranges::lower_bound(neighbours, block);
    if (at != neighbours.end() && *at == block)
      bytes[static_cast<std::size_t>(at - neighbours.begin())] += amount;
  }

  const ComputationGraph& graph_;
  const SearchInput& search_;
  std::vector<Digraph::Node> block_of_;
};

/// The ways of a block on one device by the workload's own costs.
class RooflineWays {
 public:
  RooflineWays(const Workload& workload, const SearchInput& search,
               const LayerInputOptions& options)
      : workload_(workload), search_(search), options_(options) {
    const std::size_t blocks = search.blocks.size();
    sent_.assign(blocks, {});
    for (const SearchTensor& tensor : search.problem.tensors) {
      // Both directions, halved: the cost counts two.
      const double bytes = tensor.bytes * tensor.crossings / 2.0;
      for (const Digraph::Node to : tensor.consumers)
        sent_[static_cast<std::size_t>(tensor.producer)][to] += bytes;
    }
  }

  LayerDegree degree(std::size_t block) const {
    LayerDegree degree{1, {plain(block)}};
    if (options_.recompute) degree.ways.push_back(recomputed(block, degree.ways.front()));
    return degree;
  }

 private:
  double seconds(std::size_t block, Pass pass) const {
    double sum = 0.0;
    for (const OperatorId op : search_.blocks[block])
      sum += workload_.costs->time(op, pass, options_.micro_batch, search_.rate).count();
    return sum;
  }

  LayerWay plain(std::size_t block) const {
    const auto node = static_cast<Digraph::Node>(block);
    const double samples = options_.micro_batch;
    LayerWay way;
    way.time = seconds(block, Pass::Forward) + seconds(block, Pass::Backward);
    for (const OperatorId op : search_.blocks[block])
      way.parameters +=
          reduced_bytes(workload_.training, workload_.graph->at(op).parameters).as_double();
    way.saved = search_.problem.saved[block] * samples;
    way.fixed = search_.problem.fixed[block];
    for (const Digraph::Node from : search_.problem.graph.predecessors(node))
      way.in.push_back(sent_[static_cast<std::size_t>(from)].at(node) * samples);
    for (const Digraph::Node to : search_.problem.graph.successors(node))
      way.out.push_back(sent_[block].at(to) * samples);
    return way;
  }

  /// The forward once more; kept are inputs, and all of the micro-batch at hand.
  LayerWay recomputed(std::size_t block, const LayerWay& plain) const {
    LayerWay way = plain;
    way.time += seconds(block, Pass::Forward);
    way.fixed += plain.saved;
    way.saved = 0.0;
    for (const double bytes : plain.in) way.saved += bytes;
    return way;
  }

  const Workload& workload_;
  const SearchInput& search_;
  const LayerInputOptions& options_;
  std::vector<std::map<Digraph::Node, double>> sent_;  ///< [producer][consumer]: per sample
};

}  // namespace

std::vector<std::vector<OperatorId>> layer_blocks(const ComputationGraph& graph) {
  std::map<std::string, std::vector<OperatorId>> layers;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const std::string& name = graph.operators()[i].name;
    const std::size_t dot = name.rfind('.');
    layers[dot == std::string::npos ? name : name.substr(0, dot)].push_back(make_id<OperatorId>(i));
  }
  Blocks blocks;
  for (const auto& [name, operators] : layers) {
    if (convex(graph, operators))
      blocks.push_back(operators);
    else
      for (const OperatorId op : operators) blocks.push_back({op});
  }
  std::ranges::sort(blocks, {}, [](const std::vector<OperatorId>& block) { return block.front(); });
  return acyclic(graph, blocks) ? blocks : single_operators(graph);
}

LayerInput layer_input(const Workload& workload, const LayerInputOptions& options) {
  const ComputationGraph& graph = *workload.graph;
  LayerInput input;
  input.search =
      search_input(workload, options.granularity == Granularity::Layer ? layer_blocks(graph)
                                                                       : single_operators(graph));
  const SearchProblem& search = input.search.problem;
  LayerProblem& problem = input.problem;
  problem.graph = search.graph;
  problem.devices = search.devices;
  problem.micro_batches = search.mini_batch / options.micro_batch;
  problem.memory = search.memory;
  problem.bandwidth = search.bandwidth;
  problem.saved_input.assign(search.blocks(), 0.0);
  for (const SearchTensor& tensor : search.tensors)
    problem.saved_input[static_cast<std::size_t>(tensor.producer)] +=
        tensor.saved_at_consumer * options.micro_batch;
  const VariantSums variants(graph, input.search);
  const RooflineWays roofline(workload, input.search, options);
  for (std::size_t block = 0; block < search.blocks(); ++block) {
    if (variants.measured(block))
      problem.layers.push_back(variants.degrees(block, options));
    else
      problem.layers.push_back({roofline.degree(block)});
  }
  return input;
}

std::vector<Stage> stages_of(const LayerInput& input, const LayerPlan& plan,
                             std::int32_t micro_batch) {
  std::vector<Stage> stages;
  std::int32_t next_device = 0;
  const auto operators_of = [&](const std::vector<Digraph::Node>& layers) {
    std::vector<OperatorId> operators;
    for (const Digraph::Node layer : layers) {
      const auto& block = input.search.blocks[static_cast<std::size_t>(layer)];
      operators.insert(operators.end(), block.begin(), block.end());
    }
    std::ranges::sort(operators);
    return operators;
  };
  for (auto found = plan.stages.rbegin(); found != plan.stages.rend(); ++found) {
    Stage& stage = stages.emplace_back();
    stage.name = "s" + std::to_string(stages.size() - 1);
    stage.operators = operators_of(found->layers);
    stage.recompute = operators_of(found->recomputed);
    stage.tensor_parallel = found->tensor_parallel;
    for (int d = 0; d < found->tensor_parallel * found->replicas; ++d)
      stage.devices.push_back(DeviceId{next_device++});
    stage.micro_batch = micro_batch * found->replicas;
  }
  return stages;
}

}  // namespace pipegraph
