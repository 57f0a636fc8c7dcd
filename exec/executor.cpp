#include "exec/executor.h"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "core/base/errors.h"
#include "core/run/counterparts.h"
#include "core/run/dispatcher.h"
#include "exec/cores.h"
#include "exec/device_backend.h"
#include "exec/device_threads.h"
#include "exec/joined_record.h"
#include "exec/rank_results.h"
#include "exec/state/failure_text.h"

namespace pipegraph {
namespace {

constexpr Seconds k_look{0.05};  // how often the executor looks after its devices

bool has_a_core_each(const Execution& execution, const ExecutionOptions& options) {
  return options.first_core + execution.devices.size() <= usable_cores().size();
}

Seconds own_clock() { return std::chrono::steady_clock::now().time_since_epoch(); }

/// A device with everything that belongs to it alone. Made on its own thread.
struct DeviceSlot {
  DeviceSlot(const Execution& execution, DeviceId device, const Waiter& waiter)
      : clock(execution.clocks(device)),
        engine(execution.engines(device, *clock)),
        backend({device, execution.program, execution.channels, execution.state,
                 execution.transport, *engine, *clock},
                waiter),
        unstarted(execution.program, std::span(&device, 1)) {}

  std::unique_ptr<Clock> clock;
  std::unique_ptr<Engine> engine;
  DeviceBackend backend;
  Dispatcher unstarted;  ///< copied for each step
  std::optional<Dispatcher> dispatcher;
  Seconds finish{0};
};

}  // namespace

class Executor::Impl {
 public:
  Impl(Execution execution, const ExecutionOptions& options)
      : execution_(std::move(execution)),
        options_(options),
        spin_(has_a_core_each(execution_, options_) ? options_.spin : Seconds{0}),
        counterparts_(execution_.program),
        clock_(execution_.ranks, options_.rank_clocks, own_clock),
        quiescence_(execution_.devices),
        slots_(execution_.devices.size()),
        threads_(execution_.devices.size(), spin_) {
    try {
      make_slots();
    } catch (...) {
      end_slots();
      throw;
    }
    execution_.transport.watch([this] { return quiescence_.look(execution_.transport); });
  }

  ~Impl() {
    execution_.transport.watch(nullptr);
    end_slots();
  }

  StepResult run_step(Tracing tracing) {
    StepResult result;
    if (tracing == Tracing::On) result.record.emplace(execution_.program.size());
    execution_.state.progress.restart();
    quiescence_.restart();
    carry_out([&](std::size_t place) { prepare(place, result); });
    if (tracing == Tracing::Off && execution_.whole_step != nullptr &&
        execution_.whole_step->takes())
      return run_whole_step();
    if (result.record) on_first([](StepTimes& times) { times.begin(); });
    const SteadyTime epoch = common_start();
    carry_out([&](std::size_t place) { run(place, epoch, tracing); });
    for (const auto& slot : slots_) result.time = std::max(result.time, slot->finish);
    if (result.record) clock_.stop();
    if (result.record) on_first([&](StepTimes& times) { times.end(epoch, *result.record); });
    result.time = latest_of_ranks(execution_.ranks, result.time + clock_.correction(result.time));
    if (result.record) complete_record(result);
    ++step_;
    return result;
  }

  void on_each_device(const std::function<void(DeviceId, Engine&)>& task) {
    carry_out([&](std::size_t place) { task(execution_.devices[place], *slots_[place]->engine); });
  }

  Engine& engine(DeviceId device) {
    const auto found = std::ranges::find(execution_.devices, device);
    check(found != execution_.devices.end(), "a device of this process");
    return *slots_[static_cast<std::size_t>(found - execution_.devices.begin())]->engine;
  }

 private:
  void make_slots() {
    const std::vector<int> cores = usable_cores();
    const bool pin =
        options_.pinning == Pinning::WhereCoresSuffice && has_a_core_each(execution_, options_);
    carry_out([&](std::size_t place) {
      if (pin) pin_this_thread(cores[options_.first_core + place]);
      const DeviceId device = execution_.devices[place];
      slots_[place] = std::make_unique<DeviceSlot>(
          execution_, device,
          Waiter({execution_.state, execution_.transport, quiescence_}, device,
                 {.deadline = options_.deadline, .spin = spin_}));
    });
  }

  /// On the devices' threads, which have used what they give up; a thread that never comes back is
  /// left with the process.
  void end_slots() noexcept {
    threads_.begin([this](std::size_t place) { slots_[place].reset(); });
    const bool failed = execution_.state.failure.happened();
    if (!threads_.wait(failed ? options_.grace : options_.deadline + options_.grace)) abandon();
  }

  void prepare(std::size_t place, StepResult& result) {
    DeviceSlot& slot = *slots_[place];
    slot.dispatcher.emplace(slot.unstarted);
    slot.backend.begin_step(result.record ? &*result.record : nullptr);
    slot.engine->begin_step(step_);
  }

  /// On the first device's thread, so that what goes wrong ends the run there.
  template <class Task>
  void on_first(const Task& task) {
    if (execution_.step_times == nullptr) return;
    carry_out([&](std::size_t place) {
      if (place == 0) task(*execution_.step_times);
    });
  }

  /// On this thread; of one process.
  StepResult run_whole_step() {
    const SteadyTime begun = std::chrono::steady_clock::now();
    try {
      execution_.whole_step->run(options_.deadline);
    } catch (const std::exception& error) {
      report({execution_.ranks.rank(), {}, {}, error.what()});
      throw ExecutionError(text_of_failure(), execution_.state.failure.first());
    }
    ++step_;
    return {.time = std::chrono::steady_clock::now() - begun};
  }

  /// The same moment on all ranks; of computed times it need not be.
  SteadyTime common_start() {
    if (slots_.front()->clock->of_machine())
      return SteadyTime(std::chrono::duration_cast<SteadyTime::duration>(clock_.start()));
    if (execution_.ranks.size() > 1) execution_.ranks.all_gather("");
    return std::chrono::steady_clock::now();
  }

  void complete_record(StepResult& result) {
    gather_record(execution_.ranks, {execution_.program, execution_.devices, clock_},
                  *result.record);
    join_counterparts(execution_.program, counterparts_, *result.record);
    if (const auto bound = clock_.bound())
      result.clock_bound = latest_of_ranks(execution_.ranks, *bound);
  }

  void run(std::size_t place, SteadyTime epoch, Tracing tracing) {
    DeviceSlot& slot = *slots_[place];
    slot.clock->begin(epoch, tracing);
    drive(*slot.dispatcher, slot.backend);
    slot.finish = slot.clock->finish();
    quiescence_.done(place);
  }

  /// Runs `task` on all threads. Errors: MachineError if it failed anywhere; a ConfigError as it
  /// is.
  template <class Task>
  void carry_out(Task task) {
    // Another process may have failed meanwhile.
    if (execution_.state.failure.happened()) throw MachineError(text_of_failure());
    threads_.begin([&](std::size_t place) { guard(place, task); });
    look_after_devices();
    if (bad_input_) std::rethrow_exception(bad_input_);
    if (execution_.state.failure.happened())
      throw ExecutionError(text_of_failure(), execution_.state.failure.first());
  }

  template <class Task>
  void guard(std::size_t place, const Task& task) noexcept {
    try {
      task(place);
    } catch (const Abandoned&) {
      return;  // whoever failed first has reported
    } catch (const ConfigError& error) {
      if (report(place, error.what())) bad_input_ = std::current_exception();
    } catch (const std::exception& error) {
      report(place, error.what());
    } catch (...) {
      report(place, "an exception of unknown type");
    }
  }

  /// Whether it is the first failure.
  bool report(std::size_t place, const std::string& what) noexcept {
    const DeviceId device = execution_.devices[place];
    return report({execution_.ranks.rank(), device, instruction_of(place), what});
  }
  bool report(const Fault& fault) noexcept {
    const bool first = execution_.state.failure.report(fault);
    if (first) execution_.transport.abort(fault);
    return first;
  }

  /// What the device was doing; while it waits, its first instruction that has not completed.
  InstructionId instruction_of(std::size_t place) const {
    if (slots_[place] == nullptr || !slots_[place]->dispatcher) return {};
    if (const InstructionId current = slots_[place]->backend.current(); current.valid())
      return current;
    for (std::size_t i = 0; i < execution_.program.size(); ++i) {
      const auto id = make_id<InstructionId>(i);
      if (execution_.program.at(id).device == execution_.devices[place] &&
          !slots_[place]->dispatcher->completed(id))
        return id;
    }
    return {};
  }

  std::string text_of_failure() const {
    return failure_text(execution_.program, execution_.state.failure.first(),
                        execution_.state.progress.completed_instructions());
  }

  /// Until all have finished. Devices watch each other while they wait; a device that never comes
  /// back from its engine is noticed here.
  void look_after_devices() {
    SteadyTime since = std::chrono::steady_clock::now();
    std::uint64_t seen = execution_.state.progress.total();
    SteadyTime looked = since;
    bool failed = false;
    while (!threads_.wait(k_look)) {
      const SteadyTime now = std::chrono::steady_clock::now();
      // What the process was stopped for, nobody could have moved in.
      const bool was_stopped =
          now - std::exchange(looked, now) > std::max(options_.deadline / 2, Seconds{1});
      if (!failed && was_stopped) since = now;
      if (!failed && execution_.state.failure.happened()) {
        failed = true;
        since = now;
      }
      const std::uint64_t progress = execution_.state.progress.total();
      if (!failed && progress != seen) {
        seen = progress;
        since = now;
      }
      if (failed && now - since > options_.grace) abandon();
      if (!failed && now - since > options_.deadline + options_.grace)
        report(
            {execution_.ranks.rank(),
             {},
             {},
             fmt::format("nothing has moved on any device for {} s", options_.deadline.count())});
    }
  }

  [[noreturn]] void abandon() const {
    if (options_.abandon != nullptr)
      options_.abandon(execution_.state.failure.happened() ? text_of_failure()
                                                           : "a device does not end");
    std::terminate();
  }

  Execution execution_;
  ExecutionOptions options_;
  Seconds spin_;
  Counterparts counterparts_;
  CommonClock clock_;
  Quiescence quiescence_;
  std::vector<std::unique_ptr<DeviceSlot>> slots_;
  std::exception_ptr bad_input_;
  std::int64_t step_ = 0;
  DeviceThreads threads_;  ///< last: they end before what they use
};

Executor::Executor(Execution execution, const ExecutionOptions& options)
    : impl_(std::make_unique<Impl>(std::move(execution), options)) {}
Executor::~Executor() = default;

StepResult Executor::run_step(Tracing tracing) { return impl_->run_step(tracing); }

void Executor::on_each_device(const std::function<void(DeviceId, Engine&)>& task) {
  impl_->on_each_device(task);
}

Engine& Executor::engine(DeviceId device) { return impl_->engine(device); }

}  // namespace pipegraph
