// An independent look at an arena: not through moments, as the planning, but along the paths of
// dependencies in the program itself. Slow (memory: instructions x lifetimes / 8 bytes).
#pragma once

#include <string>

#include "core/program/program.h"
#include "exec/memory/arena.h"

namespace pipegraph {

/// The first two lifetimes of a device's arena that share bytes although no path of dependencies
/// leads from the end of one to the start of the other, in words; empty if there are none.
std::string arena_problem(const Program& program, const ArenaLayout& arena);

}  // namespace pipegraph
