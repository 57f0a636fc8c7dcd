#include "exec/measure/operator_profile.h"

#include <chrono>
#include <deque>
#include <exception>
#include <thread>
#include <utility>

#include "core/base/errors.h"
#include "exec/cores.h"
#include "exec/cpu/cpu_device.h"
#include "exec/kernels/optimizer.h"
#include "exec/measure/operator_bench.h"
#include "exec/measure/operator_times.h"
#include "exec/measure/statistics.h"
#include "exec/measure/watched_rounds.h"
#include "exec/training/synthetic_data.h"

namespace pipegraph {
namespace {

using Clock = std::chrono::steady_clock;

/// Memory of the host.
class HostStore {
 public:
  float* put(std::vector<float> numbers) { return reals_.emplace_back(std::move(numbers)).data(); }
  std::int32_t* put(std::vector<std::int32_t> numbers) {
    return indices_.emplace_back(std::move(numbers)).data();
  }
  template <class T, class Read>
  void fill(std::span<T> place, const Read& read) const {
    read(place);
  }

 private:
  std::deque<std::vector<float>> reals_;
  std::deque<std::vector<std::int32_t>> indices_;
};

using CpuBench = OperatorBench<CpuDevice, HostStore>;

void time_forward(CpuBench& bench, OperatorPassTimes& times) {
  const auto begin = Clock::now();
  bench.run_forward();
  times.add_forward(Clock::now() - begin);
}

void time_backward(CpuBench& bench, OperatorPassTimes& times) {
  const auto begin = Clock::now();
  bench.run_backward_input();
  const auto between = Clock::now();
  bench.run_backward_weight();
  times.add_backward(between - begin, Clock::now() - between);
}

/// Times of all operators on one thread, by position in `ids`.
std::vector<OperatorPassTimes> run_all(const ComputationGraph& graph,
                                       const std::vector<OperatorId>& ids, std::int64_t samples,
                                       const OperatorProfileOptions& options) {
  const SyntheticData data(graph, 0);
  CpuDevice device;
  HostStore store;
  std::deque<CpuBench> benches;
  for (const OperatorId id : ids)
    benches.emplace_back(CpuBench::Context{device, store, data}, benched(graph, id, samples));
  const auto round = [&] {
    std::vector<OperatorPassTimes> times(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) time_forward(benches[i], times[i]);
    for (std::size_t i = ids.size(); i-- > 0;) time_backward(benches[i], times[i]);
    return times;
  };
  for (std::int32_t i = 0; i < options.warm_up; ++i) round();
  return all_of(watched_rounds(options.repetitions, round));
}

/// On `threads` threads at once, each on a core of its own where there are enough. Errors: the
/// first that a thread throws.
template <class Task>
void on_threads(std::size_t threads, const Task& task) {
  const std::vector<int> cores = usable_cores();
  std::vector<std::exception_ptr> failures(threads);
  {
    std::vector<std::jthread> running;
    for (std::size_t i = 0; i < threads; ++i)
      running.emplace_back([&, i] {
        try {
          if (threads <= cores.size()) pin_this_thread(cores[i]);
          task(i);
        } catch (...) {
          failures[i] = std::current_exception();
        }
      });
  }
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

}  // namespace

std::vector<MeasuredOperator> profile_operators(const ComputationGraph& graph,
                                                const OperatorProfileOptions& options) {
  check(options.threads > 0 && !options.samples.empty(), "something is to be measured");
  check_executable(graph);
  const auto order = graph.order();
  const std::vector<OperatorId> ids(order.begin(), order.end());
  std::vector<MeasuredOperator> measured;
  for (const std::int64_t samples : options.samples) {
    std::vector<std::vector<OperatorPassTimes>> by_thread(options.threads);
    on_threads(options.threads,
               [&](std::size_t i) { by_thread[i] = run_all(graph, ids, samples, options); });
    for (std::size_t i = 0; i < ids.size(); ++i) {
      OperatorPassTimes all;
      for (const std::vector<OperatorPassTimes>& thread : by_thread) all.append(thread[i]);
      for (MeasuredOperator& one : all.summed_up(graph.at(ids[i]).name, samples))
        measured.push_back(std::move(one));
    }
    options.advanced();
  }
  return measured;
}

MeasuredBandwidth measure_optimizer_bandwidth(std::uint64_t copies, std::int32_t repetitions) {
  constexpr std::int64_t k_parameters = 1 << 20;
  CpuDevice device;
  std::vector<float> parameters = bench_reals(k_parameters), gradients = bench_reals(k_parameters);
  std::vector<float> first(k_parameters), second(k_parameters);
  const auto view = [](std::vector<float>& of) {
    return kernels::View<float>(of.data(), static_cast<std::int64_t>(of.size()));
  };
  const kernels::View<const float> gradient(gradients.data(), k_parameters);
  const auto step = [&] {
    if (copies == 0)
      device.elements(k_parameters, kernels::SgdStep<float>{0.0F, gradient, view(parameters)});
    else if (copies == 1)
      device.elements(k_parameters, kernels::MomentumStep<float>{0.0F, 0.9F, gradient, view(first),
                                                                 view(parameters)});
    else
      device.elements(k_parameters,
                      kernels::AdamStep<float>{{0.0F, 0.9F, 0.999F, 1e-8F, 1.0F, 1.0F},
                                               gradient,
                                               view(first),
                                               view(second),
                                               view(parameters)});
    device.zero(gradients.data(), k_parameters);
  };
  step();
  auto rounds = watched_rounds(repetitions, [&] {
    const auto begin = Clock::now();
    step();
    return Seconds{Clock::now() - begin};
  });
  const double bytes = 2.0 * static_cast<double>((2 + copies) * k_parameters) * sizeof(float);
  const Seconds mean = without_gross_outliers(std::move(rounds.results)).mean;
  return {.value = {bytes / mean.count()}, .disturbed = rounds.disturbed};
}

}  // namespace pipegraph
