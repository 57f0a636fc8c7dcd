#include "exec/measure/watched_steps.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "core/base/errors.h"

namespace pipegraph {

void WatchedSteps::run(int wanted, const std::function<StepResult()>& step,
                       const std::function<void()>& counts) {
  const std::size_t goal = counted() + static_cast<std::size_t>(wanted);
  for (int tries = 0; counted() < goal && tries < 2 * wanted; ++tries) {
    const SchedulingTotals before = reader_();
    const auto begin = std::chrono::steady_clock::now();
    StepResult result = step();
    const Seconds elapsed = std::chrono::steady_clock::now() - begin;
    const std::size_t before_it = counted();
    keep(std::move(result), between(before, reader_(), elapsed));
    if (counted() > before_it) counts();
  }
}

void WatchedSteps::keep(StepResult result, const Disturbance& seen) {
  const bool out = disturbed(seen);
  (out ? discarded_ : kept_).push_back(result.time);
  if (result.record) records_.push_back({std::move(*result.record), out});
  total_.known = total_.known || seen.known;
  total_.elapsed += seen.elapsed;
  total_.taken_off += seen.taken_off;
  waited_ += seen.waited;
  scheduled_ += seen.waited + seen.run;
  total_.waited = waited_;
  total_.run = scheduled_ - waited_;
}

RunRecord WatchedSteps::mean_record() const {
  std::vector<const RunRecord*> counting, all;
  for (const Record& record : records_) {
    all.push_back(&record.record);
    if (!record.disturbed) counting.push_back(&record.record);
  }
  return pipegraph::mean_record(counting.empty() ? all : counting);
}

std::string WatchedSteps::no_verdict() const {
  if (discarded() <= counted()) return {};
  return fmt::format("machine disturbed in {} of {} steps ({})", discarded(),
                     discarded() + counted(), to_text(total_));
}

RunRecord mean_record(const std::vector<const RunRecord*>& records) {
  check(!records.empty(), "a mean is of something");
  const std::size_t size = records.front()->end.size();
  RunRecord mean(size);
  const auto count = static_cast<double>(records.size());
  for (std::size_t i = 0; i < size; ++i) {
    Seconds start{0}, end{0};
    for (const RunRecord* record : records) {
      start += record->start[i];
      end += record->end[i];
    }
    mean.start[i] = start / count;
    mean.end[i] = end / count;
  }
  return mean;
}

}  // namespace pipegraph
