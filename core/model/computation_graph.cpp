#include "core/model/computation_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/errors.h"
#include "core/base/quantity_ranges.h"

namespace pipegraph {

namespace {

/// Of a pass that takes any: shorter ones lose their digits in what is made of them.
constexpr double k_least_seconds = 1e-30;
constexpr std::int64_t k_most_product_dimension = std::int64_t{1} << 31;

void check_inputs(const std::vector<Operator>& operators, OperatorId self) {
  const Operator& op = operators[self.index()];
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    if (!op.inputs[i].valid() || op.inputs[i].index() >= operators.size())
      throw ConfigError(op.position,
                        fmt::format("'{}' reads an operator that is not there", op.name),
                        "inputs among the model's operators");
    if (op.inputs[i] == self)
      throw ConfigError(op.position, fmt::format("'{}' is its own input", op.name),
                        "other operators as inputs");
    if (std::find(op.inputs.begin(), op.inputs.begin() + static_cast<std::ptrdiff_t>(i),
                  op.inputs[i]) != op.inputs.begin() + static_cast<std::ptrdiff_t>(i))
      throw ConfigError(op.position, fmt::format("'{}' names an input twice", op.name),
                        "each input once");
  }
}

void check_products(const Operator& op, const PassWork& work) {
  for (const MatrixProduct& product : work.products)
    for (std::int64_t size : {product.m, product.n, product.k})
      if (size < 1 || size > k_most_product_dimension)
        throw ConfigError(op.position,
                          fmt::format("'{}' has a matrix product of dimension {}", op.name, size),
                          fmt::format("1 to {}", k_most_product_dimension));
}

void check_split(const Operator& op) {
  if (op.backward_input.has_value() != op.backward_weight.has_value())
    throw ConfigError(op.position, fmt::format("'{}' gives half of a split backward", op.name),
                      "both backward_input and backward_weight, or neither");
  if (op.backward_input &&
      op.backward_input->time.has_value() != op.backward_weight->time.has_value())
    throw ConfigError(op.position,
                      fmt::format("'{}' gives a time for one half of its backward and work for the "
                                  "other",
                                  op.name),
                      "times for both or work for both");
}

void check_tie(const Operator& op, const std::vector<Operator>& operators) {
  if (!op.tied_to.valid()) return;
  if (op.tied_to.index() >= operators.size())
    throw ConfigError(op.position,
                      fmt::format("'{}' is tied to an operator that is not there", op.name),
                      "one of the model's operators");
  const Operator& owner = operators[op.tied_to.index()];
  if (&owner == &op || owner.tied_to.valid())
    throw ConfigError(op.position,
                      fmt::format("'{}' is tied to '{}', which owns no parameters of its own",
                                  op.name, owner.name),
                      "tied_to: the operator that owns the parameters");
  if (owner.parameters != op.parameters)
    throw ConfigError(op.position,
                      fmt::format("'{}' has {} of parameters but is tied to '{}' with {}", op.name,
                                  to_text(op.parameters), owner.name, to_text(owner.parameters)),
                      "equal parameters");
}

/// Running totals that keep every later sum within range.
class SizeLimit {
 public:
  void add(const Operator& op) {
    bytes_ += op.output.as_double() + op.parameters.as_double() + op.internal.as_double();
    if (op.saved) bytes_ += op.saved->as_double();
    for (const PassWork* work : {&op.forward, &op.backward}) {
      bytes_ += work->bytes.as_double() + work->fixed_bytes.as_double();
      flops_ += flops(*work).count;
      if (work->time) seconds_ += work->time->count() + work->fixed_time.count();
      if (work->flops.count < 0.0 || !(work->fixed_time.count() >= 0.0) ||
          (work->time && !(work->time->count() >= 0.0)))
        throw ConfigError(op.position, fmt::format("'{}' has negative work", op.name), "0 or more");
      if (work->time && work->time->count() > 0.0 && work->time->count() < k_least_seconds)
        throw ConfigError(
            op.position,
            fmt::format("'{}' takes {} s, which no device does", op.name, work->time->count()),
            fmt::format("0 s, or {} s and more", k_least_seconds));
    }
    const auto refuse = [&](const std::string& most) {
      throw ConfigError(op.position,
                        fmt::format("up to '{}' the model adds up to more than {}", op.name, most),
                        "a smaller model");
    };
    if (!(bytes_ <= k_most_model_bytes.as_double())) refuse(to_text(k_most_model_bytes));
    if (!(flops_ <= k_most_flops.count)) refuse(to_text(k_most_flops) + " per sample");
    if (!(seconds_ <= k_most_seconds.count())) refuse(to_text(k_most_seconds) + " per sample");
  }

 private:
  double bytes_ = 0.0;
  double flops_ = 0.0;
  double seconds_ = 0.0;
};

std::string cycle_text(const std::vector<Operator>& operators,
                       const std::vector<Digraph::Node>& cycle) {
  constexpr std::size_t k_shown = 8;
  const auto name = [&](std::size_t i) {
    return operators[static_cast<std::size_t>(cycle[i])].name;
  };
  std::string text = name(0);
  for (std::size_t i = 1; i < std::min(cycle.size(), k_shown); ++i) text += " -> " + name(i);
  if (cycle.size() > k_shown) text += fmt::format(" -> ({} more)", cycle.size() - k_shown);
  return text + " -> " + name(0);
}

Digraph edges_of(const std::vector<Operator>& operators) {
  std::vector<Digraph::Edge> edges;
  for (std::size_t i = 0; i < operators.size(); ++i)
    for (OperatorId input : operators[i].inputs)
      edges.push_back({input.value, static_cast<Digraph::Node>(i)});
  return {operators.size(), std::move(edges)};
}

}  // namespace

ComputationGraph::ComputationGraph(std::string name, std::vector<Operator> operators)
    : name_(std::move(name)), operators_(std::move(operators)) {
  if (operators_.empty())
    throw ConfigError({}, fmt::format("model '{}' has no operators", name_), "one or more");
  SizeLimit limit;
  for (std::size_t i = 0; i < operators_.size(); ++i) {
    Operator& op = operators_[i];
    if (op.name.empty())
      throw ConfigError(op.position, fmt::format("operator {} has no name", i), "a name");
    if (!by_name_.emplace(op.name, make_id<OperatorId>(i)).second)
      throw ConfigError(op.position, fmt::format("there are two operators '{}'", op.name),
                        "a name of its own for each operator");
    check_inputs(operators_, make_id<OperatorId>(i));
    check_split(op);
    if (op.backward_input) op.backward = merged(*op.backward_input, *op.backward_weight);
    check_products(op, op.forward);
    check_products(op, op.backward);
    check_tie(op, operators_);
    limit.add(op);
  }

  edges_ = edges_of(operators_);
  const auto order = topological_order(edges_);
  if (!order) {
    const std::vector<Digraph::Node> cycle = find_cycle(edges_);
    throw ConfigError(operators_[static_cast<std::size_t>(cycle.front())].position,
                      fmt::format("operators form a cycle: {}", cycle_text(operators_, cycle)),
                      "a graph without cycles");
  }
  for (Digraph::Node node : *order) order_.push_back(OperatorId{node});
}

std::optional<OperatorId> ComputationGraph::find(std::string_view name) const {
  const auto found = by_name_.find(std::string(name));
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

std::vector<ComputationGraph::SavedTensor> ComputationGraph::saved_tensors(OperatorId id) const {
  const Operator& op = at(id);
  if (op.saved) return {{id, *op.saved, true}};
  std::vector<SavedTensor> tensors;
  for (OperatorId input : op.inputs) tensors.push_back({input, at(input).output, false});
  tensors.push_back({id, op.output, false});
  if (op.internal.count > 0) tensors.push_back({id, op.internal, true});
  return tensors;
}

OperatorId ComputationGraph::parameter_owner(OperatorId id) const {
  return at(id).tied_to.valid() ? at(id).tied_to : id;
}

Bytes ComputationGraph::parameters() const {
  Bytes total;
  for (const Operator& op : operators_)
    if (!op.tied_to.valid()) total += op.parameters;
  return total;
}

Flops ComputationGraph::forward_flops() const {
  double total = 0.0;
  for (const Operator& op : operators_) total += flops(op.forward).count;
  return {total};
}

Flops ComputationGraph::backward_flops() const {
  double total = 0.0;
  for (const Operator& op : operators_) total += flops(op.backward).count;
  return {total};
}

bool ComputationGraph::has_explicit_times() const {
  return std::any_of(operators_.begin(), operators_.end(),
                     [](const Operator& op) { return op.forward.time || op.backward.time; });
}

}  // namespace pipegraph
