// Each verdict is the absence of cycles in a graph of waits: on the instructions named, on the one
// before in the queue, and between the members of an event. A program in one global order is
// recognised as strict at a glance; otherwise a depth-first search looks for a cycle.
#include "core/program/verdict.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace pipegraph {

namespace {

/// Whether running events in the order of ids respects everything, even with one queue a device.
bool in_global_order(const Program& program, const Matching& matching) {
  std::int32_t last_leader = -1;
  for (std::size_t n = 0; n < program.size(); ++n) {
    const auto id = make_id<InstructionId>(n);
    const InstructionId leader = matching.leader(id);
    const auto waits = program.waits_on(id);
    if (!waits.empty() && waits.back() >= leader) return false;
    // Members of an event must stand side by side.
    if (leader != id && leader.value != last_leader) return false;
    last_leader = leader.value;
  }
  return true;
}

/// For each instruction the one before it on its device or on its lane; -1 for the first.
std::vector<std::int32_t> queue_before(const Program& program, Verdict level) {
  std::vector<std::int32_t> last(
      level == Verdict::Strict ? program.device_count() : program.lanes().size(), -1);
  std::vector<std::int32_t> before(program.size());
  for (std::size_t n = 0; n < program.size(); ++n) {
    const Instruction& i = program.instructions()[n];
    std::int32_t& previous = last[level == Verdict::Strict ? i.device.index() : i.lane.index()];
    before[n] = previous;
    previous = static_cast<std::int32_t>(n);
  }
  return before;
}

/// The graph of waits at one level. A node is an event, named by its leader; where sends complete
/// early the halves of a transfer are nodes of their own.
class WaitGraph {
 public:
  WaitGraph(const Program& program, const Matching& matching, Verdict level)
      : program_(program),
        matching_(matching),
        buffered_(level == Verdict::Buffered),
        before_(queue_before(program, level)) {}

  std::size_t size() const { return program_.size(); }
  InstructionId node(InstructionId id) const { return apart(id) ? id : matching_.leader(id); }

  /// Calls visit(member, waits_for) for every wait of the node until it returns true.
  template <class Visit>
  bool any_wait(InstructionId node, const Visit& visit) const {
    InstructionId member = node;
    do {
      for (const InstructionId wait : program_.waits_on(member))
        if (visit(member, wait)) return true;
      const std::int32_t before = before_[member.index()];
      if (before >= 0 && visit(member, InstructionId{before})) return true;
      if (apart(member) && program_.at(member).kind == InstructionKind::Recv &&
          !matching_.alone(member) && visit(member, matching_.next(member)))
        return true;
      member = matching_.next(member);
    } while (member != node && !apart(node));
    return false;
  }

 private:
  bool apart(InstructionId id) const { return buffered_ && is_transfer(program_.at(id).kind); }

  const Program& program_;
  const Matching& matching_;
  bool buffered_;
  std::vector<std::int32_t> before_;
};

/// Waits of a node in a list, for a search that comes back to it.
std::vector<InstructionId> waits_of(const WaitGraph& graph, InstructionId node) {
  std::vector<InstructionId> nodes;
  graph.any_wait(node, [&](InstructionId, InstructionId wait) {
    nodes.push_back(graph.node(wait));
    return false;
  });
  return nodes;
}

/// A node on a cycle; -1 if there is none.
InstructionId find_cyclic_node(const WaitGraph& graph) {
  enum : char { Unseen, Open, Done };
  struct Frame {
    InstructionId node;
    std::vector<InstructionId> waits;
  };
  std::vector<char> state(graph.size(), Unseen);
  std::vector<Frame> stack;
  for (std::size_t n = 0; n < graph.size(); ++n) {
    const InstructionId root = graph.node(make_id<InstructionId>(n));
    if (state[root.index()] != Unseen) continue;
    state[root.index()] = Open;
    stack.push_back({root, waits_of(graph, root)});
    while (!stack.empty()) {
      Frame& frame = stack.back();
      if (frame.waits.empty()) {
        state[frame.node.index()] = Done;
        stack.pop_back();
        continue;
      }
      const InstructionId next = frame.waits.back();
      frame.waits.pop_back();
      if (state[next.index()] == Open) return next;
      if (state[next.index()] == Done) continue;
      state[next.index()] = Open;
      stack.push_back({next, waits_of(graph, next)});
    }
  }
  return {};
}

/// The shortest cycle through `start`, as instructions: the member that waits, then what it waits
/// for, and so on; where those are two members of one event, both. Begins with the least id.
std::vector<InstructionId> shortest_cycle(const WaitGraph& graph, InstructionId start) {
  struct Step {
    InstructionId from, member, waits_for;  // `member` of node `from` waits for `waits_for`
  };
  std::vector<std::int32_t> step_of(graph.size(), -1);
  std::vector<Step> steps;
  std::vector<InstructionId> queue{start};
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const InstructionId node = queue[head];
    const bool closed = graph.any_wait(node, [&](InstructionId member, InstructionId wait) {
      const InstructionId next = graph.node(wait);
      if (step_of[next.index()] >= 0) return false;
      step_of[next.index()] = static_cast<std::int32_t>(steps.size());
      steps.push_back({node, member, wait});
      queue.push_back(next);
      return next == start;
    });
    if (closed) break;
  }
  std::vector<InstructionId> cycle;
  InstructionId node = start;
  do {
    const Step& step = steps[static_cast<std::size_t>(step_of[node.index()])];
    if (!cycle.empty() && cycle.back() != step.waits_for) cycle.push_back(step.waits_for);
    if (cycle.empty()) cycle.push_back(step.waits_for);
    cycle.push_back(step.member);
    node = step.from;
  } while (node != start);
  if (cycle.front() == cycle.back()) cycle.pop_back();
  std::reverse(cycle.begin(), cycle.end());
  std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
  return cycle;
}

constexpr std::size_t k_longest_text = 24;

std::string cycle_text(const Program& program, const Matching& matching,
                       const std::vector<InstructionId>& cycle) {
  std::string text = on_device(program, cycle.front());
  for (std::size_t n = 1; n <= cycle.size(); ++n) {
    const InstructionId before = cycle[n - 1], id = cycle[n % cycle.size()];
    const bool same_event = matching.leader(before) == matching.leader(id) && before != id;
    text += n == 1 ? (same_event ? " needs " : " waits for ")
                   : (same_event ? ", which needs " : ", which waits for ");
    text += on_device(program, id);
    if (n == k_longest_text && n < cycle.size())
      return text + fmt::format(", and so on ({} instructions)", cycle.size());
  }
  return text;
}

}  // namespace

VerdictAndCycle decide(const Program& program, const Matching& matching) {
  VerdictAndCycle result;
  if (in_global_order(program, matching)) return result;
  for (const Verdict level : {Verdict::Strict, Verdict::Lanes, Verdict::Buffered}) {
    const WaitGraph graph(program, matching, level);
    const InstructionId on_cycle = find_cyclic_node(graph);
    if (!on_cycle.valid()) return result;
    result.verdict = static_cast<Verdict>(static_cast<int>(level) + 1);
    result.cycle = shortest_cycle(graph, on_cycle);
    result.text = cycle_text(program, matching, result.cycle);
  }
  return result;
}

}  // namespace pipegraph
