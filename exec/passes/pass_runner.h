// Carries out the steps of passes and optimizer steps on a device, from the same lists whatever the
// device is.
#pragma once

#include <cstddef>
#include <span>
#include <variant>
#include <vector>

#include "core/base/overloaded.h"
#include "exec/operators/operator.h"
#include "exec/passes/device_passes.h"

namespace pipegraph {

/// `Reader` fills the place of a ReadStep: reader(const ReadStep&, void* place).
template <ArithmeticDevice D, class Reader>
class PassRunner {
 public:
  using Scalar = typename D::Scalar;
  using WideScalar = kernels::Wide<Scalar>;
  static_assert(sizeof(WideScalar) == sizeof(float), "gradients are floats");

  /// All must outlive this.
  PassRunner(D& device, const DevicePasses& passes, const AreaBases& bases, Reader reader)
      : device_(device), passes_(passes), bases_(bases), reader_(std::move(reader)) {}

  void run(InstructionId pass) {
    for (const Step& step : passes_.steps_of(pass))
      std::visit(
          Overloaded{
              [&](const CopyStep& s) { device_.copy(at(s.from), at(s.to), elements(s.bytes)); },
              [&](const AddStep& s) { add(s); },
              [&](const ZeroStep& s) { device_.zero(at(s.to), elements(s.bytes)); },
              [&](const ReadStep& s) { reader_(s, address(s.to)); },
              [&](const OperatorStep& s) { operate(s); },
          },
          step);
  }

  /// Null for an invalid place.
  std::byte* address(Place place) const { return pipegraph::address(bases_, place); }
  Scalar* at(Place place) const { return reinterpret_cast<Scalar*>(address(place)); }
  WideScalar* wide_at(Place place) const { return reinterpret_cast<WideScalar*>(address(place)); }

 private:
  static std::int64_t elements(Bytes bytes) {
    return static_cast<std::int64_t>(bytes.count / sizeof(Scalar));
  }

  /// Gradients of parameters are wide, those of activations are not.
  void add(const AddStep& step) {
    if (step.to.area() == Area::Gradients)
      device_.add(wide_at(step.from), wide_at(step.to),
                  static_cast<std::int64_t>(step.bytes.count / sizeof(WideScalar)));
    else
      device_.add(at(step.from), at(step.to), elements(step.bytes));
  }

  /// As products read them.
  const Scalar* parameters(Place place) const {
    if (sizeof(Scalar) == sizeof(WideScalar) || !place.valid()) return at(place);
    return at({Area::Rounded, Bytes{place.offset().count / sizeof(WideScalar) * sizeof(Scalar)}});
  }

  void operate(const OperatorStep& step) {
    const PassTables& tables = passes_.tables();
    const OperatorShape& shape = tables.shape(step.op);
    const std::size_t count = shape.inputs.size();
    const std::span<const Place> places = std::span(passes_.steps().places).subspan(step.inputs);
    OperatorData<Scalar> data;
    data.samples = step.samples;
    set_inputs(data, step, places.first(count));
    data.output = at(step.output);
    data.parameters = parameters(step.parameters);
    data.internal = at(step.internal);
    data.scratch = wide_at(step.scratch);
    if (shape.arithmetic.kind == Arithmetic::CrossEntropy)
      data.classes = reinterpret_cast<const std::int32_t*>(address(step.labels));
    else
      data.targets = wide_at(step.labels);
    if (step.part == OperatorPart::Forward) return forward(device_, shape, data);

    gradients_.clear();
    for (const Place place : places.subspan(count, count)) gradients_.push_back(at(place));
    OperatorGradients<Scalar> gradients;
    gradients.output = at(step.output_gradient);
    gradients.inputs = gradients_;
    gradients.parameters = wide_at(step.parameter_gradient);
    gradients.mini_batch = tables.mini_batch();
    if (step.part == OperatorPart::BackwardInput)
      backward_input(device_, shape, data, gradients);
    else
      backward_weight(device_, shape, data, gradients);
  }

  void set_inputs(OperatorData<Scalar>& data, const OperatorStep& step,
                  std::span<const Place> places) {
    const std::vector<OperatorId>& producers = passes_.tables().graph().at(step.op).inputs;
    inputs_.clear();
    for (std::size_t i = 0; i < places.size(); ++i) {
      const bool indices = yields_indices(passes_.tables().graph().at(producers[i]).arithmetic);
      if (indices) data.indices = reinterpret_cast<const std::int32_t*>(address(places[i]));
      inputs_.push_back(indices ? nullptr : at(places[i]));
    }
    data.inputs = inputs_;
  }

  D& device_;
  const DevicePasses& passes_;
  const AreaBases& bases_;
  Reader reader_;
  std::vector<const Scalar*> inputs_;  // kept to spare allocations
  std::vector<Scalar*> gradients_;
};

}  // namespace pipegraph
