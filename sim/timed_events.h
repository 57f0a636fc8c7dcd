// Events whose time is known beforehand: ends of computes and of transfers that share no link.
#pragma once

#include <cstdint>
#include <limits>
#include <queue>
#include <vector>

#include "core/base/ids.h"

namespace pipegraph {

enum class TimedKind : std::uint8_t { Instruction, Flow };

struct TimedEvent {
  double end = 0.0;
  double start = 0.0;
  std::int32_t subject = 0;  ///< instruction id, or number of a flow
  std::uint32_t stamp = 0;   ///< flow: outdated unless the flow still has it
  TimedKind kind = TimedKind::Instruction;
};

/// Earliest first; ties by kind, then subject.
class TimedEvents {
 public:
  void push(const TimedEvent& event) { events_.push(event); }
  bool empty() const { return events_.empty(); }
  /// Infinite if there is none.
  double next() const {
    return events_.empty() ? std::numeric_limits<double>::infinity() : events_.top().end;
  }
  TimedEvent pop() {
    const TimedEvent event = events_.top();
    events_.pop();
    return event;
  }

 private:
  struct Later {
    bool operator()(const TimedEvent& a, const TimedEvent& b) const {
      if (a.end != b.end) return a.end > b.end;
      if (a.kind != b.kind) return a.kind > b.kind;
      return a.subject > b.subject;
    }
  };
  std::priority_queue<TimedEvent, std::vector<TimedEvent>, Later> events_;
};

}  // namespace pipegraph
