#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "core/schedule/list_deadlock.h"
#include "core/schedule/schedule.h"
#include "core/schedule/task_layout.h"

namespace pipegraph {
namespace {

/// Units of time per sample: a forward, each half of a split backward, or a whole backward.
std::int64_t units(Pass pass) { return pass == Pass::Backward ? 2 : 1; }

/// What goes first when several tasks are ready: what others wait for, what makes work, the rest.
std::uint64_t urgency(Pass pass) {
  return pass == Pass::BackwardWeight ? 2 : pass == Pass::Forward ? 1 : 0;
}

/// Which devices end a task when. Few distinct times are pending at once, so devices that end
/// together hang on one entry.
class EndTimes {
 public:
  explicit EndTimes(std::size_t devices) : next_(devices, -1) {}

  bool empty() const { return first_.empty(); }
  void add(std::int64_t time, std::int32_t device) {
    const auto [entry, fresh] = first_.try_emplace(time, -1);
    next_[static_cast<std::size_t>(device)] = fresh ? -1 : entry->second;
    entry->second = device;
  }
  std::int64_t next_time() const { return first_.begin()->first; }
  /// Removes the earliest time; its devices, in no particular order.
  const std::vector<std::int32_t>& pop() {
    popped_.clear();
    for (std::int32_t device = first_.begin()->second; device >= 0;
         device = next_[static_cast<std::size_t>(device)])
      popped_.push_back(device);
    first_.erase(first_.begin());
    return popped_;
  }

 private:
  std::map<std::int64_t, std::int32_t> first_;
  std::vector<std::int32_t> next_;
  std::vector<std::int32_t> popped_;
};

/// Runs all tasks at unit times, writing down what starts when.
class ListScheduler {
 public:
  ListScheduler(const StageGraph& stages, const TaskLayout& layout);

  /// Everything in order of (start, device).
  std::vector<DeviceTask> run();
  std::int64_t now() const { return now_; }
  const std::vector<std::int32_t>& next_tasks() const { return next_; }
  bool finished() const { return remaining_ == 0; }

 private:
  /// A task that may start; the least key goes first: a backward before a forward before the
  /// weights' part of a split backward, then the lowest first sample, then the stage nearest a
  /// sink, then the lowest stage id.
  struct Ready {
    std::uint64_t key = 0;
    std::int32_t slot = 0;
    auto operator<=>(const Ready&) const = default;
  };
  struct DeviceState {
    std::vector<Ready> ready;  ///< a heap, least first
    std::int32_t running = -1;
    bool touched = false;
  };

  const TaskLayout::Slot& slot(std::int32_t index) const {
    return layout_.slots()[static_cast<std::size_t>(index)];
  }
  std::uint32_t& missing(std::int32_t slot_index, std::int32_t task) {
    return missing_[slot(slot_index).begin + static_cast<std::size_t>(task)];
  }
  DeviceState& device_of(std::int32_t slot_index) {
    return devices_[slot(slot_index).device.index()];
  }
  std::int32_t& next_of(std::int32_t slot_index) {
    return next_[static_cast<std::size_t>(slot_index)];
  }

  void count_dependencies();
  void settle(std::int32_t slot_index);
  void offer(std::int32_t slot_index);
  void touch(DeviceId device);
  void finish_task(std::int32_t device);
  void start_best(std::int32_t device);

  const TaskLayout& layout_;
  std::vector<std::uint32_t> missing_;  ///< unfinished dependencies of each task
  std::vector<std::int32_t> next_;      ///< next task of each slot
  std::vector<DeviceState> devices_;
  std::vector<std::int32_t> touched_;  ///< devices to look at when the moment is complete
  std::vector<std::uint64_t> rank_;    ///< of each stage: nearest a sink, then lowest id
  EndTimes ends_;
  std::vector<DeviceTask> sequence_;
  std::size_t remaining_ = 0;
  std::int64_t now_ = 0;
};

std::vector<std::uint64_t> stage_ranks(const StageGraph& stages) {
  const std::vector<int> distance = longest_paths_to_sinks(stages.edges());
  std::vector<std::size_t> by_rank(stages.size());
  for (std::size_t s = 0; s < by_rank.size(); ++s) by_rank[s] = s;
  std::stable_sort(by_rank.begin(), by_rank.end(),
                   [&](std::size_t a, std::size_t b) { return distance[a] < distance[b]; });
  std::vector<std::uint64_t> rank(stages.size());
  for (std::size_t r = 0; r < by_rank.size(); ++r) rank[by_rank[r]] = r;
  return rank;
}

std::size_t device_table_size(const TaskLayout& layout) {
  std::size_t size = 0;
  for (const TaskLayout::Slot& slot : layout.slots())
    size = std::max(size, slot.device.index() + 1);
  return size;
}

ListScheduler::ListScheduler(const StageGraph& stages, const TaskLayout& layout)
    : layout_(layout),
      missing_(layout.tasks(), 0),
      next_(layout.slots().size(), 0),
      devices_(device_table_size(layout)),
      rank_(stage_ranks(stages)),
      ends_(devices_.size()) {
  count_dependencies();
  sequence_.reserve(remaining_);
}

void ListScheduler::count_dependencies() {
  for (const TaskLayout::Slot& slot : layout_.slots()) {
    const auto tasks = static_cast<std::int32_t>(layout_.tasks_of(slot));
    for (std::int32_t task = 0; task < tasks; ++task) {
      if (layout_.share_of(slot, task).empty()) continue;
      ++remaining_;
      std::uint32_t& missing = missing_[slot.begin + static_cast<std::size_t>(task)];
      layout_.for_each_dependency(slot, task, [&](TaskLayout::Ref) { ++missing; });
    }
  }
}

void ListScheduler::touch(DeviceId device) {
  DeviceState& state = devices_[device.index()];
  if (state.touched) return;
  state.touched = true;
  touched_.push_back(device.value);
}

void ListScheduler::offer(std::int32_t slot_index) {
  const TaskLayout::Slot& own = slot(slot_index);
  const Task& task = layout_.task(own, next_of(slot_index));
  const auto first = static_cast<std::uint64_t>(task.samples.first);
  DeviceState& device = device_of(slot_index);
  device.ready.push_back(
      {urgency(task.pass) << 62 | first << 31 | rank_[own.stage.index()], slot_index});
  std::push_heap(device.ready.begin(), device.ready.end(), std::greater<>{});
  touch(own.device);
}

/// Passes over tasks that have no samples here, then offers the next one if it may start.
void ListScheduler::settle(std::int32_t slot_index) {
  const TaskLayout::Slot& own = slot(slot_index);
  const auto tasks = static_cast<std::int32_t>(layout_.tasks_of(own));
  std::int32_t& next = next_of(slot_index);
  while (next < tasks && layout_.share_of(own, next).empty()) ++next;
  if (next < tasks && missing(slot_index, next) == 0) offer(slot_index);
}

void ListScheduler::finish_task(std::int32_t device) {
  DeviceState& state = devices_[static_cast<std::size_t>(device)];
  const std::int32_t done = state.running;
  state.running = -1;
  layout_.for_each_dependent(slot(done), next_of(done), [&](TaskLayout::Ref dependent) {
    if (--missing(dependent.slot, dependent.task) == 0 && next_of(dependent.slot) == dependent.task)
      offer(dependent.slot);
  });
  --remaining_;
  ++next_of(done);
  settle(done);
  touch(slot(done).device);
}

void ListScheduler::start_best(std::int32_t device) {
  DeviceState& state = devices_[static_cast<std::size_t>(device)];
  if (state.running >= 0 || state.ready.empty()) return;
  std::pop_heap(state.ready.begin(), state.ready.end(), std::greater<>{});
  state.running = state.ready.back().slot;
  state.ready.pop_back();
  const TaskLayout::Slot& own = slot(state.running);
  const std::int32_t index = next_of(state.running);
  const Task& task = layout_.task(own, index);
  sequence_.push_back({own.device, own.replica, task});
  ends_.add(now_ + units(task.pass) * layout_.share_of(own, index).samples(), device);
}

std::vector<DeviceTask> ListScheduler::run() {
  for (std::size_t s = 0; s < next_.size(); ++s) settle(static_cast<std::int32_t>(s));
  for (;;) {
    std::sort(touched_.begin(), touched_.end());
    for (const std::int32_t device : touched_) {
      devices_[static_cast<std::size_t>(device)].touched = false;
      start_best(device);
    }
    touched_.clear();
    if (ends_.empty()) return std::move(sequence_);
    now_ = ends_.next_time();
    for (const std::int32_t device : ends_.pop()) finish_task(device);
  }
}

}  // namespace

std::variant<Schedule, ScheduleDeadlock> merge_stage_schedules(const StageGraph& stages,
                                                               std::vector<StageSchedule> orders) {
  check(stages.acyclic(), "list scheduling needs an acyclic stage graph");
  const TaskLayout layout(stages, orders);
  ListScheduler scheduler(stages, layout);
  std::vector<DeviceTask> sequence = scheduler.run();
  if (!scheduler.finished()) return describe_deadlock(layout, scheduler.next_tasks());
  const std::int64_t makespan = scheduler.now();
  return Schedule{std::move(orders), std::move(sequence), makespan};
}

}  // namespace pipegraph
