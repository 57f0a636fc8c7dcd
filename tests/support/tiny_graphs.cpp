#include "tests/support/tiny_graphs.h"

#include <fmt/format.h>

namespace pipegraph::test {

namespace {

/// Appends a chain of `length` operators named `prefix`0, `prefix`1, ... that starts from `inputs`;
/// returns its last operator.
OperatorId append_chain(std::vector<Operator>& operators, const std::string& prefix, int length,
                        std::vector<OperatorId> inputs, const TinyOperator& costs) {
  for (int i = 0; i < length; ++i) {
    operators.push_back(tiny_operator(fmt::format("{}{}", prefix, i), inputs, costs));
    inputs = {make_id<OperatorId>(operators.size() - 1)};
  }
  return inputs.front();
}

}  // namespace

Operator tiny_operator(std::string name, std::vector<OperatorId> inputs,
                       const TinyOperator& costs) {
  Operator op;
  op.name = std::move(name);
  op.inputs = std::move(inputs);
  op.forward.time = costs.forward;
  op.backward.time = costs.backward;
  op.output = costs.output;
  op.parameters = costs.parameters;
  op.saved = costs.saved;
  return op;
}

ComputationGraph chain_graph(int stages, const TinyOperator& costs) {
  std::vector<Operator> operators;
  append_chain(operators, "s", stages, {}, costs);
  return {"chain", std::move(operators)};
}

ComputationGraph chain_graph(int stages, Seconds forward, Seconds backward, Bytes output) {
  return chain_graph(stages, {.forward = forward, .backward = backward, .output = output});
}

ComputationGraph diamond_graph(const TinyOperator& costs) {
  const OperatorId fork{0}, left{1}, right{2};
  return {"diamond",
          {tiny_operator("fork", {}, costs), tiny_operator("left", {fork}, costs),
           tiny_operator("right", {fork}, costs), tiny_operator("join", {left, right}, costs)}};
}

ComputationGraph fork_join_graph(int branches, int length, const TinyOperator& costs) {
  std::vector<Operator> operators{tiny_operator("stem", {}, costs)};
  std::vector<OperatorId> ends;
  for (int branch = 0; branch < branches; ++branch)
    ends.push_back(
        append_chain(operators, fmt::format("b{}_", branch), length, {OperatorId{0}}, costs));
  operators.push_back(tiny_operator("join", ends, costs));
  return {"fork_join", std::move(operators)};
}

ComputationGraph two_branches_graph(int length, const TinyOperator& costs) {
  std::vector<Operator> operators;
  const OperatorId join = append_chain(operators, "a", length, {}, costs);
  const OperatorId other = append_chain(operators, "b", length, {}, costs);
  operators[join.index()].inputs.push_back(other);
  return {"two_branches", std::move(operators)};
}

ComputationGraph crossing_skips_graph(const TinyOperator& costs) {
  const OperatorId s0{0}, s1{1}, s2{2};
  return {"crossing_skips",
          {tiny_operator("s0", {}, costs), tiny_operator("s1", {s0}, costs),
           tiny_operator("s2", {s1, s0}, costs), tiny_operator("s3", {s2, s1}, costs)}};
}

}  // namespace pipegraph::test
