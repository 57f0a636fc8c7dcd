// The kinds of failure and how each is told: bad input, broken invariant, fault of the machine.
// An expected "no" (no plan fits) is a value, not one of these. Only main catches and prints.
#pragma once

#include <fmt/format.h>

#include <source_location>
#include <stdexcept>
#include <string>

namespace pipegraph {

/// Where in a user's file something stands. line and column count from 1; 0 = unknown (then only
/// what is known is printed). `key` is the dotted path, e.g. "links[0].bandwidth".
struct SourcePosition {
  std::string file;
  int line = 0;
  int column = 0;
  std::string key;
};

/// Bad input (exit code 2): `file:line:column: key: problem; expected ...`.
class ConfigError : public std::runtime_error {
 public:
  ConfigError(const SourcePosition& at, const std::string& problem, const std::string& expected);
  const SourcePosition& where() const { return where_; }

 private:
  SourcePosition where_;
};

/// The machine failed us (exit code 3): a disk is full, a process died, a device call failed.
class MachineError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Our own mistake (exit code 3): an invariant does not hold.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Throws InternalError with the place of the call unless `holds`.
inline void check(bool holds, const char* what,
                  const std::source_location& at = std::source_location::current()) {
  if (!holds) [[unlikely]]
    throw InternalError(fmt::format("{}:{}: {}", at.file_name(), at.line(), what));
}

}  // namespace pipegraph
