// What the passes of a plan take: on all devices at once, each device in the order of its program
// and on its own core, but without waiting for the others, so that every core is as busy as its
// neighbours let it be (docs/crosscheck.md).
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/profile/cost_file.h"
#include "core/run/run_program.h"
#include "exec/executor.h"

namespace pipegraph {

/// Durations by instruction id; NaN where there is none.
using Durations = std::vector<Seconds>;

/// Lets every device run its computes `rounds` times; the durations of each round. Messages are not
/// exchanged: what passes read is what lies in memory, so results are of no use, and a step should
/// have run before. Engines must be synchronous. Errors: as Executor::on_each_device.
std::vector<Durations> run_passes_alone(Executor& executor, const Program& program, int rounds);

/// Computes and all-reduces of a traced step.
Durations durations_of(const Program& program, const RunRecord& record);

/// Collects durations by (stage, kind, share).
class PassSamples {
 public:
  /// `program` must outlive this.
  explicit PassSamples(const Program& program) : program_(program) {}

  enum class Kinds : std::uint8_t { Computes, AllReduces };
  /// Those of `kinds` that are known.
  void add(const Durations& durations, Kinds kinds);
  MeasuredPlan measured(const std::string& hash, const std::string& name) const;

 private:
  const Program& program_;
  std::map<std::tuple<StageId, InstructionKind, std::int32_t>, std::vector<Seconds>> samples_;
};

}  // namespace pipegraph
