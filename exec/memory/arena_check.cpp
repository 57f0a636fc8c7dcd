#include "exec/memory/arena_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "core/base/errors.h"
#include "core/program/matching.h"

namespace pipegraph {

namespace {

/// For every event (an instruction, both halves of a transfer, all members of an all-reduce) which
/// of the watched instructions have ended before it starts.
class Ancestry {
 public:
  Ancestry(const Program& program, std::span<const InstructionId> watched)
      : program_(program),
        matching_(matched(program)),
        words_((watched.size() + 63) / 64),
        bits_(program.size() * words_, 0),
        place_(program.size(), -1),
        state_(program.size(), State::New),
        lane_before_(program.size()) {
    for (std::size_t w = 0; w < watched.size(); ++w)
      place_[watched[w].index()] = static_cast<std::int32_t>(w);
    std::vector<InstructionId> lane_last(program.lanes().size());
    for (std::size_t n = 0; n < program.size(); ++n) {
      InstructionId& last = lane_last[program.instructions()[n].lane.index()];
      lane_before_[n] = last;
      last = make_id<InstructionId>(n);
    }
    for (std::size_t n = 0; n < program.size(); ++n) visit(make_id<InstructionId>(n));
  }

  bool ended_before(std::size_t watched, InstructionId starts) const {
    const std::size_t leader = matching_.leader(starts).index();
    return (bits_[leader * words_ + watched / 64] >> (watched % 64) & 1) != 0;
  }

 private:
  enum class State : std::uint8_t { New, Open, Done };

  static Matching matched(const Program& program) {
    Problems problems;
    Matching matching(program, problems);
    return matching;
  }

  std::vector<InstructionId> before(InstructionId leader) const {
    std::vector<InstructionId> result;
    InstructionId member = leader;
    do {
      const auto waits = program_.waits_on(member);
      result.insert(result.end(), waits.begin(), waits.end());
      if (lane_before_[member.index()].valid()) result.push_back(lane_before_[member.index()]);
      member = matching_.next(member);
    } while (member != leader);
    return result;
  }

  /// Without recursion: paths are as long as programs.
  void visit(InstructionId id) {
    std::vector<InstructionId> stack{matching_.leader(id)};
    while (!stack.empty()) {
      const InstructionId event = stack.back();
      State& state = state_[event.index()];
      if (state == State::New) {
        state = State::Open;
        for (const InstructionId earlier : before(event)) {
          const InstructionId leader = matching_.leader(earlier);
          check(state_[leader.index()] != State::Open, "a program has no cycle");
          if (state_[leader.index()] == State::New) stack.push_back(leader);
        }
        continue;
      }
      stack.pop_back();
      if (state == State::Done) continue;
      for (const InstructionId earlier : before(event)) absorb(event, earlier);
      state = State::Done;
    }
  }

  void absorb(InstructionId event, InstructionId earlier) {
    std::uint64_t* own = &bits_[event.index() * words_];
    const InstructionId leader = matching_.leader(earlier);
    const std::uint64_t* other = &bits_[leader.index() * words_];
    for (std::size_t w = 0; w < words_; ++w) own[w] |= other[w];
    InstructionId member = leader;
    do {
      const std::int32_t place = place_[member.index()];
      if (place >= 0) own[place / 64] |= std::uint64_t{1} << (place % 64);
      member = matching_.next(member);
    } while (member != leader);
  }

  const Program& program_;
  Matching matching_;
  std::size_t words_;
  std::vector<std::uint64_t> bits_;  ///< by leader
  std::vector<std::int32_t> place_;  ///< among the watched; -1: is not
  std::vector<State> state_;
  std::vector<InstructionId> lane_before_;
};

std::string describe(const Program& program, const Lifetime& lifetime) {
  return fmt::format("{} from '{}' to '{}'", to_text(lifetime.part),
                     on_device(program, lifetime.first), on_device(program, lifetime.last));
}

}  // namespace

std::string arena_problem(const Program& program, const ArenaLayout& arena) {
  const std::vector<Lifetime>& lifetimes = arena.lifetimes();
  if (lifetimes.empty()) return {};
  std::vector<InstructionId> lasts;
  for (const Lifetime& lifetime : lifetimes) lasts.push_back(lifetime.last);
  std::sort(lasts.begin(), lasts.end());
  lasts.erase(std::unique(lasts.begin(), lasts.end()), lasts.end());
  const Ancestry ancestry(program, lasts);
  const auto precedes = [&](std::size_t a, std::size_t b) {
    const auto last = std::lower_bound(lasts.begin(), lasts.end(), lifetimes[a].last);
    return ancestry.ended_before(static_cast<std::size_t>(last - lasts.begin()),
                                 lifetimes[b].first);
  };

  std::vector<std::size_t> by_offset(lifetimes.size());
  std::iota(by_offset.begin(), by_offset.end(), std::size_t{0});
  std::sort(by_offset.begin(), by_offset.end(),
            [&](std::size_t a, std::size_t b) { return arena.offset(a) < arena.offset(b); });
  for (std::size_t i = 0; i < by_offset.size(); ++i) {
    const std::size_t a = by_offset[i];
    const Bytes end = arena.offset(a) + lifetimes[a].bytes;
    if (end > arena.bytes()) return "lies outside: " + describe(program, lifetimes[a]);
    for (std::size_t j = i + 1; j < by_offset.size() && arena.offset(by_offset[j]) < end; ++j) {
      const std::size_t b = by_offset[j];
      if (precedes(a, b) || precedes(b, a)) continue;
      return fmt::format("{} and {} share bytes", describe(program, lifetimes[a]),
                         describe(program, lifetimes[b]));
    }
  }
  return {};
}

}  // namespace pipegraph
