// `pipegraph profile`: measures a model's operators, or the passes of plans, into a cost file.
#include <boost/program_options/value_semantic.hpp>
#include <optional>

#include "apps/checked_plan.h"
#include "apps/cost_output.h"
#include "apps/device_kinds.h"
#include "apps/exit_code.h"
#include "apps/output_file.h"
#include "apps/profiling.h"
#include "apps/sample_counts.h"
#include "apps/verb.h"
#include "core/plan/plan_file.h"
#include "exec/cores.h"
#include "exec/measure/operator_profile.h"
#include "models/model_reader.h"

namespace pipegraph {
namespace {

namespace po = boost::program_options;

constexpr std::int64_t k_most_samples_of_a_model = 32;
constexpr int k_most_repetitions = 1'000'000;

Options make_options() {
  Options options(
      {.verb = "profile",
       .synopsis = "MODEL|SCENARIO|PLAN -o FILE [options]",
       .about =
           "Measures on this machine, and writes a cost file that scenarios use as "
           "'costs: FILE'. Of a model or scenario: every operator's passes, for planners. Of a "
           "plan file: every stage's passes in the order of the plan on all devices at once, "
           "for predictions. Transfers and the handling of instructions too. docs/crosscheck.md "
           "says how.",
       .examples =
           "  pipegraph profile scenarios/two_towers.yaml -o costs.yaml --samples 1,2,4,8\n"
           "  pipegraph profile out/quickstart/plans/graphpipe/plan.yaml -o costs.yaml --merge\n"
           "  pipegraph profile models/small_mlp.yaml -o costs.yaml\n"});
  add_scenario(options);
  options.add()("output,o", po::value<std::string>()->value_name("FILE"),
                "the cost file to write (default: costs.yaml)");
  add_measured_devices(options);
  options.add()("precision", po::value<std::string>()->value_name("NAME"),
                "fp32, fp32_tensor, tf32 or bf16 (default: training.precision; of a model: fp32)");
  options.add()(
      "samples", po::value<std::string>()->value_name("LIST"),
      "operators: numbers of samples, 1 to 2^30 each, e.g. 1,8,64 (default: powers of two up to "
      "the mini-batch, or 32)");
  options.add()("repetitions", po::value<int>()->default_value(20)->value_name("N"),
                "times that each pass is measured on each thread, 1 to 1000000");
  options.add()(
      "threads", po::value<int>()->value_name("N"),
      "operators: threads that measure at once, 1 to the usable cores (default: all of them)");
  options.add()("merge", "keep what FILE has of other operators and plans of the model");
  return options;
}

/// What is to be profiled, with its operators' sample counts.
struct Subject {
  ComputationGraph graph;
  Training training;
  std::optional<Setup> setup;  ///< of a scenario or plan file
  bool is_plan = false;
};

bool is_model(const YamlValue& document) {
  return document.is_map() && !document.find("plans") && !document.find("plan");
}

std::optional<Precision> wanted_precision(const po::variables_map& values) {
  if (values.count("precision") == 0) return std::nullopt;
  const auto text = values["precision"].as<std::string>();
  const auto precision = parse_precision(text);
  if (!precision)
    throw ConfigError({.file = "--precision"}, fmt::format("'{}' is not known", text),
                      "fp32, fp32_tensor, tf32 or bf16");
  return precision;
}

/// The arguments as if the scenario or plan said so itself.
po::variables_map with_training_precision(po::variables_map values, Precision precision) {
  std::vector<std::string> settings = texts_of(values, "set");
  settings.push_back(fmt::format("training.precision={}", to_text(precision)));
  values.erase("set");
  values.emplace("set", po::variable_value(boost::any(settings), false));
  return values;
}

Subject read_subject(const po::variables_map& given) {
  const auto precision = wanted_precision(given);
  const po::variables_map values = precision ? with_training_precision(given, *precision) : given;
  const YamlValue document = YamlValue::load(values["SCENARIO"].as<std::string>());
  Subject subject;
  if (is_model(document)) {
    subject.training.precision = precision.value_or(Precision::Fp32);
    subject.graph = read_model(document, subject.training.precision);
    subject.training.mini_batch = k_most_samples_of_a_model;
    return subject;
  }
  const Study study = load_study(values);
  subject.is_plan = is_plan_document(study.document);
  const Costing costing =
      subject.is_plan ? costing_of(measured_devices_of(values).backend) : Costing::Untimed;
  subject.setup = set_up(point_of(study, values), costing);
  subject.graph = *subject.setup->workload.graph;
  subject.training = subject.setup->workload.training;
  return subject;
}

int count_up_to(int most, const po::variables_map& values, const std::string& name, int otherwise) {
  const int number = values.count(name) > 0 ? values[name].as<int>() : otherwise;
  if (number < 1 || number > most)
    throw ConfigError({.file = "--" + name}, fmt::format("{} is out of range", number),
                      fmt::format("1 to {}", most));
  return number;
}

/// What a profile is made of.
struct Request {
  Subject subject;
  MeasuredDevices devices;
  OperatorProfileOptions operators;  ///< of a plan only the repetitions count
};

OperatorProfileOptions operator_options(const Subject& subject, const po::variables_map& values) {
  const auto cores = static_cast<int>(usable_cores().size());
  OperatorProfileOptions options;
  options.samples = values.count("samples") > 0
                        ? parse_sample_counts(values["samples"].as<std::string>())
                        : usual_sample_counts(subject.training.mini_batch);
  options.repetitions = count_up_to(k_most_repetitions, values, "repetitions", 20);
  options.precision = subject.training.precision;
  options.threads = static_cast<std::size_t>(count_up_to(cores, values, "threads", cores));
  return options;
}

std::vector<MeasuredOperator> profile_model(const Request& request, Progress& progress) {
  OperatorProfileOptions options = request.operators;
  auto& done = progress.parts(options.samples.size());
  options.advanced = [&] { ++done; };
  return measure_operators(request.subject.graph, request.devices.backend, options);
}

/// Errors: ConfigError for a plan that cannot run.
MeasuredPlan profile_plan(const Request& request, Progress& progress) {
  const Setup& setup = *request.subject.setup;
  const PlanRequest& wanted = setup.scenario.plans.front();
  const Outcome outcome = carry_out(wanted, setup, progress, preparing());
  if (!outcome.result.reason.empty())
    throw ConfigError({.file = wanted.name}, outcome.result.reason, "a plan that can run");
  CheckedPlan plan(outcome, setup, request.devices);
  plan.warm_up();
  constexpr int k_blocks = 4;
  for (int block = 0; block < k_blocks; ++block)
    plan.profile(std::max(1, request.operators.repetitions / k_blocks));
  return plan.profiled();
}

}  // namespace

int run_profile(Arguments arguments, const Console& console) {
  const auto values = make_options().parse(arguments, console);
  if (!values) return ExitDone;
  const MeasuredDevices devices = measured_devices_of(*values);
  const std::string target = path_of(*values, "output").value_or("costs.yaml");
  check_output_file(target, (*values)["SCENARIO"].as<std::string>());
  Subject subject = read_subject(*values);
  OperatorProfileOptions operators = operator_options(subject, *values);
  const Request request{std::move(subject), devices, std::move(operators)};
  if (devices.backend == MeasuredBackend::Cpu)
    check_precision(device_kind("cpu"), request.subject.training.precision);
  if (!request.subject.is_plan && devices.backend == MeasuredBackend::Emulated)
    throw ConfigError({.file = "--backend"}, "operators are not measured on 'emulated'",
                      "cpu or cuda, or a plan file to profile");
  if (!request.subject.is_plan && devices.gpus.attention == GpuAttention::Cudnn)
    throw ConfigError({.file = "--attention"}, "operators are measured with our own attention",
                      "--attention own, or a plan file to profile");
  CostFile file =
      new_cost_file(request.subject.graph, devices.backend, request.subject.training.precision);
  const auto known = values->count("merge") > 0 ? costs_to_merge_with(target, file) : std::nullopt;
  {
    Progress progress(console, 1);
    progress.begin(0, "profile");
    measure_machine(file, devices.backend, request.subject.training);
    if (request.subject.is_plan)
      file.plans.push_back(profile_plan(request, progress));
    else
      file.operators = profile_model(request, progress);
  }
  if (const std::string note = note_of_disturbance(file); !note.empty()) print_note(console, note);
  if (known) file = merged(*known, file, target);
  write_output_file(target, to_yaml_text(file));
  print_message(console, fmt::format("costs: {}\n", target));
  return ExitDone;
}

}  // namespace pipegraph
