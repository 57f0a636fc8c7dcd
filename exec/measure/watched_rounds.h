// Rounds of a measurement on one thread: those during which the thread had to wait for its core, or
// was often taken off it, do not count and are repeated.
#pragma once

#include <chrono>
#include <utility>
#include <vector>

#include "exec/measure/disturbance.h"

namespace pipegraph {

template <class Result>
struct WatchedRounds {
  std::vector<Result> results;  ///< of what counts; of everything if nothing does
  bool disturbed = false;       ///< more rounds were disturbed than not
};

/// `round` is run until `wanted` rounds count, at most twice as often.
template <class Round>
auto watched_rounds(int wanted, const Round& round) -> WatchedRounds<decltype(round())> {
  using Result = decltype(round());
  std::vector<Result> kept, discarded;
  for (int i = 0; i < 2 * wanted && std::ssize(kept) < wanted; ++i) {
    const SchedulingTotals before = scheduling_totals_of_this_thread();
    const auto begin = std::chrono::steady_clock::now();
    Result result = round();
    const Seconds elapsed = std::chrono::steady_clock::now() - begin;
    const bool out = disturbed(between(before, scheduling_totals_of_this_thread(), elapsed));
    (out ? discarded : kept).push_back(std::move(result));
  }
  const bool mostly = discarded.size() > kept.size();
  return {.results = kept.empty() ? std::move(discarded) : std::move(kept), .disturbed = mostly};
}

}  // namespace pipegraph
