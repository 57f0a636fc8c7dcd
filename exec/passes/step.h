// What passes do, step by step: a flat list per pass with every place resolved, so that running a
// pass decides nothing.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "core/base/ids.h"
#include "exec/passes/place.h"

namespace pipegraph {

struct CopyStep {
  Place from, to;
  Bytes bytes;
};
/// to += from
struct AddStep {
  Place from, to;
  Bytes bytes;
};
struct ZeroStep {
  Place to;
  Bytes bytes;
};

/// What an operator reads from the data: floats, floats to be rounded to 16 bits, indices.
enum class ElementKind : std::uint8_t { Real, Rounded, Whole };
struct ReadStep {
  OperatorId op;
  ElementKind kind = ElementKind::Real;
  std::int32_t first_sample = 0;  ///< of the mini-batch
  Place to;
  Bytes bytes;
};

enum class OperatorPart : std::uint8_t { Forward, BackwardInput, BackwardWeight };
struct OperatorStep {
  OperatorPart part = OperatorPart::Forward;
  OperatorId op;
  std::int32_t samples = 0;
  std::uint32_t inputs = 0;  ///< into CompiledSteps::places: the inputs; of a backward then their
                             ///< gradients, invalid where none is needed
  Place output, internal, parameters, labels, scratch;
  Place output_gradient, parameter_gradient;
};

using Step = std::variant<CopyStep, AddStep, ZeroStep, ReadStep, OperatorStep>;

struct StepRange {
  std::uint32_t begin = 0, end = 0;
};

struct CompiledSteps {
  std::vector<Step> steps;
  std::vector<Place> places;

  std::span<const Step> of(StepRange range) const {
    return std::span(steps).subspan(range.begin, range.end - range.begin);
  }
};

}  // namespace pipegraph
