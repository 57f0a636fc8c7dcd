// Two runs of a plan, or of two plans, side by side: how long each kind of thing took in both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/computation_graph.h"
#include "core/program/program.h"
#include "core/run/timeline.h"

namespace pipegraph {

/// What the rows of a comparison stand on.
enum class JoinLevel : std::uint8_t {
  Instruction,   ///< equal programs: instruction by instruction
  StageAndPass,  ///< (stage name, pass), transfers by their tensors
  Totals,        ///< nothing but what the summaries say
};
std::string_view to_text(JoinLevel level);  ///< "instruction", "stage and pass", "totals"

/// One side. `timeline` by instruction id, NaN where an instruction is not known.
struct ComparedRun {
  const ComputationGraph& graph;
  const Program& program;
  const Timeline& timeline;
};

enum class ComparedPart : std::uint8_t { Stage, Pass, Transfer, SendWait, RecvWait, Reduction };
/// "stage", "pass", "transfer", "waiting to send", "waiting to receive", "all-reduce".
std::string_view to_text(ComparedPart part);

/// The sums of one thing over an iteration on both sides.
struct ComparedTimes {
  ComparedPart part = ComparedPart::Pass;
  std::string what;  ///< "s0 forward"; "a2, b4 forward" of a transfer
  std::int64_t count_a = 0, count_b = 0;
  Seconds a{0}, b{0};
};

/// a / b - 1; infinite if b is 0 and a is not.
double signed_error(Seconds a, Seconds b);

struct TimelineComparison {
  JoinLevel level = JoinLevel::Totals;
  std::vector<ComparedTimes> times;  ///< by part, then in the order of side A's program
  std::size_t joined = 0;            ///< instructions compared one by one
  double mean_absolute_error = 0.0;  ///< of their times, weighted by B's; at instruction level
};

/// Of programs with the same `hash` every instruction that both sides know, else sums by stage name
/// and pass, and by tensors. Passes and reductions are compared by their durations, transfers by
/// the time they move, apart from how long each end waited for the other.
TimelineComparison compare_equal(const ComparedRun& a, const ComparedRun& b);
TimelineComparison compare_different(const ComparedRun& a, const ComparedRun& b);

/// How well the times on side A rank what was measured on side B.
struct Ranking {
  std::size_t pairs = 0;        ///< of plans, of which B tells one faster
  std::size_t right = 0;        ///< of them ranked alike by A
  std::size_t clear_pairs = 0;  ///< whose times in B differ by more than 5 % of the smaller
  std::size_t clear_right = 0;
};
Ranking rank(const std::vector<Seconds>& a, const std::vector<Seconds>& b);

}  // namespace pipegraph
