// Imports a text as if it stood in a file.
#pragma once

#include <fmt/format.h>

#include <string>

#include "core/base/errors.h"
#include "models/model_reader.h"
#include "tests/models/importers/temporary_file.h"

namespace pipegraph::test {

/// `options` are the keys of the model beside `file`, e.g. "import: piper, time_unit: s".
inline ComputationGraph import_text(const std::string& text, const std::string& options) {
  const TemporaryFile file("_imported.txt", text);
  const std::string model = fmt::format("{{file: {}, {}}}", file.path().string(), options);
  return read_model(YamlValue::parse(model, "s.yaml"), Precision::Fp32);
}

/// What is said of a bad file, from "imported.txt:" on; "" if nothing.
inline std::string import_error(const std::string& text, const std::string& options) {
  try {
    import_text(text, options);
  } catch (const ConfigError& error) {
    const std::string what = error.what();
    return what.substr(std::min(what.find("imported.txt"), what.size()));
  }
  return "";
}

/// "line:column" of the first `part` of `text`.
inline std::string place_of(const std::string& part, const std::string& text) {
  const std::string before = text.substr(0, text.find(part));
  const auto line = 1 + std::ranges::count(before, '\n');
  return fmt::format("{}:{}", line, before.size() - (before.rfind('\n') + 1) + 1);
}

}  // namespace pipegraph::test
