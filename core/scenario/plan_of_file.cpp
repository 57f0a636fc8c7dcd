#include "core/scenario/plan_of_file.h"

#include <array>
#include <string>
#include <vector>

#include "core/plan/plan_file.h"

namespace pipegraph {
namespace {

constexpr std::array k_of_the_plan{"kind", "schedule", "extra_in_flight", "skip_transfer",
                                   "receive_slots"};
constexpr std::array k_of_its_stages{"micro_batch", "k", "in_flight", "recompute"};

YamlValue without_key(const YamlValue& map, const std::string& key) {
  return map.find(key) ? map.without(key) : map;
}

YamlValue without_key_of_stages(YamlValue plan, const std::string& key) {
  const auto stages = plan.find("stages");
  if (!stages || !stages->is_sequence()) return plan;
  const std::vector<YamlValue> items = stages->items();
  for (std::size_t i = 0; i < items.size(); ++i)
    if (items[i].is_map() && items[i].find(key))
      plan = plan.with(fmt::format("stages[{}]", i), items[i].without(key), "plans");
  return plan;
}

bool same_text(const std::optional<YamlValue>& a, const YamlValue& b) {
  return a && a->is_scalar() && b.is_scalar() && a->as_string() == b.as_string();
}

YamlValue without_choices_of_schedule(YamlValue plan) {
  for (const std::string key : {"k", "in_flight"})
    plan = without_key(without_key_of_stages(std::move(plan), key), key);
  return without_key(plan, "extra_in_flight");
}

YamlValue own_plan(const YamlValue& file) {
  const YamlValue document = file.load_named();
  if (!is_plan_document(document))
    file.fail("is not a plan file", "a file with the keys format, model, cluster, training, plan");
  YamlValue plan = read_plan_document(document).plan;
  if (!plan.is_map()) plan.fail("is not a map", "a plan as a map of keys");
  return plan;
}

}  // namespace

YamlValue plan_of_file(const YamlValue& value) {
  MapReader reader(value, "a plan of a file");
  YamlValue plan = own_plan(reader.required("file"));
  reader.optional("name");
  bool changed = false;
  const auto replace = [&](const std::string& key, const YamlValue& by) {
    plan = plan.with(key, by, "plans");
    changed = true;
  };
  if (const auto schedule = reader.optional("schedule"))
    if (!same_text(plan.find("schedule"), *schedule)) plan = without_choices_of_schedule(plan);
  for (const std::string key : k_of_the_plan)
    if (const auto given = reader.optional(key)) replace(key, *given);
  for (const std::string key : k_of_its_stages)
    if (const auto given = reader.optional(key)) {
      plan = without_key_of_stages(std::move(plan), key);
      replace(key, *given);
    }
  reader.finish();
  return changed ? without_key(without_key(plan, "objective"), "search") : plan;
}

}  // namespace pipegraph
