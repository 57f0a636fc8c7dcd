// A whole network on one device, the plainest way: every operator forward, every operator backward,
// all samples at once, nothing reused. What every other way of running it is held against.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "exec/operators/operator.h"
#include "exec/training/data_source.h"

namespace pipegraph::test {

template <class D>
class GraphRun {
 public:
  using T = typename D::Scalar;

  /// Sizes everything; parameters are 0. `graph` must outlive this.
  GraphRun(const ComputationGraph& graph, std::int64_t samples, D device = D())
      : graph_(graph), samples_(samples), device_(device), states_(graph.size()) {
    for (const OperatorId id : graph.order()) {
      State& state = states_[id.index()];
      state.shape = operator_shape(graph, id);
      std::int64_t parameters = 0;
      for (const ParameterTensor& tensor : parameter_layout(state.shape))
        parameters += tensor.elements();
      resize(state.parameters, graph.at(id).tied_to.valid() ? 0 : parameters);
      resize(state.parameter_gradients, parameters);
      resize(state.output, samples * state.shape.output_elements());
      resize(state.output_gradient, samples * state.shape.output_elements());
      resize(state.internal, samples * internal_elements(state.shape));
      resize(state.scratch, scratch_elements(state.shape, samples));
    }
  }

  /// Elements of every tensor of parameters, by "<operator>/<tensor>", in operator order; of
  /// operators that own theirs.
  template <class Visit>
  void visit_parameters(const Visit& visit) {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      State& state = states_[i];
      if (state.parameters.empty()) continue;
      for (const ParameterTensor& tensor : parameter_layout(state.shape)) {
        const auto count = static_cast<std::size_t>(tensor.elements());
        visit(graph_.operators()[i].name + "/" + std::string(tensor.name),
              std::span<T>(state.parameters.data() + tensor.offset, count),
              std::span<T>(state.parameter_gradients.data() + tensor.offset, count));
      }
    }
  }

  /// Reads samples 0 to n - 1 into inputs, targets and classes.
  void read(const DataSource& data) {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      State& state = states_[i];
      const OperatorArithmetic& op = state.shape.arithmetic;
      const auto id = make_id<OperatorId>(i);
      if (yields_indices(op)) {
        state.whole_numbers.resize(state.output.size());
        data.read(id, 0, std::span<std::int32_t>(state.whole_numbers));
      } else if (op.kind == Arithmetic::Input) {
        data.read(id, 0, std::span<T>(state.output));
      } else if (op.kind == Arithmetic::CrossEntropy) {
        resize(state.whole_numbers, samples_ * state.shape.inputs.front().rows);
        data.read(id, 0, std::span<std::int32_t>(state.whole_numbers));
      } else if (op.kind == Arithmetic::MeanSquaredError) {
        resize(state.targets, samples_ * state.shape.inputs.front().elements());
        data.read(id, 0, std::span<T>(state.targets));
      }
    }
  }

  void run_forward() {
    for (const OperatorId id : graph_.order()) forward(device_, shape(id), data(id));
  }

  void run_backward() {
    for (auto id = graph_.order().rbegin(); id != graph_.order().rend(); ++id) {
      if (!graph_.at(*id).output_needs_gradient) continue;
      State& state = states_[id->index()];
      add_consumer_gradients(*id);
      backward(device_, state.shape, data(*id), gradients(*id));
    }
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const OperatorId owner = graph_.operators()[i].tied_to;
      if (owner.valid())
        device_.add(states_[i].parameter_gradients.data(),
                    states_[owner.index()].parameter_gradients.data(),
                    static_cast<std::int64_t>(states_[i].parameter_gradients.size()));
    }
  }

  /// Mean over the samples of every loss, in double.
  std::vector<double> losses() const {
    std::vector<double> means;
    for (const State& state : states_) {
      if (!is_loss(state.shape.arithmetic)) continue;
      double total = 0.0;
      for (const T loss : state.output) total += loss;
      means.push_back(total / static_cast<double>(samples_));
    }
    return means;
  }

 private:
  struct State {
    OperatorShape shape;
    std::vector<T> parameters, parameter_gradients, output, output_gradient, internal, scratch;
    std::vector<T> targets;
    std::vector<std::int32_t> whole_numbers;  ///< indices or classes
    std::vector<const T*> input_pointers;
    std::vector<std::vector<T>> input_gradients;
    std::vector<T*> gradient_pointers;
  };

  template <class Element>
  static void resize(std::vector<Element>& values, std::int64_t count) {
    values.assign(static_cast<std::size_t>(count), Element{0});
  }
  const OperatorShape& shape(OperatorId id) const { return states_[id.index()].shape; }

  OperatorData<T> data(OperatorId id) {
    State& state = states_[id.index()];
    OperatorData<T> data;
    data.samples = samples_;
    state.input_pointers.clear();
    for (const OperatorId input : graph_.at(id).inputs) {
      state.input_pointers.push_back(states_[input.index()].output.data());
      data.indices = states_[input.index()].whole_numbers.data();
    }
    data.inputs = state.input_pointers;
    data.targets = state.targets.data();
    data.classes = state.whole_numbers.data();
    data.output = state.output.data();
    data.parameters = states_[graph_.parameter_owner(id).index()].parameters.data();
    data.internal = state.internal.data();
    data.scratch = state.scratch.data();
    return data;
  }

  OperatorGradients<T> gradients(OperatorId id) {
    State& state = states_[id.index()];
    state.input_gradients.resize(state.shape.inputs.size());
    state.gradient_pointers.assign(state.shape.inputs.size(), nullptr);
    for (std::size_t i = 0; i < state.shape.inputs.size(); ++i) {
      if (!state.shape.inputs[i].needs_gradient) continue;
      resize(state.input_gradients[i], samples_ * state.shape.inputs[i].elements());
      state.gradient_pointers[i] = state.input_gradients[i].data();
    }
    return {state.output_gradient.data(), state.gradient_pointers, state.parameter_gradients.data(),
            samples_};
  }

  /// In ascending order of the consumers.
  void add_consumer_gradients(OperatorId id) {
    State& state = states_[id.index()];
    for (std::size_t consumer = 0; consumer < states_.size(); ++consumer) {
      const std::vector<OperatorId>& inputs = graph_.operators()[consumer].inputs;
      for (std::size_t i = 0; i < inputs.size(); ++i)
        if (inputs[i] == id)
          device_.add(states_[consumer].input_gradients[i].data(), state.output_gradient.data(),
                      static_cast<std::int64_t>(state.output_gradient.size()));
    }
  }

  const ComputationGraph& graph_;
  std::int64_t samples_;
  D device_;
  std::vector<State> states_;
};

}  // namespace pipegraph::test
