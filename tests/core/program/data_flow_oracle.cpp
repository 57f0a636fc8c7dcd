#include "tests/core/program/data_flow_oracle.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <tuple>

#include "core/program/text.h"

namespace pipegraph::test {

namespace {

/// A tensor's sample: its value, or the gradient of it that one stage worked out.
struct Datum {
  int tensor = 0;
  int sample = 0;
  int gradient_of_stage = -1;  ///< -1: the value
  auto operator<=>(const Datum&) const = default;
};

class Oracle {
 public:
  explicit Oracle(const TinyPlan& plan)
      : plan_(plan), program_(plan.program), graph_(*plan.workload.graph) {}

  std::string first_problem() {
    for (std::size_t n = 0; n < program_.size(); ++n) {
      const Instruction& i = program_.instructions()[n];
      const auto id = make_id<InstructionId>(n);
      if (is_pass(i.kind) && i.kind != InstructionKind::BackwardWeight) {
        const std::set<Datum> provided = provided_by_waits(id);
        for (const Datum& datum : needed_by(i))
          if (!provided.contains(datum))
            return fmt::format("{} lacks tensor {} sample {} (gradient of stage {})", to_text(i),
                               datum.tensor, datum.sample, datum.gradient_of_stage);
      } else if (i.kind == InstructionKind::Recv) {
        for (const Datum& datum : carried_by(i))
          if (!received_[i.device.value].insert(datum).second)
            return fmt::format("tensor {} sample {} comes to d{} twice", datum.tensor, datum.sample,
                               i.device.value);
      }
    }
    return {};
  }

 private:
  std::set<Datum> carried_by(const Instruction& i) const {
    std::set<Datum> data;
    if (!i.payload.valid()) return data;
    for (const PayloadPart& part : program_.payloads()[i.payload.index()])
      for (int s = part.samples.first; s < part.samples.last; ++s)
        data.insert({part.tensor.value, i.samples.first + s, i.gradients ? i.stage.value : -1});
    return data;
  }

  /// Values of a stage's outputs, or gradients of everything its operators read.
  std::set<Datum> made_by(const Instruction& i) const {
    std::set<Datum> data;
    for (const OperatorId op : plan_.stages.at(i.stage).operators)
      for (int s = i.samples.first; s < i.samples.last; ++s) {
        if (i.kind == InstructionKind::Forward) {
          data.insert({op.value, s, -1});
        } else {
          for (const OperatorId input : graph_.at(op).inputs)
            data.insert({input.value, s, i.stage.value});
        }
      }
    return data;
  }

  std::set<Datum> provided_by_waits(InstructionId id) const {
    std::set<Datum> data;
    for (const InstructionId wait : program_.waits_on(id)) {
      const Instruction& source = program_.at(wait);
      data.merge(is_pass(source.kind) ? made_by(source) : carried_by(source));
    }
    return data;
  }

  std::set<Datum> needed_by(const Instruction& i) const {
    std::set<Datum> data;
    for (const OperatorId op : plan_.stages.at(i.stage).operators) {
      const Operator& uses = graph_.at(op);
      for (int s = i.samples.first; s < i.samples.last; ++s) {
        if (i.kind == InstructionKind::Forward) {
          for (const OperatorId input : uses.inputs)
            if (plan_.stages.stage_of(input) != i.stage) data.insert({input.value, s, -1});
        } else if (uses.output_needs_gradient) {
          for (const Digraph::Node consumer : graph_.edges().successors(op.value)) {
            const StageId stage = plan_.stages.stage_of(OperatorId{consumer});
            if (stage != i.stage) data.insert({op.value, s, stage.value});
          }
        }
      }
    }
    return data;
  }

  const TinyPlan& plan_;
  const Program& program_;
  const ComputationGraph& graph_;
  std::map<int, std::set<Datum>> received_;
};

}  // namespace

std::string missing_data(const TinyPlan& plan) { return Oracle(plan).first_problem(); }

}  // namespace pipegraph::test
