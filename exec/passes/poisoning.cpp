#include "exec/passes/poisoning.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace pipegraph {

Poisoning::Poisoning(const DevicePasses& passes, Mark mark)
    : passes_(passes), mark_(std::move(mark)), by_end_(passes.arena().lifetimes().size()) {
  const std::vector<Lifetime>& lifetimes = passes.arena().lifetimes();
  std::iota(by_end_.begin(), by_end_.end(), std::size_t{0});
  std::stable_sort(by_end_.begin(), by_end_.end(), [&](std::size_t a, std::size_t b) {
    return lifetimes[a].latest < lifetimes[b].latest;
  });
  mark_({{Area::Arena, {}}, passes.arena().bytes()});
}

void Poisoning::begin_step() {
  while (marked_ < by_end_.size()) mark_lifetime(by_end_[marked_++]);
  marked_ = 0;
}

void Poisoning::before(InstructionId compute) {
  const Moment now = passes_.tables().model().order.earliest_start(compute);
  const std::vector<Lifetime>& lifetimes = passes_.arena().lifetimes();
  while (marked_ < by_end_.size() && lifetimes[by_end_[marked_]].latest < now)
    mark_lifetime(by_end_[marked_++]);
  mark_({{Area::Scratch, {}}, passes_.sizes()[static_cast<std::size_t>(Area::Scratch)]});
}

void Poisoning::mark_lifetime(std::size_t lifetime) {
  mark_({{Area::Arena, passes_.arena().offset(lifetime)},
         passes_.arena().lifetimes()[lifetime].bytes});
}

}  // namespace pipegraph
