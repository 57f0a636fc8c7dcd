// Writes a cost file: one line an entry.
#include <fmt/format.h>

#include <iterator>

#include "core/base/yaml_scalar.h"
#include "core/profile/cost_file.h"

namespace pipegraph {
namespace {

std::string measured_text(const Measured& time) {
  return fmt::format("mean: {}, spread: {}, count: {}{}", to_exact_text(time.mean),
                     to_exact_text(time.spread), time.count,
                     time.disturbed ? ", disturbed: true" : "");
}

std::string instruction_text(const MeasuredInstruction& measured) {
  const std::string samples =
      is_pass(measured.kind) ? fmt::format("samples: {}, ", measured.samples) : "";
  const std::string stage =
      measured.stage.empty() ? "" : fmt::format("stage: {}, ", to_yaml_scalar(measured.stage));
  return fmt::format("{{{}pass: {}, {}{}}}", stage, to_text(measured.kind), samples,
                     measured_text(measured.time));
}

std::string machine_text(const Machine& machine) {
  std::string text = fmt::format("machine: {{cpu: {}, cores: {}, blas: {}, blas_core: {}",
                                 to_yaml_scalar(machine.cpu), machine.cores,
                                 to_yaml_scalar(machine.blas), to_yaml_scalar(machine.blas_core));
  if (const auto& gpus = machine.gpus)
    text += fmt::format(
        ",\n          gpus: {{name: {}, count: {}, clocks: {}, driver: {}, libraries: {}}}",
        to_yaml_scalar(gpus->name), gpus->count, to_yaml_scalar(gpus->clocks),
        to_yaml_scalar(gpus->driver), to_yaml_scalar(gpus->libraries));
  return text + "}\n";
}

std::string head(const CostFile& file) {
  return fmt::format(
      "format: {}\n"
      "costs: {{model: {}, model_hash: {}, backend: {}, {}version: {}, date: {}}}\n"
      "{}entries: {}\n",
      k_cost_file_format, to_yaml_scalar(file.model), to_yaml_scalar(file.model_hash),
      to_yaml_scalar(file.backend),
      file.precision ? fmt::format("precision: {}, ", to_text(*file.precision)) : "",
      to_yaml_scalar(file.version), to_yaml_scalar(file.date), machine_text(file.machine),
      entries_of(file));
}

}  // namespace

std::string to_yaml_text(const CostFile& file) {
  std::string text = head(file);
  const auto out = std::back_inserter(text);
  if (file.dispatch) fmt::format_to(out, "dispatch: {}\n", to_exact_text(*file.dispatch));
  if (file.optimizer_bandwidth)
    fmt::format_to(out, "optimizer_bandwidth: {}\n", to_exact_text(*file.optimizer_bandwidth));
  if (!file.disturbed.empty())
    fmt::format_to(out, "disturbed: [{}]\n", fmt::join(file.disturbed, ", "));
  fmt::format_to(out, "overlap: {}\n", file.overlap);
  if (!file.transfers.empty()) text += "transfers:\n";
  for (const MeasuredTransfer& transfer : file.transfers)
    fmt::format_to(out, "  - {{bytes: {}, {}}}\n", to_exact_text(transfer.size),
                   measured_text(transfer.time));
  if (!file.plans.empty()) text += "plans:\n";
  for (const MeasuredPlan& plan : file.plans) {
    fmt::format_to(out, "  - hash: {}\n    name: {}\n    passes:{}\n", to_yaml_scalar(plan.hash),
                   to_yaml_scalar(plan.name), plan.instructions.empty() ? " []" : "");
    for (const MeasuredInstruction& measured : plan.instructions)
      fmt::format_to(out, "      - {}\n", instruction_text(measured));
  }
  if (!file.operators.empty()) text += "operators:\n";
  for (const MeasuredOperator& measured : file.operators)
    fmt::format_to(out, "  - {{operator: {}, pass: {}, samples: {}, {}}}\n",
                   to_yaml_scalar(measured.name), to_text(measured.pass), measured.samples,
                   measured_text(measured.time));
  return text;
}

}  // namespace pipegraph
