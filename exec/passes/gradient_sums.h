// Sums of a tensor's gradient within one backward: which readers contribute, where each writes, and
// the steps that add them up in the order of the readers.
#pragma once

#include <unordered_map>
#include <vector>

#include "exec/passes/pass_frame.h"

namespace pipegraph {

class GradientSums {
 public:
  /// For the pass of `frame`, which must outlive this.
  explicit GradientSums(PassFrame& frame);

  /// Where `reader`, an operator of the stage, writes its contribution.
  Place contribution(OperatorId reader, OperatorId tensor);
  /// The whole gradient, once all readers of the stage have written; invalid if there is none.
  Place total(OperatorId tensor);
  /// The same without adding up: where the second part of a split backward finds it.
  Place finished(OperatorId tensor) { return sum_of(tensor).into; }

  const std::vector<Delivery>& deliveries() const { return deliveries_; }

 private:
  struct Term {
    OperatorId reader;
    std::vector<Segment> segments;
    bool own = false;  ///< written by an operator of the stage, in one piece
  };
  struct Sum {
    std::vector<Term> terms;  ///< by reader
    std::size_t base = 0;     ///< term that is written to `into` right away; terms.size(): none
    Place into;
    bool added_up = false;
  };

  Sum& sum_of(OperatorId tensor);
  std::vector<Term> terms_of(OperatorId tensor) const;
  Place preferred(OperatorId tensor) const;
  void add_up(const Sum& sum, OperatorId tensor);
  void move(const Term& term, Place into, OperatorId tensor);

  PassFrame& frame_;
  InstructionId gradient_pass_;  ///< the Backward or BackwardInput
  std::vector<Delivery> deliveries_;
  std::unordered_map<OperatorId, Sum> sums_;
};

}  // namespace pipegraph
