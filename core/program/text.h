// The text form of a program, both ways: tables first, then one line an instruction in global
// sequence (docs/program_text.md). Golden files and hand-written tests use it.
#pragma once

#include <string>
#include <string_view>

#include "core/program/program.h"

namespace pipegraph {

/// One token for errors and pictures: "F2[0,4)", "B2[0,4)", "send F1[0,4)>d3", "recv B1[0,4)<d0",
/// "all_reduce s2", "all_reduce tied", "optimizer s2".
std::string to_text(const Instruction& instruction);

std::string to_text(const Program& program);

/// The inverse. Errors: ConfigError at `name`:line:column.
Program parse_program(std::string_view text, const std::string& name);

}  // namespace pipegraph
