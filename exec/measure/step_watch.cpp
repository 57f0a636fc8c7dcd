#include "exec/measure/step_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "core/base/errors.h"
#include "exec/cores.h"

namespace pipegraph {
namespace {

void add(const Disturbance& of, Disturbance& to) {
  to.known = to.known || of.known;
  to.run += of.run;
  to.waited += of.waited;
  to.taken_off += of.taken_off;
}

StepsSeen counted(const std::vector<bool>& out, const Disturbance& total) {
  return {.steps = out.size(),
          .disturbed = static_cast<std::size_t>(std::ranges::count(out, true)),
          .total = total};
}

/// What a rank says: the totals, then a character for each step. Ranks run the same program.
std::string packed(const std::vector<bool>& out, const Disturbance& total) {
  std::string text(reinterpret_cast<const char*>(&total), sizeof total);
  for (const bool disturbed : out) text += disturbed ? '1' : '0';
  return text;
}

}  // namespace

SchedulingReader scheduling_of_devices(std::size_t devices) {
  if (devices > usable_cores().size()) return [] { return SchedulingTotals{}; };
  return [] { return scheduling_totals(); };
}

StepResult StepWatch::run(const std::function<StepResult()>& step) {
  const SchedulingTotals before = reader_();
  const auto begin = std::chrono::steady_clock::now();
  StepResult result = step();
  const Seconds elapsed = std::chrono::steady_clock::now() - begin;
  const Disturbance seen = between(before, reader_(), elapsed);
  out_.push_back(disturbed(seen));
  add(seen, total_);
  total_.elapsed += seen.elapsed;
  return result;
}

StepsSeen StepWatch::seen() const { return counted(out_, total_); }

StepsSeen StepWatch::seen(Ranks& ranks) const {
  if (ranks.size() == 1) return seen();
  std::vector<bool> out(out_.size());
  Disturbance total{.elapsed = total_.elapsed};
  for (const std::string& said : ranks.all_gather(packed(out_, total_))) {
    Disturbance of_rank;
    check(said.size() == sizeof of_rank + out.size(), "ranks have run the same steps");
    std::memcpy(&of_rank, said.data(), sizeof of_rank);
    add(of_rank, total);
    for (std::size_t i = 0; i < out.size(); ++i)
      if (said[sizeof of_rank + i] == '1') out[i] = true;
  }
  return counted(out, total);
}

std::string StepsSeen::no_verdict() const {
  if (2 * disturbed <= steps) return {};
  return fmt::format("machine disturbed in {} of {} steps ({})", disturbed, steps, to_text(total));
}

}  // namespace pipegraph
