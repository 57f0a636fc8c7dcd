#include "exec/passes/step_builder.h"

#include <algorithm>

#include "core/base/errors.h"
#include "core/base/overloaded.h"

namespace pipegraph {

namespace {

// A place in a chunk: its number in the high bits, the offset in the low ones.
constexpr int k_chunk_bits = 36;
constexpr std::uint64_t k_chunk_offset = (std::uint64_t{1} << k_chunk_bits) - 1;

constexpr std::uint64_t k_alignment = 64;  // a cache line

std::size_t chunk_of(Place place) {
  return static_cast<std::size_t>(place.offset().count >> k_chunk_bits);
}

/// Where chunks have come to lie.
class Resolver {
 public:
  explicit Resolver(const std::vector<Bytes>& offsets) : offsets_(offsets) {}

  Place operator()(Place place) const {
    if (place.area() != Area::Chunk) return place;
    return {Area::Scratch,
            offsets_[chunk_of(place)] + Bytes{place.offset().count & k_chunk_offset}};
  }

  Step operator()(Step step) const {
    std::visit(Overloaded{[&](CopyStep& s) { resolve(s.from, s.to); },
                          [&](AddStep& s) { resolve(s.from, s.to); },
                          [&](ZeroStep& s) { resolve(s.to); }, [&](ReadStep& s) { resolve(s.to); },
                          [&](OperatorStep& s) {
                            resolve(s.output, s.internal, s.parameters, s.labels, s.scratch,
                                    s.output_gradient, s.parameter_gradient);
                          }},
               step);
    return step;
  }

 private:
  template <class... Places>
  void resolve(Places&... places) const {
    ((places = (*this)(places)), ...);
  }

  const std::vector<Bytes>& offsets_;
};

}  // namespace

Place StepBuilder::scratch(Bytes bytes) {
  check(bytes.count <= k_chunk_offset, "scratch is addressable");
  const Bytes rounded{(bytes.count + k_alignment - 1) / k_alignment * k_alignment};
  chunks_.push_back({-1, -1, rounded});
  return {Area::Chunk, Bytes{static_cast<std::uint64_t>(chunks_.size() - 1) << k_chunk_bits}};
}

void StepBuilder::mention(Place place) {
  if (place.area() != Area::Chunk) return;
  TimedBlock& chunk = chunks_[chunk_of(place)];
  chunk.last = static_cast<Moment>(steps_.size());
  if (chunk.first < 0) chunk.first = chunk.last;
}

void StepBuilder::copy(Place from, Place to, Bytes bytes) {
  mention(from);
  mention(to);
  steps_.emplace_back(CopyStep{from, to, bytes});
}

void StepBuilder::add(Place from, Place to, Bytes bytes) {
  mention(from);
  mention(to);
  steps_.emplace_back(AddStep{from, to, bytes});
}

void StepBuilder::zero(Place to, Bytes bytes) {
  mention(to);
  steps_.emplace_back(ZeroStep{to, bytes});
}

void StepBuilder::read(const ReadStep& step) {
  mention(step.to);
  steps_.emplace_back(step);
}

void StepBuilder::operate(OperatorStep step, std::span<const Place> inputs,
                          std::span<const Place> gradients) {
  for (const Place place : {step.output, step.internal, step.parameters, step.labels, step.scratch,
                            step.output_gradient, step.parameter_gradient})
    mention(place);
  step.inputs = static_cast<std::uint32_t>(places_.size());
  for (const auto& list : {inputs, gradients})
    for (const Place place : list) {
      mention(place);
      places_.push_back(place);
    }
  steps_.emplace_back(step);
}

StepBuilder::Finished StepBuilder::finish(CompiledSteps& steps) && {
  for (TimedBlock& chunk : chunks_)  // one that nothing mentions takes no room
    if (chunk.first < 0) chunk = {0, 0, Bytes{0}};
  const Packing packing = pack(chunks_, PackingEffort::Quick);
  const Resolver resolved(packing.offsets);
  Finished finished{{static_cast<std::uint32_t>(steps.steps.size()), 0}, packing.bytes};
  const auto places_before = static_cast<std::uint32_t>(steps.places.size());
  for (Step& step : steps_) {
    if (auto* operate = std::get_if<OperatorStep>(&step)) operate->inputs += places_before;
    steps.steps.push_back(resolved(step));
  }
  for (const Place place : places_) steps.places.push_back(resolved(place));
  finished.range.end = static_cast<std::uint32_t>(steps.steps.size());
  return finished;
}

}  // namespace pipegraph
