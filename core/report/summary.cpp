#include "core/report/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <variant>

namespace pipegraph {
namespace {

using Json = nlohmann::ordered_json;

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}
Json or_null(const std::optional<Seconds>& value) { return value ? Json(value->count()) : Json(); }
Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }
/// Infinity has no number in JSON.
Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(); }

void add_metrics(const std::optional<Metrics>& metrics, Json& json) {
  const auto put = [&](const char* key, double Metrics::*member) {
    json[key] = metrics ? finite((*metrics).*member) : Json();
  };
  json["iteration_time_s"] = metrics ? finite(metrics->iteration_time.count()) : Json();
  put("throughput_samples_per_s", &Metrics::throughput_samples_per_s);
  put("bubble_fraction", &Metrics::bubble_fraction);
  put("bubble_overhead", &Metrics::bubble_overhead);
}

Json times_json(const std::optional<Metrics>& metrics, Seconds DeviceTimes::*member) {
  if (!metrics || metrics->devices.empty()) return nullptr;
  Json list = Json::array();
  for (const DeviceTimes& times : metrics->devices) list.push_back((times.*member).count());
  return list;
}

void add_shape(const std::optional<PlanShape>& shape, Json& json) {
  json["depth"] = shape ? Json(shape->depth) : Json();
  json["stages"] = shape ? Json(shape->stages) : Json();
  json["devices"] = shape ? Json(shape->devices) : Json();
  json["micro_batch_samples"] = shape ? or_null(shape->micro_batch_samples) : Json();
  json["in_flight_samples"] = shape ? Json(shape->in_flight_samples) : Json();
}

Json peaks_json(const std::vector<Bytes>& peaks) {
  if (peaks.empty()) return nullptr;
  Json list = Json::array();
  for (Bytes peak : peaks) list.push_back(peak.count);
  return list;
}

Json unused_json(const std::optional<PlanShape>& shape) {
  if (!shape) return nullptr;
  Json list = Json::array();
  for (DeviceId device : shape->unused_devices) list.push_back(device.value);
  return list;
}

Json search_json(const std::optional<SearchReport>& search) {
  if (!search) return nullptr;
  return {{"lower_bound_s", or_null(search->lower_bound_s)},
          {"gap", or_null(search->gap)},
          {"exact", search->exact},
          {"states", search->states},
          {"cuts", search->cuts},
          {"probes", search->probes},
          {"family", or_null(search->family)},
          {"truncated", search->truncated}};
}

Json objective_json(const std::optional<Objective>& objective) {
  if (!objective) return nullptr;
  return {{"name", objective->name}, {"value", finite(objective->value)}};
}

Json quartiles_json(const std::optional<Quartiles>& times) {
  if (!times) return nullptr;
  return {{"lower_quartile_s", finite(times->lower.count())},
          {"median_s", finite(times->median.count())},
          {"upper_quartile_s", finite(times->upper.count())}};
}

Json measured_json(const std::optional<MeasuredTimes>& measured) {
  if (!measured) return nullptr;
  return {{"steps", measured->steps},
          {"untraced", quartiles_json(measured->untraced)},
          {"traced", quartiles_json(measured->traced)},
          {"discarded", measured->discarded},
          {"disturbed", measured->disturbance.empty() ? Json() : Json(measured->disturbed)},
          {"disturbance", or_null(measured->disturbance)},
          {"no_verdict", or_null(measured->no_verdict)},
          {"clock_bound_s", or_null(measured->clock_bound)},
          {"times_from", or_null(measured->source)}};
}

Json plan_json(const PlanResult& plan) {
  Json json{{"name", plan.name},
            {"planner", plan.planner},
            {"kind", to_text(plan.kind)},
            {"status", to_text(plan.status)},
            {"reason", or_null(plan.reason)},
            {"fits", or_null(plan.fits)}};
  add_metrics(plan.metrics, json);
  add_shape(plan.shape, json);
  json["peak_memory_bytes"] = peaks_json(plan.peak_memory);
  json["compute_s"] = times_json(plan.metrics, &DeviceTimes::compute);
  json["exposed_communication_s"] = times_json(plan.metrics, &DeviceTimes::exposed_communication);
  json["idle_s"] = times_json(plan.metrics, &DeviceTimes::idle);
  json["search_time_s"] = plan.search ? Json(plan.search->time.count()) : Json();
  json["search"] = search_json(plan.search);
  json["unused_devices"] = unused_json(plan.shape);
  json["transfer_time_s"] = or_null(plan.transfer_time);
  json["objective"] = objective_json(plan.objective);
  json["busiest_device_s_per_sample"] = or_null(plan.busiest_device);
  json["program_hash"] = or_null(plan.program_hash);
  json["costs"] = or_null(plan.costs);
  json["backend"] = or_null(plan.backend);
  json["oversubscribed"] = or_null(plan.oversubscribed);
  json["instructions"] = or_null(plan.instructions);
  json["simulation_time_s"] = or_null(plan.simulation_time);
  json["measured"] = measured_json(plan.measured);
  return json;
}

Json point_json(const PointResult& result) {
  Json point = Json::object();
  for (const auto& [key, value] : result.point)
    point[key] = std::visit([](const auto& held) { return Json(held); }, value);
  Json plans = Json::array();
  for (const PlanResult& plan : result.plans) plans.push_back(plan_json(plan));
  return {{"point", point}, {"plans", plans}};
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text)
    quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return quoted + "\"";
}

std::string csv_field(const Json& value) {
  if (value.is_null()) return {};
  return csv_field(value.is_string() ? value.get<std::string>() : value.dump());
}

using Row = std::vector<std::pair<std::string, std::string>>;

/// The columns of a plan's entry: nested maps flattened, lists of numbers by their largest value,
/// ids by how many there are.
void add_columns(const Json& entry, const std::string& prefix, Row& row) {
  for (const auto& [key, value] : entry.items()) {
    if (value.is_object()) {
      add_columns(value, fmt::format("{}{}_", prefix, key), row);
    } else if (key == "unused_devices") {
      row.emplace_back(prefix + key, value.is_array() ? fmt::to_string(value.size()) : "");
    } else if (value.is_array()) {
      const auto largest = std::ranges::max_element(value);
      row.emplace_back("max_" + prefix + key,
                       largest == value.end() ? std::string() : csv_field(*largest));
    } else {
      row.emplace_back(prefix + key, csv_field(value));
    }
  }
}

/// A plan with a value in every place, so that all rows have the columns of this one.
PlanResult full_plan() {
  PlanResult plan;
  plan.shape.emplace();
  plan.metrics.emplace().devices.emplace_back();
  plan.peak_memory.emplace_back();
  plan.search.emplace();
  plan.objective.emplace();
  plan.measured.emplace().traced.emplace();
  return plan;
}

std::string find_column(const Row& row, const std::string& name) {
  const auto found = std::ranges::find(row, name, &Row::value_type::first);
  return found == row.end() ? std::string() : found->second;
}

}  // namespace

std::string summary_json(const std::string& scenario, const std::vector<PointResult>& points) {
  Json list = Json::array();
  for (const PointResult& point : points) list.push_back(point_json(point));
  const Json json{{"format", 1}, {"scenario", scenario}, {"points", list}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string results_csv(const std::vector<PointResult>& points) {
  Row columns;
  if (!points.empty())
    for (const auto& [key, value] : points.front().point) columns.emplace_back(key, "");
  add_columns(plan_json(full_plan()), "", columns);
  std::string text;
  for (const auto& [name, value] : columns) text += (text.empty() ? "" : ",") + csv_field(name);
  text += "\n";
  for (const PointResult& point : points) {
    const Json keys = point_json(point)["point"];
    for (const PlanResult& plan : point.plans) {
      Row row;
      for (const auto& [key, value] : keys.items()) row.emplace_back(key, csv_field(value));
      add_columns(plan_json(plan), "", row);
      std::string line;
      for (const auto& [name, ignored] : columns)
        line += (&name == &columns.front().first ? "" : ",") + find_column(row, name);
      text += line + "\n";
    }
  }
  return text;
}

}  // namespace pipegraph
