// Flat positions of all tasks of all replicas, and which tasks wait for which: what list scheduling
// runs on. A slot is one replica of one stage; its tasks stand in the order it runs them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/schedule/schedule.h"
#include "core/stage/share_partition.h"

namespace pipegraph {

class TaskLayout {
 public:
  struct Slot {
    StageId stage;
    std::int32_t replica = 0;
    DeviceId device;
    std::size_t begin = 0;  ///< position of its first task
  };
  struct Ref {
    std::int32_t slot = 0;
    std::int32_t task = 0;  ///< in the slot's order
  };

  /// `orders` must outlive this. Errors: InternalError unless each order has every micro-batch of
  /// one common mini-batch forwarded and backwarded exactly once, and turns either for all tasks of
  /// a device, each once, or for none.
  TaskLayout(const StageGraph& stages, const std::vector<StageSchedule>& orders);

  const std::vector<Slot>& slots() const { return slots_; }
  std::size_t tasks() const { return tasks_; }
  std::size_t tasks_of(const Slot& slot) const { return order(slot).size(); }
  const Task& task(const Slot& slot, std::int32_t index) const {
    return order(slot)[static_cast<std::size_t>(index)];
  }
  /// The samples of the task that the slot's replica owns; may be empty, then it does not run.
  MicroBatch share_of(const Slot& slot, std::int32_t index) const {
    const Orders& stage = orders_[slot.stage.index()];
    return stage.partition.share(stage.batch_of(index), slot.replica);
  }

  /// Calls visit(Ref) for every task that waits for this one, whose share is not empty.
  template <class Visit>
  void for_each_dependent(const Slot& slot, std::int32_t index, const Visit& visit) const {
    const Orders& own = orders_[slot.stage.index()];
    const Places& places = own.places_of(index);
    if (index == places.forward) {
      visit(Ref{own.first_slot + slot.replica, places.gradient});
      visit_shares(slot, index, edges_->successors(slot.stage.value), &Places::forward, visit);
    } else if (index == places.gradient) {
      if (places.weight >= 0) visit(Ref{own.first_slot + slot.replica, places.weight});
      visit_shares(slot, index, edges_->predecessors(slot.stage.value), &Places::gradient, visit);
    }
    visit_turn(next_turns_, slot, index, visit);
  }
  /// Calls visit(Ref) for every task that this one waits for, besides those before it in its order.
  template <class Visit>
  void for_each_dependency(const Slot& slot, std::int32_t index, const Visit& visit) const {
    const Orders& own = orders_[slot.stage.index()];
    const Places& places = own.places_of(index);
    if (index == places.forward) {
      visit_shares(slot, index, edges_->predecessors(slot.stage.value), &Places::forward, visit);
    } else if (index == places.gradient) {
      visit(Ref{own.first_slot + slot.replica, places.forward});
      visit_shares(slot, index, edges_->successors(slot.stage.value), &Places::gradient, visit);
    } else {
      visit(Ref{own.first_slot + slot.replica, places.gradient});
    }
    visit_turn(previous_turns_, slot, index, visit);
  }

 private:
  /// Positions of a micro-batch's passes in the stage's order; -1 = none. `gradient` is the pass
  /// that yields the gradient of the stage's inputs: Backward or BackwardInput.
  struct Places {
    std::int32_t forward = -1;
    std::int32_t gradient = -1;
    std::int32_t weight = -1;
  };
  struct Orders {
    const std::vector<Task>* tasks = nullptr;
    SharePartition partition;
    std::int32_t first_slot = 0;
    std::vector<std::int32_t> batch_at;  ///< micro-batch of each task
    std::vector<Places> places;          ///< by micro-batch

    std::int32_t batch_of(std::int32_t index) const {
      return batch_at[static_cast<std::size_t>(index)];
    }
    const Places& places_of(std::int32_t index) const {
      return places[static_cast<std::size_t>(batch_of(index))];
    }
  };

  const std::vector<Task>& order(const Slot& slot) const {
    return *orders_[slot.stage.index()].tasks;
  }
  void place_tasks(Orders& stage, std::int32_t mini_batch) const;
  void link_turns(const std::vector<StageSchedule>& orders);

  /// The task before or after this one on its device, where turns are fixed.
  template <class Visit>
  static void visit_turn(const std::vector<Ref>& turns, const Slot& slot, std::int32_t index,
                         const Visit& visit) {
    if (turns.empty()) return;
    const Ref turn = turns[slot.begin + static_cast<std::size_t>(index)];
    if (turn.slot >= 0) visit(turn);
  }

  /// The pass `place` of every neighbour's share that overlaps the task's.
  template <class Visit>
  void visit_shares(const Slot& slot, std::int32_t index, std::span<const Digraph::Node> neighbours,
                    std::int32_t Places::*place, const Visit& visit) const {
    const Orders& own = orders_[slot.stage.index()];
    const std::int32_t batch = own.batch_of(index);
    for (const Digraph::Node neighbour : neighbours) {
      const Orders& other = orders_[static_cast<std::size_t>(neighbour)];
      const auto visit_share = [&](std::int32_t b, std::int32_t r) {
        visit(Ref{other.first_slot + r, other.places[static_cast<std::size_t>(b)].*place});
      };
      if (own.partition == other.partition)
        visit_share(batch, slot.replica);
      else
        other.partition.for_each_overlapping(own.partition.share(batch, slot.replica), visit_share);
    }
  }

  const Digraph* edges_ = nullptr;
  std::vector<Orders> orders_;
  std::vector<Slot> slots_;
  std::size_t tasks_ = 0;
  std::vector<Ref> next_turns_, previous_turns_;  ///< by task; empty if no order has turns
};

}  // namespace pipegraph
