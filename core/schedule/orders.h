// One function per schedule, each the order of every stage's tasks, and the loop they share.
#pragma once

#include "core/schedule/schedule.h"

namespace pipegraph {

/// All forwards, then all backwards (Huang et al., GPipe, NeurIPS 2019).
std::vector<StageSchedule> order_gpipe(const StageGraph& stages, const ScheduleOptions& options);

/// Forwards up to the in-flight bound, then one backward and one forward in turn (Narayanan et al.,
/// PipeDream, SOSP 2019), on a graph of stages (GraphPipe, arXiv 2406.17145).
std::vector<StageSchedule> order_one_forward_one_backward(const StageGraph& stages,
                                                          const ScheduleOptions& options);

/// The same with k backwards and k forwards in turn, k being each stage's own.
std::vector<StageSchedule> order_k_forward_k_backward(const StageGraph& stages,
                                                      const ScheduleOptions& options);

/// 1F1B with backwards in two parts: the gradients of the inputs go first, those of the weights
/// wait until the stage would otherwise have too much in flight or nothing to do (the handcrafted
/// ZB-H1 of Qi et al., Zero Bubble Pipeline Parallelism, ICLR 2024, carried over to graphs of
/// stages). Samples are in flight until their BackwardWeight. Errors: ConfigError for k other
/// than 1.
std::vector<StageSchedule> order_zero_bubble(const StageGraph& stages,
                                             const ScheduleOptions& options);

/// v stages of a chain on each device, in turns of as many micro-batches as there are device groups
/// (Narayanan et al., Efficient Large-Scale Language Model Training, SC 2021). Errors: ConfigError
/// unless the stages form a chain with equal micro-batches on P disjoint device groups, stage s
/// where stage s - P stands, P times v of them with v at least 2.
std::vector<StageSchedule> order_interleaved(const StageGraph& stages,
                                             const ScheduleOptions& options);

/// What a stage runs before its first backward, and how many of each it takes in turn.
struct Alternation {
  std::int64_t in_flight_bound = 0;  ///< samples
  std::int32_t k = 1;
};

/// min(ceil(bound / b), M) forwards, then k backwards and k forwards in turn, then the remaining
/// backwards; b = the stage's micro-batch, clipped to the mini-batch.
StageSchedule alternate(const StageGraph& stages, StageId stage, const Alternation& alternation,
                        std::int32_t mini_batch);

/// The largest number of samples forwarded and not yet backwarded.
std::int64_t peak_in_flight(const std::vector<Task>& tasks);

}  // namespace pipegraph
