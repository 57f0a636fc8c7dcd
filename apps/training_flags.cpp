#include "apps/training_flags.h"

#include <boost/program_options/value_semantic.hpp>
#include <cmath>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

namespace po = boost::program_options;

constexpr std::int64_t k_most_validation_batches = 1 << 24;

const po::value_semantic* named(po::typed_value<std::int64_t>* value, const char* name) {
  return value->value_name(name);
}

/// An option's bounds, ends included, and how they are told.
struct Bounds {
  double least = 0.0;
  double most = 0.0;
  const char* text = "";
};

std::optional<std::int64_t> whole(const po::variables_map& values, const std::string& name,
                                  std::int64_t least) {
  if (values.count(name) == 0) return std::nullopt;
  const auto value = values[name].as<std::int64_t>();
  if (value < least)
    throw ConfigError({.file = "--" + name}, fmt::format("{} is too small", value),
                      fmt::format("a whole number of at least {}", least));
  return value;
}

std::optional<double> real(const po::variables_map& values, const std::string& name,
                           const Bounds& bounds) {
  if (values.count(name) == 0) return std::nullopt;
  const auto value = values[name].as<double>();
  if (!std::isfinite(value) || value < bounds.least || value > bounds.most)
    throw ConfigError({.file = "--" + name}, fmt::format("{} makes no sense", value), bounds.text);
  return value;
}

/// The optimizer to which a flag belongs must be the workload's.
void check_used(const po::variables_map& values, Optimizer optimizer) {
  const auto only_for = [&](const std::string& name, Optimizer owner) {
    if (values.count(name) > 0 && optimizer != owner)
      throw ConfigError({.file = "--" + name},
                        fmt::format("the optimizer is {}", to_text(optimizer)),
                        fmt::format("training.optimizer: {}", to_text(owner)));
  };
  only_for("momentum", Optimizer::Momentum);
  only_for("first-moment-decay", Optimizer::Adam);
  only_for("second-moment-decay", Optimizer::Adam);
  only_for("epsilon", Optimizer::Adam);
  if (values.count("learning-rate") > 0 && optimizer == Optimizer::None)
    throw ConfigError({.file = "--learning-rate"}, "the optimizer is none",
                      "training.optimizer: sgd, momentum or adam");
}

void check_together(const TrainingFlags& flags) {
  const bool validates = flags.validate_every > 0;
  if (flags.validation_data && !validates)
    throw ConfigError({.file = "--validation-data"}, "the data would never be used",
                      "--validate-every as well");
  if (flags.validation_batches && !validates)
    throw ConfigError({.file = "--validation-batches"}, "nothing is validated",
                      "--validate-every as well");
  if (flags.data && validates && !flags.validation_data)
    throw ConfigError({.file = "--validate-every"},
                      "there are no samples to validate with: those of --data are trained on",
                      "--validation-data FILE as well");
}

}  // namespace

void add_training_options(Options& options) {
  const auto number = [] { return po::value<std::int64_t>(); };
  const auto real_number = [] { return po::value<double>(); };
  const auto path = [] { return po::value<std::string>()->value_name("FILE"); };
  options.add()("train",
                "train one plan (--plan) until step --steps, counted from the beginning also when "
                "resuming; each of the following options implies it")(
      "seed", named(number(), "S"),
      "of initial weights and synthetic samples, 0 or more (default: 0)")(
      "learning-rate", real_number()->value_name("RATE"),
      "a number above 0 (default: 0.01; Adam: 0.001)")(
      "momentum", real_number()->value_name("FACTOR"),
      "of the optimizer momentum, from 0 to below 1 (default: 0.9)")(
      "first-moment-decay", real_number()->value_name("FACTOR"),
      "of Adam, from 0 to below 1 (default: 0.9)")("second-moment-decay",
                                                   real_number()->value_name("FACTOR"),
                                                   "of Adam, from 0 to below 1 (default: 0.999)")(
      "epsilon", real_number()->value_name("VALUE"), "of Adam, above 0 (default: 1e-8)")(
      "data", path(), "samples, a tensor file or CSV (default: synthetic samples)")(
      "validate-every", named(number(), "K"), "evaluate the model every K steps, 1 or more")(
      "validation-data", path(),
      "samples for it (default: synthetic ones that are not trained on)")(
      "validation-batches", named(number(), "N"),
      "mini-batches for it, 1 to 16777216 (default: all of the file; 1 synthetic one)")(
      "checkpoint-every", named(number(), "K"),
      "write a checkpoint every K steps, 1 or more, and at the end; the last two are kept")(
      "resume", po::value<std::string>()->implicit_value("")->value_name("PATH"),
      "continue from the latest checkpoint of the results folder; with --resume=PATH from that of "
      "another results folder, or from a manifest");
}

bool asks_to_train(const po::variables_map& values) {
  for (const char* name : {"train", "seed", "learning-rate", "momentum", "first-moment-decay",
                           "second-moment-decay", "epsilon", "data", "validate-every",
                           "validation-data", "validation-batches", "checkpoint-every", "resume"})
    if (values.count(name) > 0) return true;
  return false;
}

TrainingFlags training_flags(const po::variables_map& values, Optimizer optimizer) {
  check_used(values, optimizer);
  constexpr Bounds k_factor{0.0, 1.0 - 1e-12, "a number from 0 to below 1"};
  constexpr Bounds k_positive{1e-300, 1e300, "a number above 0"};
  TrainingFlags flags;
  if (const auto seed = whole(values, "seed", 0)) flags.seed = static_cast<std::uint64_t>(*seed);
  flags.learning_rate = real(values, "learning-rate", k_positive);
  flags.momentum = real(values, "momentum", k_factor);
  flags.first_moment_decay = real(values, "first-moment-decay", k_factor);
  flags.second_moment_decay = real(values, "second-moment-decay", k_factor);
  flags.epsilon = real(values, "epsilon", k_positive);
  flags.data = path_of(values, "data");
  flags.validation_data = path_of(values, "validation-data");
  flags.validate_every = whole(values, "validate-every", 1).value_or(0);
  flags.validation_batches = whole(values, "validation-batches", 1);
  if (flags.validation_batches > k_most_validation_batches)
    throw ConfigError({.file = "--validation-batches"},
                      fmt::format("{} is too large", *flags.validation_batches),
                      fmt::format("1 to {}", k_most_validation_batches));
  flags.checkpoint_every = whole(values, "checkpoint-every", 1).value_or(0);
  flags.resume = values.count("resume") > 0;
  if (flags.resume) flags.resume_from = values["resume"].as<std::string>();
  // What is missing may be the checkpoint's.
  if (!flags.resume) check_together(flags);
  return flags;
}

TrainingFlags continuing(TrainingFlags flags, const TrainingHabits& saved) {
  if (!flags.data && !saved.data_file.empty()) flags.data = saved.data_file;
  if (flags.checkpoint_every == 0) flags.checkpoint_every = saved.checkpoint_every;
  if (flags.validate_every == 0) flags.validate_every = saved.validate_every;
  const bool same_validation = !flags.validation_data;
  if (same_validation && !saved.validation_file.empty())
    flags.validation_data = saved.validation_file;
  if (same_validation && !flags.validation_batches && saved.validation_batches > 0)
    flags.validation_batches = saved.validation_batches;
  check_together(flags);
  return flags;
}

OptimizerSettings with_flags(OptimizerSettings base, const TrainingFlags& flags) {
  base.learning_rate = flags.learning_rate.value_or(base.learning_rate);
  base.momentum = flags.momentum.value_or(base.momentum);
  base.first_moment_decay = flags.first_moment_decay.value_or(base.first_moment_decay);
  base.second_moment_decay = flags.second_moment_decay.value_or(base.second_moment_decay);
  base.epsilon = flags.epsilon.value_or(base.epsilon);
  return base;
}

}  // namespace pipegraph
