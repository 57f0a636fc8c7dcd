#include "core/report/critical_path.h"

#include <algorithm>

namespace pipegraph {
namespace {

class Walk {
 public:
  Walk(const ProgramIndex& index, const Timeline& timeline, const Topology& topology)
      : index_(index), timeline_(timeline), topology_(topology) {}

  CriticalPath run() {
    if (timeline_.size() == 0) return std::move(path_);
    InstructionId at = last();
    Seconds until = timeline_.end[at.index()];
    while (at.valid()) {
      const Seconds start = std::min(timeline_.start[at.index()], until);
      add_instruction(at, start, until);
      const InstructionId cause = cause_of(held_up_by(at));
      const Seconds released =
          cause.valid() ? std::min(timeline_.end[cause.index()], start) : Seconds{0};
      add(send_of(at), PathCause::Wait, released, start);
      until = released;
      at = cause;
    }
    std::ranges::reverse(path_.intervals);
    return std::move(path_);
  }

 private:
  const Instruction& instruction(InstructionId id) const { return index_.program().at(id); }

  InstructionId last() const {
    const auto found = std::ranges::max_element(timeline_.end);
    return make_id<InstructionId>(static_cast<std::size_t>(found - timeline_.end.begin()));
  }

  /// The half or member whose readiness decided when `id` started.
  InstructionId held_up_by(InstructionId id) const {
    InstructionId latest = id;
    const auto compare = [&](InstructionId other) {
      const Seconds a = timeline_.ready[latest.index()];
      const Seconds b = timeline_.ready[other.index()];
      if (b > a || (b == a && other < latest)) latest = other;
    };
    if (is_transfer(instruction(id).kind) && index_.other_half(id).valid())
      compare(index_.other_half(id));
    for (InstructionId member : index_.members(id))
      if (member.valid()) compare(member);
    return latest;
  }

  /// The send of a transfer; other instructions stand for themselves.
  InstructionId send_of(InstructionId id) const {
    const bool received = instruction(id).kind == InstructionKind::Recv;
    return received && index_.other_half(id).valid() ? index_.other_half(id) : id;
  }

  /// What `id`, on its own device, waited for longest; -1: nothing.
  InstructionId cause_of(InstructionId id) const {
    InstructionId cause;
    for (InstructionId wait : index_.program().waits_on(id))
      if (!cause.valid() || timeline_.end[wait.index()] > timeline_.end[cause.index()])
        cause = wait;
    const InstructionId before = index_.lane_before(id);
    if (before.valid() &&
        (!cause.valid() || timeline_.end[before.index()] > timeline_.end[cause.index()]))
      cause = before;
    return cause;
  }

  void add(InstructionId id, PathCause cause, Seconds start, Seconds end) {
    if (!(end > start)) return;
    path_.intervals.push_back({id, cause, start, end});
    path_.by_cause[static_cast<std::size_t>(cause)] += end - start;
    path_.by_kind[static_cast<std::size_t>(instruction(id).kind)] += end - start;
    path_.by_stage[instruction(id).stage] += end - start;
  }

  /// A transfer's time from its end backwards: contention, moving bytes, latency.
  void add_instruction(InstructionId id, Seconds start, Seconds end) {
    if (!is_transfer(instruction(id).kind)) return add(id, PathCause::Work, start, end);
    id = send_of(id);
    const Instruction& half = instruction(id);
    const bool sends = half.kind == InstructionKind::Send;
    const Route route =
        topology_.route(sends ? half.device : half.peer, sends ? half.peer : half.device);
    const Seconds latency_end =
        std::min(start + topology_.latency(route, half.bytes.as_double()), end);
    Seconds work_end = std::min(latency_end + half.bytes / topology_.bandwidth(route), end);
    // What the sum of two roundings leaves is not contention.
    if (end - work_end < 1e-9 * (end - start)) work_end = end;
    add(id, PathCause::Contention, work_end, end);
    add(id, PathCause::Work, latency_end, work_end);
    add(id, PathCause::Latency, start, latency_end);
  }

  const ProgramIndex& index_;
  const Timeline& timeline_;
  const Topology& topology_;
  CriticalPath path_;
};

}  // namespace

std::string_view to_text(PathCause cause) {
  static constexpr std::array<std::string_view, k_path_causes> k_names{"work", "latency",
                                                                       "contention", "wait"};
  return k_names.at(static_cast<std::size_t>(cause));
}

CriticalPath critical_path(const ProgramIndex& index, const Timeline& timeline,
                           const Topology& topology) {
  return Walk(index, timeline, topology).run();
}

}  // namespace pipegraph
