// What must hold before anything runs, decided from the program alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/program/program.h"
#include "core/stage/stage_graph.h"
#include "core/stage/workload.h"

namespace pipegraph {

/// How much a program asks of its machine to end, mildest first.
enum class Verdict : std::uint8_t {
  Strict,    ///< one queue per device suffices
  Lanes,     ///< needs the declared lanes
  Buffered,  ///< works only if sends complete before their recv is posted: refused
  Deadlock,  ///< can never end: refused
};
std::string_view to_text(Verdict verdict);  ///< "strict", "lanes", "buffered", "deadlock"

struct ValidationReport {
  Verdict verdict = Verdict::Strict;
  /// Why it is not milder: instructions each of which waits for the next, the last for the first;
  /// the halves of a transfer and the members of an all-reduce wait for each other.
  std::vector<InstructionId> cycle;
  std::string cycle_text;             ///< "recv F0[0,4)<d0 on d1 waits for ..."; empty if strict
  std::vector<std::string> problems;  ///< everything else that is wrong; first 20
  bool ok() const { return problems.empty() && verdict <= Verdict::Lanes; }
};

/// Checks matching of channels (number, order, bytes, element type) and groups, waits on own device
/// only, and the verdict.
ValidationReport validate(const Program& program);

/// The above and the plan's own rules: every sample forwarded and backwarded exactly once per stage
/// by the replica that owns it, forward before backward, passes wait for every message and local
/// pass that they use, sends for what they send, every gradient contribution precedes its
/// all-reduce, and every stored parameter has its optimizer step, which waits for its reductions.
ValidationReport validate(const Program& program, const Workload& workload,
                          const StageGraph& stages);

}  // namespace pipegraph
