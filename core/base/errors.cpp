// The text of a ConfigError: place, key, problem, remedy; what is unknown is left out.
#include "core/base/errors.h"

namespace pipegraph {
namespace {

std::string describe(const SourcePosition& at, const std::string& problem,
                     const std::string& expected) {
  std::string text = at.file;
  if (at.line > 0) text += fmt::format(":{}", at.line);
  if (at.line > 0 && at.column > 0) text += fmt::format(":{}", at.column);
  if (!text.empty()) text += ": ";
  if (!at.key.empty()) text += at.key + ": ";
  text += problem;
  if (!expected.empty()) text += "; expected " + expected;
  return text;
}

}  // namespace

ConfigError::ConfigError(const SourcePosition& at, const std::string& problem,
                         const std::string& expected)
    : std::runtime_error(describe(at, problem, expected)), where_(at) {}

}  // namespace pipegraph
