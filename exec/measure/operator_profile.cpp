#include "exec/measure/operator_profile.h"

#include <array>
#include <chrono>
#include <exception>
#include <thread>
#include <utility>

#include "core/base/errors.h"
#include "exec/cores.h"
#include "exec/cpu/cpu_device.h"
#include "exec/kernels/optimizer.h"
#include "exec/kernels/random.h"
#include "exec/measure/statistics.h"
#include "exec/measure/watched_rounds.h"
#include "exec/operators/operator.h"
#include "exec/training/synthetic_data.h"

namespace pipegraph {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t k_float_bytes = sizeof(float);
constexpr std::array k_measured_passes{Pass::Forward, Pass::Backward, Pass::BackwardInput,
                                       Pass::BackwardWeight};
using PassTimes = std::array<std::vector<Seconds>, k_measured_passes.size()>;
PassTimes::value_type& of(PassTimes& times, Pass pass) {
  return times[static_cast<std::size_t>(pass)];
}

std::vector<float> reals(std::int64_t count) {
  const kernels::RandomStream stream = kernels::random_stream(1, "profile");
  std::vector<float> result(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = static_cast<float>(stream.symmetric(i));
  return result;
}

std::vector<std::int32_t> indices(std::int64_t count, std::int64_t limit) {
  const kernels::RandomStream stream = kernels::random_stream(2, "profile");
  std::vector<std::int32_t> result(static_cast<std::size_t>(limit > 0 ? count : 0));
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = stream.below(static_cast<std::int32_t>(limit), i);
  return result;
}

bool reads_indices(const OperatorShape& shape) {
  return shape.arithmetic.kind == Arithmetic::Embedding ||
         shape.arithmetic.kind == Arithmetic::EmbeddingBag;
}

/// An operator with tensors of its own.
class Bench {
 public:
  struct Subject {
    OperatorId id;
    OperatorShape shape;
    std::int64_t parameters = 0;
  };
  /// `data`, which outlives it, is what inputs and losses read.
  Bench(const Subject& subject, std::int64_t samples, const DataSource& data)
      : id_(subject.id), shape_(subject.shape), samples_(samples), data_source_(data) {
    const OperatorShape& shape = shape_;
    for (const InputShape& input : shape.inputs) {
      inputs_.push_back(reals(reads_indices(shape) ? 0 : samples * input.elements()));
      input_gradients_.emplace_back(input.needs_gradient ? inputs_.back().size() : 0);
    }
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      input_pointers_.push_back(reads_indices(shape) ? nullptr : inputs_[i].data());
      gradient_pointers_.push_back(shape.inputs[i].needs_gradient ? input_gradients_[i].data()
                                                                  : nullptr);
    }
    const InputShape first = shape.inputs.empty() ? InputShape{} : shape.inputs.front();
    indices_ = indices(samples * first.rows, shape.arithmetic.table_rows);
    if (shape.arithmetic.kind == Arithmetic::CrossEntropy)
      classes_ = indices(samples * first.rows, first.columns);
    if (shape.arithmetic.kind == Arithmetic::MeanSquaredError)
      targets_ = reals(samples * first.elements());
    if (yields_indices(shape.arithmetic))
      classes_.resize(static_cast<std::size_t>(samples * shape.output_elements()));
    parameters_ = reals(subject.parameters);
    parameter_gradients_.resize(parameters_.size());
    output_.resize(static_cast<std::size_t>(samples * shape.output_elements()));
    output_gradient_ = reals(samples * shape.output_elements());
    internal_.resize(static_cast<std::size_t>(samples * internal_elements(shape)));
    scratch_.resize(static_cast<std::size_t>(scratch_elements(shape, samples)));
  }

  void run_forward(PassTimes& times) {
    const auto begin = Clock::now();
    read_samples();
    forward(device_, shape_, data());
    of(times, Pass::Forward).emplace_back(Clock::now() - begin);
  }

  void run_backward(PassTimes& times) {
    const auto begin = Clock::now();
    if (is_loss(shape_.arithmetic)) read_samples();
    backward_input(device_, shape_, data(), gradients());
    const auto between = Clock::now();
    backward_weight(device_, shape_, data(), gradients());
    const auto end = Clock::now();
    of(times, Pass::BackwardInput).emplace_back(between - begin);
    of(times, Pass::BackwardWeight).emplace_back(end - between);
    of(times, Pass::Backward).emplace_back(end - begin);
  }

 private:
  /// What the pass of a stage reads from outside the network, where it does so.
  void read_samples() {
    if (!classes_.empty())
      data_source_.read(id_, 0, classes_);
    else if (shape_.arithmetic.kind == Arithmetic::Input)
      data_source_.read(id_, 0, output_);
    else if (!targets_.empty())
      data_source_.read(id_, 0, targets_);
  }

  OperatorData<float> data() {
    return {.samples = samples_,
            .inputs = input_pointers_,
            .indices = indices_.data(),
            .targets = targets_.data(),
            .classes = classes_.data(),
            .output = output_.data(),
            .parameters = parameters_.data(),
            .internal = internal_.data(),
            .scratch = scratch_.data()};
  }
  OperatorGradients<float> gradients() {
    return {.output = output_gradient_.data(),
            .inputs = gradient_pointers_,
            .parameters = parameter_gradients_.data(),
            .mini_batch = samples_};
  }

  CpuDevice device_;
  OperatorId id_;
  OperatorShape shape_;
  std::int64_t samples_;
  const DataSource& data_source_;
  std::vector<std::vector<float>> inputs_, input_gradients_;
  std::vector<const float*> input_pointers_;
  std::vector<float*> gradient_pointers_;
  std::vector<std::int32_t> indices_, classes_;
  std::vector<float> targets_, parameters_, parameter_gradients_, output_, output_gradient_,
      internal_, scratch_;
};

std::vector<Bench> benches_of(const ComputationGraph& graph, const std::vector<OperatorId>& ids,
                              std::int64_t samples, const DataSource& data) {
  std::vector<Bench> benches;
  benches.reserve(ids.size());
  for (const OperatorId id : ids) {
    const Bytes parameters = graph.at(graph.parameter_owner(id)).parameters;
    benches.emplace_back(
        Bench::Subject{id, operator_shape(graph, id),
                       static_cast<std::int64_t>(parameters.count / k_float_bytes)},
        samples, data);
  }
  return benches;
}

/// Times of all operators on one thread, by position in `ids`.
struct ThreadTimes {
  std::vector<PassTimes> operators;
  bool disturbed = false;
};

ThreadTimes run_all(const ComputationGraph& graph, const std::vector<OperatorId>& ids,
                    std::int64_t samples, const OperatorProfileOptions& options) {
  const SyntheticData data(graph, 0);
  std::vector<Bench> benches = benches_of(graph, ids, samples, data);
  const auto round = [&] {
    std::vector<PassTimes> times(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) benches[i].run_forward(times[i]);
    for (std::size_t i = ids.size(); i-- > 0;) benches[i].run_backward(times[i]);
    return times;
  };
  for (std::int32_t i = 0; i < options.warm_up; ++i) round();
  const auto rounds = watched_rounds(options.repetitions, round);
  ThreadTimes all{.operators = std::vector<PassTimes>(ids.size()), .disturbed = rounds.disturbed};
  for (const std::vector<PassTimes>& times : rounds.results)
    for (std::size_t i = 0; i < ids.size(); ++i)
      for (std::size_t pass = 0; pass < times[i].size(); ++pass)
        all.operators[i][pass].push_back(times[i][pass].front());
  return all;
}

/// Of one operator's pass, over all threads.
Measured summed_up(const std::vector<ThreadTimes>& threads, std::size_t place, Pass pass) {
  std::vector<Seconds> times;
  bool disturbed = false;
  for (const ThreadTimes& thread : threads) {
    const auto& own = thread.operators[place][static_cast<std::size_t>(pass)];
    times.insert(times.end(), own.begin(), own.end());
    disturbed = disturbed || thread.disturbed;
  }
  Measured measured = without_gross_outliers(std::move(times));
  measured.disturbed = disturbed;
  return measured;
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
    std::vector<ThreadTimes> by_thread(options.threads);
    on_threads(options.threads,
               [&](std::size_t i) { by_thread[i] = run_all(graph, ids, samples, options); });
    for (std::size_t i = 0; i < ids.size(); ++i)
      for (const Pass pass : k_measured_passes)
        measured.push_back({graph.at(ids[i]).name, pass, samples, summed_up(by_thread, i, pass)});
    options.advanced();
  }
  return measured;
}

MeasuredBandwidth measure_optimizer_bandwidth(std::uint64_t copies, std::int32_t repetitions) {
  constexpr std::int64_t k_parameters = 1 << 20;
  CpuDevice device;
  std::vector<float> parameters = reals(k_parameters), gradients = reals(k_parameters);
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
  const double bytes =
      2.0 * static_cast<double>((2 + copies) * k_parameters) * static_cast<double>(k_float_bytes);
  const Seconds mean = without_gross_outliers(std::move(rounds.results)).mean;
  return {.value = {bytes / mean.count()}, .disturbed = rounds.disturbed};
}

}  // namespace pipegraph
