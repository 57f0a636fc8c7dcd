// Which random problems a test takes: the same at every change, new ones every night
// (tests/core/planners/nightly_problems.sh).
#pragma once

#include <cstdint>
#include <cstdlib>
#include <ranges>

namespace pipegraph::test {

inline std::uint64_t from_environment(const char* variable, std::uint64_t otherwise) {
  const char* value = std::getenv(variable);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

/// The first of all seeds: 1, or PIPEGRAPH_FIRST_SEED.
inline std::uint64_t first_seed() { return from_environment("PIPEGRAPH_FIRST_SEED", 1); }

/// How many problems: `usual`, or PIPEGRAPH_PROBLEMS.
inline std::uint64_t problem_count(std::uint64_t usual) {
  return from_environment("PIPEGRAPH_PROBLEMS", usual);
}

/// A size of problems: `usual`, or `nightly` where there is time for larger ones.
inline int problem_size(int usual, int nightly) {
  return std::getenv("PIPEGRAPH_PROBLEMS") == nullptr ? usual : nightly;
}

inline auto problem_seeds(std::uint64_t usual) {
  const std::uint64_t first = first_seed();
  return std::views::iota(first, first + problem_count(usual));
}

}  // namespace pipegraph::test
