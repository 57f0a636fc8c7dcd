// What every timeline of a program must keep, whatever backend made it.
#pragma once

#include <cstdint>
#include <string>

#include "core/program/program.h"
#include "core/run/timeline.h"

namespace pipegraph::test {

/// Whether instructions start as soon as they may and computes take their planned time (simulated
/// time), or merely not earlier (real time).
enum class Promptness : std::uint8_t { AtOnce, Eventually };

/// The first rule that every backend obeys and `timeline` breaks, in words; empty if none.
std::string broken_rule(const Program& program, const Timeline& timeline, Promptness promptness);

}  // namespace pipegraph::test
