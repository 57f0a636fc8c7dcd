// The order of 1F1B with every backward in two parts. Nobody waits for the gradients of the
// weights: they run when another forward would put too much in flight, and after the forwards in
// turn with the gradients of the inputs. Every stage may keep what the fullest one keeps with 1F1B,
// so that weights wait longer the later their stage (ZB-H1 of Qi et al., ICLR 2024, on a graph of
// stages).
#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "core/schedule/orders.h"

namespace pipegraph {
namespace {

/// Puts the two parts of every backward in its place.
class Splitter {
 public:
  Splitter(const std::vector<Task>& tasks, std::int64_t bound)
      : tasks_(tasks), bound_(bound), forwards_left_(tasks.size() / 2) {
    split_.reserve(tasks.size() + forwards_left_);
  }

  std::vector<Task> run() && {
    for (const Task& task : tasks_) task.pass == Pass::Forward ? forward(task) : backward(task);
    while (!weights_.empty()) run_weight();
    return std::move(split_);
  }

 private:
  void forward(const Task& task) {
    while (!weights_.empty() && in_flight_ + task.samples.samples() > bound_) run_weight();
    split_.push_back(task);
    in_flight_ += task.samples.samples();
    --forwards_left_;
  }
  void backward(const Task& task) {
    split_.push_back({task.stage, Pass::BackwardInput, task.samples});
    weights_.push_back({task.stage, Pass::BackwardWeight, task.samples});
    if (forwards_left_ == 0) run_weight();
  }
  void run_weight() {
    split_.push_back(weights_.front());
    in_flight_ -= weights_.front().samples.samples();
    weights_.pop_front();
  }

  const std::vector<Task>& tasks_;
  std::int64_t bound_;
  std::size_t forwards_left_;
  std::int64_t in_flight_ = 0;
  std::deque<Task> weights_;  ///< whose other part has run
  std::vector<Task> split_;
};

}  // namespace

std::vector<StageSchedule> order_zero_bubble(const StageGraph& stages,
                                             const ScheduleOptions& options) {
  const std::vector<std::int64_t> warm_up = warm_up_samples(stages, options);
  const std::int64_t most = *std::max_element(warm_up.begin(), warm_up.end());
  std::vector<StageSchedule> orders;
  orders.reserve(stages.size());
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const Stage& stage = stages.stages()[s];
    if (stage.k != 1)
      throw ConfigError(stage.position, fmt::format("k is {}, but zb1p means k = 1", stage.k),
                        "no k, or schedule: kfkb");
    StageSchedule& order = orders.emplace_back(alternate(
        stages, make_id<StageId>(s), {.in_flight_bound = warm_up[s]}, options.mini_batch));
    order.in_flight_bound = stage.in_flight.value_or(most);
    order.tasks = Splitter(order.tasks, order.in_flight_bound).run();
    order.in_flight_peak = peak_in_flight(order.tasks);
  }
  return orders;
}

}  // namespace pipegraph
