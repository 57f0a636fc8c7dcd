#include "apps/training_run.h"

#include <unistd.h>

#include <csignal>
#include <cstring>
#include <optional>
#include <utility>

#include "apps/exit_code.h"
#include "apps/one_process.h"
#include "apps/stop_signal.h"
#include "apps/study_run.h"
#include "apps/training_flags.h"
#include "apps/training_samples.h"
#include "core/base/errors.h"
#include "core/report/results_folder.h"
#include "exec/measure/watched_runner.h"
#include "exec/operators/operator_shape.h"
#include "exec/steps/plan_step_runner.h"
#include "exec/training/checkpoint_folder.h"
#include "exec/training/resume.h"
#include "exec/training/training_folder.h"
#include "exec/training/training_loop.h"

namespace pipegraph {
namespace {

namespace po = boost::program_options;

constexpr std::int64_t k_loss_lines = 20;

/// Options of a measurement have no meaning here.
void refuse_measuring(const po::variables_map& values) {
  const auto refuse = [](const char* option) {
    throw ConfigError({.file = option}, "is for measuring, not for training",
                      "a run without training options, or without it");
  };
  if (values.count("trace") > 0) refuse("--trace");
  if (!values["warm-up"].defaulted()) refuse("--warm-up");
}

std::vector<std::string> loss_names(const ComputationGraph& graph) {
  std::vector<std::string> names;
  for (const Operator& op : graph.operators())
    if (is_loss(op.arithmetic)) names.push_back(op.name);
  return names;
}

OptimizerSettings default_settings(Optimizer optimizer) {
  OptimizerSettings settings;
  if (optimizer == Optimizer::Adam) settings.learning_rate = 0.001;
  return settings;
}

/// A data file of the checkpoint that is to be used again.
void check_file_is_there(const std::string& option,
                         const std::optional<std::filesystem::path>& given,
                         const std::string& saved) {
  std::error_code ignored;
  if (given || saved.empty() || std::filesystem::exists(saved, ignored)) return;
  throw ConfigError({.file = "--" + option},
                    fmt::format("the checkpoint used {}, which is not there any more", saved),
                    fmt::format("--{} FILE with where it is now", option));
}

std::string samples_text(const TrainingPoint& point) {
  return point.habits.data_crc.empty()
             ? point.data
             : fmt::format("{}, checksum {}", point.data, point.habits.data_crc);
}

/// One training from its flags to its end.
class TrainingRun {
 public:
  TrainingRun(const Setup& setup, TrainingFlags flags, const ExecutionRequest& request,
              std::filesystem::path folder)
      : flags_(std::move(flags)), request_(request), folder_(std::move(folder)) {
    if (flags_.resume) read_checkpoint();
    const Training& training = setup.workload.training;
    const OptimizerSettings base =
        checkpoint_ ? checkpoint_->point.settings : default_settings(training.optimizer);
    point_ = {.seed = flags_.seed.value_or(checkpoint_ ? checkpoint_->point.seed : 0),
              .mini_batch = training.mini_batch,
              .optimizer = training.optimizer,
              .settings = with_flags(base, flags_),
              .model = identity_of(*setup.workload.graph)};
    samples_ = open_samples(flags_, setup.workload, point_.seed);
    point_.data = samples_.origin;
    point_.habits = habits();
    if (checkpoint_) check_continues();
  }

  void run(Outcome& outcome, const Setup& setup, const Console& console) {
    const PreparedPlan& prepared = *outcome.prepared;
    const DeviceContext context{.workload = setup.workload,
                                .stages = prepared.stages,
                                .program = *prepared.program,
                                .seed = point_.seed};
    agree(context, request_);
    const std::unique_ptr<DeviceSet> devices = make_devices(context, request_);
    OneProcess process(context, *devices, request_);
    Ranks& ranks = request_.job->ranks();
    PlanStepRunner steps(*devices->training(), process.executor(), ranks);
    WatchedRunner runner(steps, scheduling_reader(context, request_));
    if (checkpoint_) point_ = resume(*checkpoint_, point_, runner.state(), ranks);
    // Made last, so that what was refused leaves nothing behind.
    std::optional<TrainingFolder> held;
    std::optional<LossLog> log;
    const std::vector<std::string> losses = loss_names(*setup.workload.graph);
    if (request_.job->reports()) {
      held.emplace(folder_, checkpoint_ ? std::optional(checkpoint_->manifest)
                                        : std::optional<std::filesystem::path>());
      log.emplace(TrainingFolder::loss_file_in(folder_), LossLogStart{point_.step, losses});
      if (log->missing() > 0)
        outcome.notes.push_back(fmt::format(
            "{}: {} lacks {} of the {} steps before this run", outcome.result.name,
            TrainingFolder::loss_file_in(folder_).string(), log->missing(), point_.step));
    }
    request_.job->agree("the training folder", "is there");
    const std::int64_t first = point_.step;
    const StopSignal stop;
    point_ = train({.runner = runner,
                    .ranks = ranks,
                    .data = *samples_.training,
                    .validation = samples_.validation.get(),
                    .log = log ? &*log : nullptr,
                    .report = [&](const LossRow& row) { report(row, console); },
                    .stop = [] { return StopSignal::received() != 0; }},
                   point_, options());
    add_memory(outcome.result, prepared, *setup.workload.topology);
    note_devices(devices->notes(), outcome);
    add_times(runner.seen(ranks), outcome);
    conclude(first, outcome);
  }

  bool reached_last_step() const { return point_.step >= request_.steps; }
  const std::vector<std::string>& notes() const { return samples_.notes; }

 private:
  /// Data files that are not given again are those of the checkpoint.
  void read_checkpoint() {
    const std::filesystem::path own = TrainingFolder::checkpoints_in(folder_);
    checkpoint_ =
        read_manifest(find_manifest(flags_.resume_from.empty() ? own : flags_.resume_from));
    const TrainingPoint& saved = checkpoint_->point;
    check_file_is_there("data", flags_.data, saved.habits.data_file);
    check_file_is_there("validation-data", flags_.validation_data, saved.habits.validation_file);
    if (!flags_.data && saved.habits.data_file.empty() && saved.data != "synthetic")
      throw ConfigError({.file = "--data"},
                        fmt::format("the checkpoint was trained on {}", saved.data),
                        "--data FILE with these samples");
    flags_ = continuing(std::move(flags_), saved.habits);
  }

  TrainingHabits habits() const {
    const auto absolute = [](const std::optional<std::filesystem::path>& path) {
      return path ? std::filesystem::weakly_canonical(*path).string() : std::string();
    };
    return {.data_file = absolute(flags_.data),
            .data_crc = samples_.crc,
            .checkpoint_every = flags_.checkpoint_every,
            .validate_every = flags_.validate_every,
            .validation_file = absolute(flags_.validation_data),
            .validation_batches = flags_.validation_batches.value_or(0)};
  }

  bool trains_on_other_samples() const {
    const TrainingPoint& saved = checkpoint_->point;
    return saved.habits.data_crc.empty() || point_.habits.data_crc.empty()
               ? saved.data != point_.data
               : saved.habits.data_crc != point_.habits.data_crc;
  }

  void check_continues() {
    check_fits(*checkpoint_, point_);
    const TrainingPoint& saved = checkpoint_->point;
    if (saved.seed != point_.seed)
      throw ConfigError({.file = "--seed"},
                        fmt::format("the checkpoint was made with seed {}", saved.seed),
                        "the same seed, or none");
    if (trains_on_other_samples())
      samples_.notes.push_back(
          fmt::format("the checkpoint was trained on other samples ({}), now {}",
                      samples_text(saved), samples_text(point_)));
    if (saved.mini_batch != point_.mini_batch)
      samples_.notes.push_back(
          fmt::format("the checkpoint was trained with mini-batches of {}, now {}",
                      saved.mini_batch, point_.mini_batch));
  }

  TrainingOptions options() const {
    return {.steps = request_.steps,
            .checkpoint_every = flags_.checkpoint_every,
            .validate_every = flags_.validate_every,
            .validation_batches = samples_.validation_batches,
            .first_validation_sample = samples_.first_validation_sample,
            .checkpoints = TrainingFolder::checkpoints_in(folder_)};
  }

  /// Some twenty lines in all, and those with a validation loss.
  void report(const LossRow& row, const Console& console) {
    times_.push_back(row.time);
    if (!request_.job->reports()) return;
    const std::int64_t every = std::max<std::int64_t>(1, request_.steps / k_loss_lines);
    if (row.step % every != 0 && row.step != 1 && !row.validation_loss) return;
    std::string text =
        fmt::format("step {} of {}: loss {:.6g}", row.step, request_.steps, row.loss);
    if (row.validation_loss) text += fmt::format(", validation loss {:.6g}", *row.validation_loss);
    // A progress bar may stand in the line.
    print_message(console, (::isatty(::fileno(console.err)) != 0 ? "\r\x1b[K" : "") + text + "\n");
  }

  void add_times(const StepsSeen& seen, Outcome& outcome) {
    // The first step of a process touches its memory for the first time.
    if (times_.size() > 1) times_.erase(times_.begin());
    if (times_.empty()) return;
    Executed executed{.times = {.steps = static_cast<std::int32_t>(times_.size()),
                                .untraced = quartiles(times_),
                                .traced = {}}};
    add_seen(seen, executed);
    add_measured(outcome.result, executed.times, point_.mini_batch);
    note_devices(executed.notes, outcome);
  }

  void conclude(std::int64_t first, Outcome& outcome) const {
    const std::string& name = outcome.result.name;
    outcome.result.backend = request_.kind->name;
    if (first >= request_.steps)
      outcome.notes.push_back(
          fmt::format("{}: the checkpoint is of step {}, there is nothing to do "
                      "up to step {}",
                      name, first, request_.steps));
    if (const int signal = StopSignal::received(); signal != 0 && !reached_last_step())
      outcome.notes.push_back(
          fmt::format("{}: ended after step {} of {} by SIG{}{}", name, point_.step, request_.steps,
                      ::sigabbrev_np(signal),
                      flags_.checkpoint_every > 0 ? "; --resume continues from here" : ""));
  }

  TrainingFlags flags_;
  const ExecutionRequest& request_;
  std::filesystem::path folder_;
  std::optional<Checkpoint> checkpoint_;
  TrainingPoint point_;
  TrainingSamples samples_;
  std::vector<Seconds> times_;
};

}  // namespace

int run_training(const Study& study, const po::variables_map& values,
                 const ExecutionRequest& request, const Console& console) {
  if (request.kind->computes == Computes::No)
    throw ConfigError(
        {.file = "--backend"},
        fmt::format("{} devices compute nothing that could be trained", request.kind->name),
        "--backend cpu");
  refuse_measuring(values);
  const Study one = with_choice(study, values);
  const Setup setup = set_up(one.points.point(0));
  const TrainingFlags flags = training_flags(values, setup.workload.training.optimizer);
  TrainingRun training(setup, flags, request, output_folder(one, values) / k_training_folder);
  if (request.job->reports() && setup.workload.training.optimizer == Optimizer::None)
    print_note(console, "training.optimizer is none: nothing is learned");
  if (request.job->reports())
    for (const std::string& note : training.notes()) print_note(console, note);
  const PlanRunner runner{
      .run = [&](Outcome& outcome, const Setup& at,
                 Progress&) { training.run(outcome, at, console); },
      .results = results_of(*request.job),
      .check =
          [&](const Setup& at) { check_precision(*request.kind, at.workload.training.precision); }};
  const int code = carry_out_study(one, values, runner, console);
  return code == ExitDone && !training.reached_last_step() ? ExitNo : code;
}

}  // namespace pipegraph
