#include "exec/measure/watched_steps.h"

#include <utility>

#include "core/base/errors.h"

namespace pipegraph {

void WatchedSteps::run(int wanted, const std::function<StepResult()>& step,
                       const std::function<void()>& counts) {
  const std::size_t goal = counted() + static_cast<std::size_t>(wanted);
  for (int tries = 0; counted() < goal && tries < 2 * wanted; ++tries) {
    const std::size_t before_it = counted();
    keep(watch_.run(step));
    if (counted() > before_it) counts();
  }
}

void WatchedSteps::keep(StepResult result) {
  const bool out = watch_.last_disturbed();
  (out ? discarded_ : kept_).push_back(result.time);
  if (result.record) records_.push_back({std::move(*result.record), out});
}

RunRecord WatchedSteps::mean_record() const {
  std::vector<const RunRecord*> counting, all;
  for (const Record& record : records_) {
    all.push_back(&record.record);
    if (!record.disturbed) counting.push_back(&record.record);
  }
  return pipegraph::mean_record(counting.empty() ? all : counting);
}

void MeanRecord::add(const RunRecord& record) {
  count_ += 1.0;
  if (!mean_) {
    mean_ = record;
    return;
  }
  check(record.end.size() == mean_->end.size(), "records are of one program");
  for (std::size_t i = 0; i < record.end.size(); ++i) {
    mean_->start[i] += (record.start[i] - mean_->start[i]) / count_;
    mean_->end[i] += (record.end[i] - mean_->end[i]) / count_;
  }
}

RunRecord mean_record(const std::vector<const RunRecord*>& records) {
  check(!records.empty(), "a mean is of something");
  MeanRecord mean;
  for (const RunRecord* record : records) mean.add(*record);
  return mean.value();
}

}  // namespace pipegraph
