#include "tests/support/line_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace pipegraph {
namespace {

constexpr std::size_t k_context = 2;

/// One line of the merged text; `tag` is ' ', '-' or '+', and the numbers count from 1 in each
/// text.
struct MergedLine {
  char tag = ' ';
  std::string_view text;
  std::size_t expected_number = 0;
  std::size_t actual_number = 0;
};

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::size_t length = end == std::string_view::npos ? text.size() : end;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return lines;
}

/// Longest common subsequence of the lines from (i, j) on, for all i and j.
class CommonLengths {
 public:
  CommonLengths(const std::vector<std::string_view>& left,
                const std::vector<std::string_view>& right)
      : columns_(right.size() + 1), lengths_((left.size() + 1) * columns_, 0) {
    for (std::size_t i = left.size(); i-- > 0;) {
      for (std::size_t j = right.size(); j-- > 0;) {
        lengths_[i * columns_ + j] =
            left[i] == right[j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
      }
    }
  }

  std::size_t at(std::size_t i, std::size_t j) const { return lengths_[i * columns_ + j]; }

 private:
  std::size_t columns_;
  std::vector<std::size_t> lengths_;
};

std::vector<MergedLine> merge(const std::vector<std::string_view>& expected,
                              const std::vector<std::string_view>& actual) {
  const CommonLengths common(expected, actual);
  std::vector<MergedLine> merged;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < expected.size() || j < actual.size()) {
    if (i < expected.size() && j < actual.size() && expected[i] == actual[j]) {
      merged.push_back({' ', expected[i], i + 1, j + 1});
      ++i, ++j;
    } else if (j == actual.size() ||
               (i < expected.size() && common.at(i + 1, j) >= common.at(i, j + 1))) {
      merged.push_back({'-', expected[i], i + 1, j + 1});
      ++i;
    } else {
      merged.push_back({'+', actual[j], i + 1, j + 1});
      ++j;
    }
  }
  return merged;
}

/// Marks the changed lines and their context.
std::vector<char> shown_lines(const std::vector<MergedLine>& merged) {
  std::vector<char> shown(merged.size(), 0);
  for (std::size_t line = 0; line < merged.size(); ++line) {
    if (merged[line].tag == ' ') continue;
    const std::size_t first = line - std::min(line, k_context);
    const std::size_t last = std::min(line + k_context, merged.size() - 1);
    for (std::size_t near = first; near <= last; ++near) shown[near] = 1;
  }
  return shown;
}

}  // namespace

std::string line_difference(std::string_view expected, std::string_view actual,
                            std::size_t max_lines) {
  if (expected == actual) return "";
  const auto merged = merge(split_lines(expected), split_lines(actual));
  const auto shown = shown_lines(merged);
  std::vector<std::string> output;
  for (std::size_t line = 0; line < merged.size(); ++line) {
    if (!shown[line]) continue;
    if (line == 0 || !shown[line - 1])
      output.push_back(
          fmt::format("@@ -{} +{} @@\n", merged[line].expected_number, merged[line].actual_number));
    output.push_back(fmt::format("{}{}\n", merged[line].tag, merged[line].text));
  }
  if (output.empty()) return "the texts differ only in the newline at their end\n";
  const std::size_t kept = std::min(output.size(), max_lines);
  std::string text = fmt::format(
      "{}", fmt::join(output.begin(), output.begin() + static_cast<std::ptrdiff_t>(kept), ""));
  if (kept < output.size()) text += fmt::format("... {} more lines\n", output.size() - kept);
  return text;
}

}  // namespace pipegraph
