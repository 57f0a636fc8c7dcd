// Where a command writes: its result and nothing else to `out`, everything for people to `err`.
#pragma once

#include <cstdio>
#include <string_view>

namespace pipegraph {

struct Console {
  std::FILE* out = stdout;
  std::FILE* err = stderr;
};

/// Errors: MachineError if it cannot be written (a full disk behind a redirection).
void print_result(const Console& console, std::string_view text);

/// As it stands; failures are ignored, there is nowhere to tell.
void print_message(const Console& console, std::string_view text);

/// "note: ..." and a newline; failures are ignored, there is nowhere to tell.
void print_note(const Console& console, std::string_view text);

}  // namespace pipegraph
