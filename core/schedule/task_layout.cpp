#include "core/schedule/task_layout.h"

#include <algorithm>
#include <map>

namespace pipegraph {
namespace {

constexpr TaskLayout::Ref k_none{-1, -1};

std::int32_t samples_of(const StageSchedule& order) {
  std::int32_t samples = 0;
  for (const Task& task : order.tasks) samples = std::max(samples, task.samples.last);
  return samples;
}

std::int32_t batch_size(const StageSchedule& order) {
  for (const Task& task : order.tasks)
    if (task.samples.first == 0) return task.samples.last;
  throw InternalError("an order begins with sample 0");
}

}  // namespace

TaskLayout::TaskLayout(const StageGraph& stages, const std::vector<StageSchedule>& orders)
    : edges_(&stages.edges()) {
  check(orders.size() == stages.size(), "every stage has an order");
  orders_.reserve(orders.size());
  for (std::size_t s = 0; s < orders.size(); ++s) {
    const Stage& stage = stages.stages()[s];
    const std::int32_t mini_batch = samples_of(orders[s]);
    check(mini_batch == samples_of(orders[0]), "all stages see the same samples");
    Orders& own = orders_.emplace_back();
    own.tasks = &orders[s].tasks;
    own.partition = SharePartition(mini_batch, batch_size(orders[s]), stage.replicas());
    own.first_slot = static_cast<std::int32_t>(slots_.size());
    place_tasks(own, mini_batch);
    for (std::int32_t r = 0; r < stage.replicas(); ++r) {
      slots_.push_back({make_id<StageId>(s), r,
                        stage.devices[static_cast<std::size_t>(r) *
                                      static_cast<std::size_t>(stage.tensor_parallel)],
                        tasks_});
      tasks_ += own.tasks->size();
    }
  }
  link_turns(orders);
}

void TaskLayout::place_tasks(Orders& stage, std::int32_t mini_batch) const {
  stage.places.resize(static_cast<std::size_t>(stage.partition.count()));
  stage.batch_at.reserve(stage.tasks->size());
  std::int32_t index = 0;
  for (const Task& task : *stage.tasks) {
    check(!task.samples.empty() && task.samples.last <= mini_batch, "a task has samples");
    const std::int32_t batch = stage.partition.index_of(task.samples.first);
    check(task.samples == stage.partition.whole(batch), "a task is one micro-batch");
    Places& places = stage.places[static_cast<std::size_t>(batch)];
    std::int32_t& place = task.pass == Pass::Forward          ? places.forward
                          : task.pass == Pass::BackwardWeight ? places.weight
                                                              : places.gradient;
    check(place < 0, "a micro-batch has each pass once");
    place = index++;
    stage.batch_at.push_back(batch);
  }
  for (const Places& places : stage.places) {
    check(places.forward >= 0 && places.gradient >= 0, "a micro-batch has both passes");
    const Pass gradient = (*stage.tasks)[static_cast<std::size_t>(places.gradient)].pass;
    check((gradient == Pass::BackwardInput) == (places.weight >= 0), "a split backward has two");
  }
}

void TaskLayout::link_turns(const std::vector<StageSchedule>& orders) {
  std::map<DeviceId, std::vector<Ref>> devices;  // tasks by turn
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    const std::vector<std::int32_t>& turns = orders[slots_[s].stage.index()].turns;
    check(turns.empty() || turns.size() == tasks_of(slots_[s]), "all tasks have turns or none");
    for (std::size_t t = 0; t < turns.size(); ++t) {
      const Ref task{static_cast<std::int32_t>(s), static_cast<std::int32_t>(t)};
      if (share_of(slots_[s], task.task).empty()) continue;
      std::vector<Ref>& by_turn = devices[slots_[s].device];
      const auto turn = static_cast<std::size_t>(turns[t]);
      if (turn >= by_turn.size()) by_turn.resize(turn + 1, k_none);
      check(by_turn[turn].slot < 0, "a turn is one task's");
      by_turn[turn] = task;
    }
  }
  if (devices.empty()) return;
  for (const Slot& slot : slots_)
    check(!orders[slot.stage.index()].turns.empty() || !devices.contains(slot.device),
          "all stages of a device have turns or none");
  next_turns_.assign(tasks_, k_none);
  previous_turns_.assign(tasks_, k_none);
  const auto at = [&](Ref task) {
    return slots_[static_cast<std::size_t>(task.slot)].begin + static_cast<std::size_t>(task.task);
  };
  for (auto& [device, by_turn] : devices) {
    std::erase_if(by_turn, [](Ref task) { return task.slot < 0; });
    for (std::size_t n = 1; n < by_turn.size(); ++n) {
      next_turns_[at(by_turn[n - 1])] = by_turn[n];
      previous_turns_[at(by_turn[n])] = by_turn[n - 1];
    }
  }
}

}  // namespace pipegraph
