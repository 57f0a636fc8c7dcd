// What must hold before anything runs, decided from the program alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/program/program.h"
#include "core/stage/stage_graph.h"

namespace pipegraph {

/// How much a program asks of its machine to end, mildest first.
enum class Verdict : std::uint8_t {
  Strict,    ///< one queue per device suffices
  Lanes,     ///< needs the declared lanes
  Buffered,  ///< works only if sends complete before their recv is posted: refused
  Deadlock,  ///< can never end: refused
};
std::string_view to_text(Verdict verdict);

struct ValidationReport {
  Verdict verdict = Verdict::Strict;
  std::vector<InstructionId> cycle;   ///< of the first stricter level that has one; else empty
  std::string cycle_text;             ///< the cycle as instructions of the devices involved
  std::vector<std::string> problems;  ///< everything else that is wrong; first 20
  bool ok() const { return problems.empty() && verdict <= Verdict::Lanes; }
};

/// Checks matching of channels (number, order, bytes, element type) and groups, waits on own device
/// only, and the verdict.
ValidationReport validate(const Program& program);

/// The above and the plan's own rules: every sample forwarded and backwarded exactly once per stage
/// and operator use, forward before backward, consumers wait for every message that overlaps their
/// samples, every gradient contribution precedes its all-reduce.
ValidationReport validate(const Program& program, const StageGraph& stages,
                          std::int32_t mini_batch);

}  // namespace pipegraph
