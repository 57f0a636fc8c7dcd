// Edit distance with transpositions (optimal string alignment), three rows of the table.
#include "core/base/nearest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace pipegraph {
namespace {

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
  std::iota(previous.begin(), previous.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        current[j] = std::min(current[j], before[j - 2] + 1);
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
  const std::size_t limit = word.size() / 3 + 1;
  std::size_t best = limit + 1;
  std::optional<std::string> result;
  for (const std::string& candidate : candidates) {
    const std::size_t shorter = std::min(candidate.size(), word.size());
    const std::size_t longer = std::max(candidate.size(), word.size());
    if (longer - shorter >= best) continue;
    const std::size_t edits = distance(word, candidate);
    // A word of which every letter would change is not a misspelling.
    if (edits >= best || edits >= longer) continue;
    best = edits;
    result = candidate;
  }
  return result;
}

std::string expected_one_of(std::string_view word, std::span<const std::string> candidates) {
  if (candidates.empty()) return "nothing here";
  if (candidates.size() == 1) return fmt::format("'{}'", candidates.front());
  const std::string all = fmt::format("one of {}", fmt::join(candidates, ", "));
  const std::optional<std::string> close = nearest(word, candidates);
  return close ? fmt::format("'{}' (or {})", *close, all) : all;
}

}  // namespace pipegraph
