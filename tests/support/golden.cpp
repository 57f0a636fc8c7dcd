#include "tests/support/golden.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

#include "tests/support/line_difference.h"

namespace pipegraph {
namespace {

std::optional<std::string> read_text(const std::filesystem::path& file) {
  std::ifstream input(file, std::ios::binary);
  if (!input) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(input), {});
}

bool updating() {
  const char* value = std::getenv("PIPEGRAPH_UPDATE_GOLDEN");
  return value != nullptr && std::string_view(value) == "1";
}

}  // namespace

std::optional<std::string> golden_difference(const std::filesystem::path& file,
                                             const std::string& text) {
  const std::optional<std::string> expected = read_text(file);
  if (!expected) return fmt::format("{} does not exist\n", file.string());
  if (*expected == text) return std::nullopt;
  return fmt::format("{} (-) differs from the output (+):\n{}", file.string(),
                     line_difference(*expected, text));
}

void update_golden(const std::filesystem::path& file, const std::string& text) {
  if (!golden_difference(file, text)) return;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream output(file, std::ios::binary);
  output << text;
  output.close();
  if (!output) throw std::runtime_error(fmt::format("cannot write {}", file.string()));
}

void expect_golden(const std::string& name, const std::string& text, std::source_location where) {
  const auto file = std::filesystem::path(PIPEGRAPH_SOURCE_DIR) / "tests" / "golden" / name;
  if (updating()) return update_golden(file, text);
  if (const auto difference = golden_difference(file, text)) {
    ADD_FAILURE_AT(where.file_name(), static_cast<int>(where.line()))
        << *difference << "If the new text is right, build the target update_golden.";
  }
}

}  // namespace pipegraph
