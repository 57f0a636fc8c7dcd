#include "exec/state/waiting_cycle.h"

#include <algorithm>
#include <cstdint>

namespace pipegraph {
namespace {

/// The blocked instructions as a graph in which each has the edges to what it waits for.
class WaitGraph {
 public:
  WaitGraph(const Program& program, const Stuck& stuck)
      : program_(program),
        stuck_(stuck),
        head_(program.lanes().size(), k_none),
        color_(stuck.blocked.size(), Color::New) {
    for (std::size_t i = 0; i < stuck.blocked.size(); ++i)
      head_[program.at(stuck.blocked[i].instruction).lane.index()] = i;
  }

  std::vector<InstructionId> cycle() {
    for (std::size_t i = 0; i < color_.size(); ++i)
      if (color_[i] == Color::New && walk(i)) return found_;
    return {};
  }

 private:
  enum class Color : std::uint8_t { New, OnPath, Done };
  struct Step {
    std::size_t at = 0;
    std::size_t next = 0;  ///< of what it waits for
    InstructionId wanted;  ///< through which the walk goes on
  };
  static constexpr std::size_t k_none = ~std::size_t{0};

  const Stuck::Blocked& blocked(std::size_t i) const { return stuck_.blocked[i]; }

  /// Both halves stand first on their lanes and miss nothing of their own device.
  bool both_posted(std::size_t i, InstructionId other) const {
    const std::size_t j = head_[program_.at(other).lane.index()];
    return is_transfer(program_.at(blocked(i).instruction).kind) && j != k_none &&
           blocked(j).instruction == other && blocked(j).waits_for.size() == 1 &&
           blocked(j).waits_for.front() == blocked(i).instruction;
  }

  /// Depth first from `start`, without recursion since chains may be long.
  bool walk(std::size_t start) {
    std::vector<Step> path{{.at = start}};
    color_[start] = Color::OnPath;
    while (!path.empty()) {
      Step& step = path.back();
      const std::vector<InstructionId>& waits = blocked(step.at).waits_for;
      if (step.next == waits.size()) {
        color_[step.at] = Color::Done;
        path.pop_back();
        continue;
      }
      const InstructionId wanted = waits[step.next++];
      const std::size_t to = head_[program_.at(wanted).lane.index()];
      if (to == k_none || both_posted(step.at, wanted) || color_[to] == Color::Done) continue;
      step.wanted = wanted;
      if (color_[to] == Color::OnPath) return close(path, to);
      color_[to] = Color::OnPath;
      path.push_back({.at = to});
    }
    return false;
  }

  bool close(const std::vector<Step>& path, std::size_t first) {
    auto step = std::ranges::find(path, first, &Step::at);
    for (; step != path.end(); ++step) {
      found_.push_back(blocked(step->at).instruction);
      const std::size_t to = head_[program_.at(step->wanted).lane.index()];
      if (blocked(to).instruction != step->wanted) found_.push_back(step->wanted);
    }
    return true;
  }

  const Program& program_;
  const Stuck& stuck_;
  std::vector<std::size_t> head_;  ///< by lane: which blocked instruction is its first
  std::vector<Color> color_;
  std::vector<InstructionId> found_;
};

}  // namespace

std::vector<InstructionId> waiting_cycle(const Program& program, const Stuck& stuck) {
  return WaitGraph(program, stuck).cycle();
}

}  // namespace pipegraph
