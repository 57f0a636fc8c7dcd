// Collects the steps of one pass. Scratch is asked for where it is needed and laid out at the end:
// a chunk lives from the first step that mentions it to the last.
#pragma once

#include <span>
#include <vector>

#include "exec/memory/packing.h"
#include "exec/passes/step.h"

namespace pipegraph {

class StepBuilder {
 public:
  /// A chunk of its own.
  Place scratch(Bytes bytes);

  void copy(Place from, Place to, Bytes bytes);
  void add(Place from, Place to, Bytes bytes);
  void zero(Place to, Bytes bytes);
  void read(const ReadStep& step);
  /// `gradients` by input, of a backward only.
  void operate(OperatorStep step, std::span<const Place> inputs,
               std::span<const Place> gradients = {});

  /// Appends the pass to `steps`; its range, and the bytes of scratch it needs.
  struct Finished {
    StepRange range;
    Bytes scratch;
  };
  Finished finish(CompiledSteps& steps) &&;

 private:
  void mention(Place place);

  std::vector<Step> steps_;
  std::vector<Place> places_;
  std::vector<TimedBlock> chunks_;
};

}  // namespace pipegraph
