// Which part of a long timeline pictures, traces and tables show.
#pragma once

#include <cstddef>
#include <optional>

#include "core/run/timeline.h"

namespace pipegraph {

inline constexpr std::size_t k_most_shown = 200'000;

/// The first `shown` instructions by (start, id): everything that starts before `last_start`.
struct Window {
  Seconds last_start{0};     ///< of the last one shown
  InstructionId last_shown;  ///< of those that start then, the last shown
  std::size_t shown = 0;
  std::size_t all = 0;

  bool shows(InstructionId id, Seconds start) const {
    return start < last_start || (start == last_start && id <= last_shown);
  }
};

/// Nothing if all can be shown.
std::optional<Window> choose_window(const Timeline& timeline, std::size_t most = k_most_shown);

}  // namespace pipegraph
