#include "tests/support/timeline_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "core/program/text.h"

namespace pipegraph::test {
namespace {

constexpr double k_tolerance = 1e-12;  // seconds

/// Instructions that move together: both halves of a transfer, all members of an all-reduce, or a
/// compute alone. Found by counting, the plain way.
std::vector<std::vector<InstructionId>> joint_events(const Program& program) {
  using Key = std::pair<std::pair<int, int>, int>;  // channel or (-1, group), and which in order
  std::map<std::pair<std::pair<int, int>, std::pair<int, int>>, int> counted;
  std::map<Key, std::vector<InstructionId>> joint;
  std::vector<std::vector<InstructionId>> events;
  for (std::size_t i = 0; i < program.size(); ++i) {
    const auto id = make_id<InstructionId>(i);
    const Instruction& at = program.at(id);
    if (is_compute(at.kind)) {
      events.push_back({id});
      continue;
    }
    std::pair<int, int> channel{at.device.value, at.peer.value};
    if (at.kind == InstructionKind::Recv) std::swap(channel.first, channel.second);
    if (at.kind == InstructionKind::AllReduce) channel = {-1, at.group.value};
    const int nth = counted[{channel, {at.device.value, static_cast<int>(at.kind)}}]++;
    joint[{channel, nth}].push_back(id);
  }
  for (auto& [key, members] : joint) events.push_back(std::move(members));
  return events;
}

class Checker {
 public:
  Checker(const Program& program, const Timeline& timeline, Promptness promptness)
      : program_(program), timeline_(timeline), promptness_(promptness) {}

  std::string run() {
    if (timeline_.size() != program_.size()) return "the timeline is of another program";
    check_ready();
    for (const auto& event : joint_events(program_)) check_event(event);
    return broken_;
  }

 private:
  double ready(InstructionId id) const { return timeline_.ready[id.index()].count(); }
  double start(InstructionId id) const { return timeline_.start[id.index()].count(); }
  double end(InstructionId id) const { return timeline_.end[id.index()].count(); }

  void expect(bool holds, InstructionId id, const std::string& rule) {
    if (holds || !broken_.empty()) return;
    broken_ = fmt::format("#{} {} on d{} (ready {}, start {}, end {}): {}", id.value,
                          to_text(program_.at(id)), program_.at(id).device.value, ready(id),
                          start(id), end(id), rule);
  }

  void check_ready() {
    std::map<LaneId, InstructionId> last;
    for (std::size_t i = 0; i < program_.size(); ++i) {
      const auto id = make_id<InstructionId>(i);
      double expected = 0.0;
      if (const auto before = last.find(program_.at(id).lane); before != last.end())
        expected = end(before->second);
      last[program_.at(id).lane] = id;
      for (InstructionId before : program_.waits_on(id)) expected = std::max(expected, end(before));
      expect(ready(id) == expected, id, fmt::format("ready must be {}", expected));
    }
  }

  void check_event(const std::vector<InstructionId>& event) {
    double latest = 0.0;
    for (InstructionId id : event) latest = std::max(latest, ready(id));
    for (InstructionId id : event) {
      expect(end(id) >= start(id), id, "ends before it starts");
      expect(start(id) == start(event.front()), id, "does not start with its counterpart");
      expect(end(id) == end(event.front()), id, "does not end with its counterpart");
      expect(start(id) >= latest - k_tolerance, id, "starts before all sides are ready");
      if (promptness_ == Promptness::AtOnce) {
        expect(start(id) <= latest + k_tolerance, id, "starts later than it could");
        const double duration = program_.at(id).duration.count();
        expect(!is_compute(program_.at(id).kind) ||
                   std::abs(end(id) - start(id) - duration) <= k_tolerance,
               id, "does not take its planned time");
      }
    }
  }

  const Program& program_;
  const Timeline& timeline_;
  Promptness promptness_;
  std::string broken_;
};

}  // namespace

std::string broken_rule(const Program& program, const Timeline& timeline, Promptness promptness) {
  return Checker(program, timeline, promptness).run();
}

}  // namespace pipegraph::test
