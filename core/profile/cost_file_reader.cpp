// Keys of a cost file.
#include <fmt/format.h>

#include <array>
#include <limits>
#include <set>
#include <tuple>

#include "core/profile/cost_file.h"

namespace pipegraph {
namespace {

constexpr Seconds k_longest_measured{1e6};

constexpr std::array k_passes{Pass::Forward, Pass::Backward, Pass::BackwardInput,
                              Pass::BackwardWeight};
constexpr std::array k_kinds{InstructionKind::Forward,       InstructionKind::Backward,
                             InstructionKind::BackwardInput, InstructionKind::BackwardWeight,
                             InstructionKind::AllReduce,     InstructionKind::Optimizer};
constexpr std::array k_known_precisions{Precision::Fp32, Precision::Fp32Tensor, Precision::Tf32,
                                        Precision::Fp16, Precision::Bf16};
constexpr std::int64_t k_most_samples = std::numeric_limits<std::int32_t>::max();

/// One of `values`, by its text.
template <class Values>
typename Values::value_type choice_of(const YamlValue& value, const Values& values) {
  std::vector<std::string> names;
  for (const auto& choice : values) names.emplace_back(to_text(choice));
  return values[value.as_choice(names)];
}

std::string text_or_empty(MapReader& reader, const std::string& key) {
  const auto value = reader.optional(key);
  return value ? value->as_string() : std::string();
}

Measured read_measured(MapReader& reader) {
  const YamlValue mean = reader.required("mean");
  Measured measured{.mean = mean.as_seconds()};
  if (measured.mean > k_longest_measured)
    mean.fail("nothing that was measured took so long", "at most 1e6 s");
  if (const auto spread = reader.optional("spread")) measured.spread = spread->as_seconds();
  const auto count = reader.optional("count");
  measured.count = count ? count->as_integer(1, std::numeric_limits<std::int64_t>::max()) : 1;
  if (const auto disturbed = reader.optional("disturbed"))
    measured.disturbed = disturbed->as_bool();
  return measured;
}

MachineGpus read_gpus(const YamlValue& value) {
  MapReader reader(value, "GPUs of a machine");
  MachineGpus gpus{.name = reader.required("name").as_string(),
                   .count = static_cast<std::int32_t>(reader.required("count").as_integer(
                       1, std::numeric_limits<std::int32_t>::max())),
                   .clocks = text_or_empty(reader, "clocks"),
                   .driver = text_or_empty(reader, "driver"),
                   .libraries = text_or_empty(reader, "libraries")};
  reader.finish();
  return gpus;
}

Machine read_machine(const YamlValue& value) {
  MapReader reader(value, "a machine");
  Machine machine{.cpu = reader.required("cpu").as_string(),
                  .cores = static_cast<std::int32_t>(reader.required("cores").as_integer(
                      1, std::numeric_limits<std::int32_t>::max())),
                  .blas = text_or_empty(reader, "blas"),
                  .blas_core = text_or_empty(reader, "blas_core")};
  if (const auto gpus = reader.optional("gpus")) machine.gpus = read_gpus(*gpus);
  reader.finish();
  return machine;
}

MeasuredOperator read_operator(const YamlValue& value) {
  MapReader reader(value, "a measured operator");
  MeasuredOperator measured{.name = reader.required("operator").as_string(),
                            .pass = choice_of(reader.required("pass"), k_passes),
                            .samples = reader.required("samples").as_integer(1, k_most_samples),
                            .time = read_measured(reader)};
  reader.finish();
  return measured;
}

MeasuredInstruction read_instruction(const YamlValue& value) {
  MapReader reader(value, "a measured pass");
  MeasuredInstruction measured{.stage = text_or_empty(reader, "stage"),
                               .kind = choice_of(reader.required("pass"), k_kinds)};
  if (is_pass(measured.kind))
    measured.samples =
        static_cast<std::int32_t>(reader.required("samples").as_integer(1, k_most_samples));
  measured.time = read_measured(reader);
  reader.finish();
  return measured;
}

MeasuredPlan read_plan(const YamlValue& value) {
  MapReader reader(value, "a measured plan");
  MeasuredPlan plan{.hash = reader.required("hash").as_string(),
                    .name = text_or_empty(reader, "name")};
  std::set<std::tuple<std::string, InstructionKind, std::int32_t>> known;
  for (const YamlValue& item : reader.required("passes").items()) {
    plan.instructions.push_back(read_instruction(item));
    const MeasuredInstruction& last = plan.instructions.back();
    if (!known.emplace(last.stage, last.kind, last.samples).second)
      item.fail(fmt::format("{} of stage '{}' on {} samples is there twice", to_text(last.kind),
                            last.stage, last.samples),
                "once");
  }
  reader.finish();
  return plan;
}

MeasuredTransfer read_transfer(const YamlValue& value) {
  MapReader reader(value, "a measured transfer");
  const YamlValue bytes = reader.required("bytes");
  MeasuredTransfer transfer{.size = bytes.as_bytes(), .time = read_measured(reader)};
  if (transfer.size == Bytes{}) bytes.fail("is no size to measure", "1 B or more");
  if (transfer.time.mean <= Seconds{0})
    reader.required("mean").fail("a message takes time", "more than 0 s");
  reader.finish();
  return transfer;
}

/// The entries of the list `key`, if it is there, each by `read`; `same` tells entries that may
/// not both be there.
template <class Entry, class Read, class Same>
std::vector<Entry> read_list(MapReader& reader, const std::string& key, const Read& read,
                             const Same& same) {
  std::vector<Entry> entries;
  const auto list = reader.optional(key);
  if (!list) return entries;
  std::set<decltype(same(std::declval<const Entry&>()))> known;
  for (const YamlValue& item : list->items()) {
    entries.push_back(read(item));
    if (!known.insert(same(entries.back())).second)
      item.fail("the same was measured above", "an entry once");
  }
  return entries;
}

void read_lists(MapReader& reader, CostFile& file) {
  file.operators = read_list<MeasuredOperator>(
      reader, "operators", read_operator,
      [](const MeasuredOperator& o) { return std::tuple(o.name, o.pass, o.samples); });
  file.plans = read_list<MeasuredPlan>(reader, "plans", read_plan,
                                       [](const MeasuredPlan& plan) { return plan.hash; });
  file.transfers =
      read_list<MeasuredTransfer>(reader, "transfers", read_transfer,
                                  [](const MeasuredTransfer& transfer) { return transfer.size; });
}

/// A file that was cut between two entries reads like a whole one.
void check_whole(const YamlValue& document, const CostFile& file) {
  const std::size_t found = entries_of(file);
  const auto said = document.find("entries");
  if (!said)
    document.fail(
        "has no 'entries', so that nothing tells whether it is whole",
        fmt::format("'entries: {}', the number of its operators, transfers, plans and their "
                    "passes, if that is all; or a file that pipegraph profile writes now",
                    found));
  if (said->as_integer(0, std::numeric_limits<std::int64_t>::max()) !=
      static_cast<std::int64_t>(found))
    said->fail(fmt::format("{} entries were written and {} are there: the file was cut or changed",
                           said->as_integer(), found),
               "the whole file, or the number of what it has");
}

std::vector<std::string> read_disturbed(MapReader& reader) {
  static const std::vector<std::string> k_names{"dispatch", "optimizer_bandwidth"};
  std::vector<std::string> disturbed;
  const auto list = reader.optional("disturbed");
  if (!list) return disturbed;
  for (const YamlValue& item : list->items()) disturbed.push_back(k_names[item.as_choice(k_names)]);
  return disturbed;
}

std::optional<Precision> read_precision(MapReader& reader) {
  const auto value = reader.optional("precision");
  return value ? std::optional(choice_of(*value, k_known_precisions)) : std::nullopt;
}

}  // namespace

CostFile read_cost_file(const YamlValue& document) {
  MapReader reader(document, "a cost file");
  const YamlValue format = reader.required("format");
  const YamlValue kind = reader.required("costs");
  if (format.as_integer() != k_cost_file_format)
    format.fail(fmt::format("format {} is not known", format.as_integer()),
                fmt::format("format: {}", k_cost_file_format));
  MapReader of(kind, "what the costs are of");
  CostFile file{.model = of.required("model").as_string(),
                .model_hash = text_or_empty(of, "model_hash"),
                .backend = of.required("backend").as_string(),
                .precision = read_precision(of),
                .version = text_or_empty(of, "version"),
                .date = text_or_empty(of, "date"),
                .machine = read_machine(reader.required("machine"))};
  of.finish();
  read_lists(reader, file);
  if (const auto dispatch = reader.optional("dispatch")) file.dispatch = dispatch->as_seconds();
  if (const auto bandwidth = reader.optional("optimizer_bandwidth"))
    file.optimizer_bandwidth = bandwidth->as_bytes_per_second();
  if (const auto overlap = reader.optional("overlap")) file.overlap = overlap->as_bool();
  file.disturbed = read_disturbed(reader);
  reader.optional("entries");
  reader.finish();
  check_whole(document, file);
  return file;
}

}  // namespace pipegraph
