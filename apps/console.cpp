#include "apps/console.h"

#include <cerrno>
#include <system_error>

#include "core/base/errors.h"

namespace pipegraph {

void print_result(const Console& console, std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), console.out) == text.size();
  if (!written || std::fflush(console.out) != 0)
    throw MachineError(fmt::format("standard output: cannot be written: {}",
                                   std::system_category().message(errno)));
}

void print_message(const Console& console, std::string_view text) {
  [[maybe_unused]] const auto ignored = std::fwrite(text.data(), 1, text.size(), console.err);
}

void print_note(const Console& console, std::string_view text) {
  print_message(console, fmt::format("note: {}\n", text));
}

}  // namespace pipegraph
