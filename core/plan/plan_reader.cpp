// Keys of a plan and of its stages. What a stage does not say, the plan says for all.
#include "core/plan/plan_reader.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "core/plan/operator_patterns.h"
#include "core/schedule/table.h"

namespace pipegraph {
namespace {

constexpr std::int64_t k_most_samples = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t k_most_slots = 1 << 20;
constexpr std::int64_t k_most_tensor_parallel = 1 << 16;

std::int32_t as_count(const YamlValue& value, std::int64_t least, std::int64_t most) {
  return static_cast<std::int32_t>(value.as_integer(least, most));
}

/// What holds for every stage that does not say otherwise.
struct StageDefaults {
  std::optional<YamlValue> micro_batch, k, in_flight, recompute, tensor_parallel;
};

StageDefaults read_defaults(MapReader& reader) {
  return {.micro_batch = reader.optional("micro_batch"),
          .k = reader.optional("k"),
          .in_flight = reader.optional("in_flight"),
          .recompute = reader.optional("recompute"),
          .tensor_parallel = reader.optional("tensor_parallel")};
}

class PlanReader {
 public:
  PlanReader(const YamlValue& value, const Workload& workload)
      : workload_(workload), reader_(value, "a plan") {}

  PlanReading read() {
    read_heading();
    read_stages();
    read_unused();
    if (const auto objective = reader_.optional("objective")) read_objective(*objective);
    if (const auto search = reader_.optional("search")) read_search(*search);
    reader_.finish();
    return std::move(result_);
  }

 private:
  void read_heading() {
    Plan& plan = result_.plan;
    if (const auto planner = reader_.optional("planner")) plan.planner = planner->as_string();
    const auto name = reader_.optional("name");
    plan.name = name ? name->as_string() : plan.planner;
    if (plan.name.empty()) (name ? *name : reader_.value()).fail("the name is empty", "a name");
    if (const auto kind = reader_.optional("kind"))
      plan.kind = static_cast<PlanKind>(kind->as_choice(std::vector<std::string>{
          std::string(to_text(PlanKind::Graph)), std::string(to_text(PlanKind::Sequential))}));
    if (const auto schedule = reader_.optional("schedule"))
      plan.schedule = read_schedule(*schedule);
    if (const auto extra = reader_.optional("extra_in_flight"))
      plan.extra_in_flight = extra->as_integer(0, k_most_samples);
    if (const auto skip = reader_.optional("skip_transfer"))
      plan.skip_transfer = static_cast<SkipTransfer>(skip->as_choice(std::vector<std::string>{
          std::string(to_text(SkipTransfer::Direct)), std::string(to_text(SkipTransfer::Relay))}));
    if (const auto slots = reader_.optional("receive_slots"))
      plan.receive_slots = as_count(*slots, 1, k_most_slots);
  }

  static std::string read_schedule(const YamlValue& value) {
    std::vector<std::string> names;
    for (const ScheduleEntry& entry : schedule_table()) names.emplace_back(entry.name);
    return names[value.as_choice(names)];
  }

  void read_stages() {
    const StageDefaults defaults = read_defaults(reader_);
    const YamlValue list = reader_.required("stages");
    const std::vector<YamlValue> items = list.items();
    if (items.empty()) list.fail("the plan has no stages", "at least one stage");
    std::vector<OperatorPattern> operators, recomputed;
    for (std::size_t i = 0; i < items.size(); ++i) {
      MapReader stage(items[i], "a stage");
      append_patterns(stage.required("operators"), i, operators);
      read_stage(stage, defaults, i);
      auto recompute = stage.optional("recompute");
      takes_list_.push_back(!recompute && defaults.recompute && defaults.recompute->is_sequence());
      if (!recompute && !takes_list_.back()) recompute = defaults.recompute;
      read_recompute(recompute, i, recomputed);
      stage.finish();
    }
    resolve(operators, recomputed);
    if (std::ranges::count(takes_list_, true) > 0) share_recomputed(*defaults.recompute);
    note_unused(items);
  }

  /// What the plan says for all stages, and no stage takes from it.
  void note_unused(const std::vector<YamlValue>& stages) {
    for (const char* key : {"micro_batch", "k", "in_flight", "recompute", "tensor_parallel"}) {
      const bool used = std::ranges::any_of(
          stages, [&](const YamlValue& stage) { return !stage.find(key).has_value(); });
      if (!used && reader_.has(key))
        result_.notes.push_back(
            fmt::format("'{}' of the plan changes nothing: every stage has its own", key));
    }
  }

  void read_stage(MapReader& reader, const StageDefaults& defaults, std::size_t index) {
    Stage stage;
    stage.position = reader.value().position();
    const auto name = reader.optional("name");
    stage.name = name ? name->as_string() : fmt::format("s{}", index);
    check_name(name ? *name : reader.value(), stage.name);
    const auto own_or = [&](const char* key, const std::optional<YamlValue>& common) {
      auto own = reader.optional(key);
      return own ? own : common;
    };
    const auto micro_batch = own_or("micro_batch", defaults.micro_batch);
    if (!micro_batch)
      reader.value().fail("neither the stage nor the plan has a micro_batch",
                          "micro_batch: a number of samples");
    stage.micro_batch = read_micro_batch(*micro_batch);
    if (const auto k = own_or("k", defaults.k)) stage.k = as_count(*k, 1, k_most_slots);
    if (const auto in_flight = own_or("in_flight", defaults.in_flight))
      stage.in_flight = in_flight->as_integer(1, k_most_samples);
    if (const auto ways = own_or("tensor_parallel", defaults.tensor_parallel))
      stage.tensor_parallel = as_count(*ways, 1, k_most_tensor_parallel);
    read_devices(reader.optional("devices"), reader.value(), index, stage);
    result_.plan.stages.push_back(std::move(stage));
  }

  void check_name(const YamlValue& at, const std::string& name) const {
    if (name.empty()) at.fail("the name is empty", "a name");
    for (const Stage& other : result_.plan.stages)
      if (other.name == name)
        at.fail(fmt::format("stage '{}' is there twice", name), "every name once");
  }

  std::int32_t read_micro_batch(const YamlValue& value) {
    const std::int32_t samples = as_count(value, 1, k_most_samples);
    const std::int32_t mini_batch = workload_.training.mini_batch;
    if (samples <= mini_batch) return samples;
    std::string note = fmt::format("micro_batch {} is clipped to the mini-batch of {} samples",
                                   samples, mini_batch);
    if (std::find(result_.notes.begin(), result_.notes.end(), note) == result_.notes.end())
      result_.notes.push_back(std::move(note));
    return mini_batch;
  }

  DeviceId read_device(const YamlValue& value) const {
    const auto count = static_cast<std::int64_t>(workload_.topology->size());
    const std::int64_t device = value.as_integer();
    if (device < 0 || device >= count)
      value.fail(fmt::format("the cluster has no device {}", device),
                 fmt::format("a device from 0 to {}", count - 1));
    return make_id<DeviceId>(static_cast<std::size_t>(device));
  }

  void read_devices(const std::optional<YamlValue>& devices, const YamlValue& stage,
                    std::size_t index, Stage& result) const {
    if (devices) {
      for (const YamlValue& device : devices->items())
        result.devices.push_back(read_device(device));
      if (result.devices.empty()) devices->fail("the stage has no devices", "at least one device");
      return;
    }
    if (index >= workload_.topology->size())
      stage.fail(fmt::format("the stage has no devices, and the cluster no device {}", index),
                 "'devices', or at most as many stages as devices");
    result.devices = {make_id<DeviceId>(index)};
  }

  static void append_patterns(const YamlValue& list, std::size_t stage,
                              std::vector<OperatorPattern>& patterns) {
    for (const YamlValue& item : list.items())
      patterns.push_back({.list = stage, .text = item.as_string(), .position = item.position()});
  }

  /// `all` and `none` are kept for resolve(), which knows the stage's operators.
  void read_recompute(const std::optional<YamlValue>& value, std::size_t stage,
                      std::vector<OperatorPattern>& patterns) {
    recompute_all_.push_back(false);
    if (!value) return;
    if (value->is_sequence()) {
      append_patterns(*value, stage, patterns);
      return;
    }
    const std::vector<std::string> words{"none", "all"};
    if (!value->is_scalar())
      value->fail("is neither a word nor a list", "none, all or a list of operators");
    recompute_all_.back() = value->as_choice(words) == 1;
  }

  void resolve(const std::vector<OperatorPattern>& operators,
               const std::vector<OperatorPattern>& recomputed) {
    std::vector<Stage>& stages = result_.plan.stages;
    const auto by_stage = resolve_operators(*workload_.graph, operators, stages.size());
    const auto again = resolve_operators(*workload_.graph, recomputed, stages.size());
    for (std::size_t i = 0; i < stages.size(); ++i) {
      stages[i].operators = by_stage[i];
      stages[i].recompute = recompute_all_[i] ? by_stage[i] : again[i];
    }
  }

  /// Gives each stage without a word of its own what it holds of the plan's list.
  void share_recomputed(const YamlValue& list) {
    std::vector<OperatorPattern> patterns;
    append_patterns(list, 0, patterns);
    const std::vector<OperatorId> all = resolve_operators(*workload_.graph, patterns, 1).front();
    for (std::size_t i = 0; i < takes_list_.size(); ++i) {
      Stage& stage = result_.plan.stages[i];
      if (!takes_list_[i]) continue;
      std::ranges::set_intersection(all, stage.operators, std::back_inserter(stage.recompute));
    }
  }

  void read_unused() {
    std::vector<DeviceId>& unused = result_.plan.unused_devices;
    if (const auto list = reader_.optional("unused_devices")) {
      for (const YamlValue& device : list->items()) unused.push_back(read_device(device));
      return;
    }
    std::vector<bool> used(workload_.topology->size());
    for (const Stage& stage : result_.plan.stages)
      for (const DeviceId device : stage.devices) used[device.index()] = true;
    for (std::size_t i = 0; i < used.size(); ++i)
      if (!used[i]) unused.push_back(make_id<DeviceId>(i));
  }

  void read_objective(const YamlValue& value) {
    MapReader reader(value, "an objective");
    Objective objective;
    objective.name = reader.required("name").as_string();
    const YamlValue number = reader.required("value");
    objective.value = number.type() == YamlValue::Type::Null
                          ? std::numeric_limits<double>::infinity()
                          : number.as_double();
    reader.finish();
    result_.plan.objective = std::move(objective);
  }

  void read_search(const YamlValue& value) {
    MapReader reader(value, "a search");
    SearchReport search;
    const auto count = [&](const char* key) -> std::uint64_t {
      const auto number = reader.optional(key);
      if (!number) return 0;
      return static_cast<std::uint64_t>(
          number->as_integer(0, std::numeric_limits<std::int64_t>::max()));
    };
    if (const auto time = reader.optional("time")) search.time = time->as_seconds();
    if (const auto bound = reader.optional("lower_bound_s"))
      search.lower_bound_s = bound->as_double();
    if (const auto gap = reader.optional("gap")) search.gap = gap->as_double();
    if (const auto exact = reader.optional("exact")) search.exact = exact->as_bool();
    search.states = count("states");
    search.cuts = count("cuts");
    search.probes = count("probes");
    if (const auto family = reader.optional("family")) search.family = family->as_string();
    if (const auto truncated = reader.optional("truncated"))
      search.truncated = truncated->as_bool();
    if (const auto notes = reader.optional("notes"))
      for (const YamlValue& note : notes->items()) search.notes.push_back(note.as_string());
    reader.finish();
    result_.plan.search = std::move(search);
  }

  const Workload& workload_;
  MapReader reader_;
  PlanReading result_;
  std::vector<bool> recompute_all_;  ///< by stage
  std::vector<bool> takes_list_;     ///< by stage: recomputes what it holds of the plan's list
};

}  // namespace

PlanReading read_plan(const YamlValue& value, const Workload& workload) {
  return PlanReader(value, workload).read();
}

}  // namespace pipegraph
