#include "models/model_reader.h"

#include <fmt/format.h>

#include "core/base/errors.h"
#include "core/base/nearest.h"
#include "models/importers/import_table.h"
#include "models/operator_list.h"
#include "models/table.h"

namespace pipegraph {

namespace {

constexpr int k_most_nested_files = 8;

/// The map with all `file` keys followed.
YamlValue follow_files(const YamlValue& value, int depth) {
  const auto file = value.is_map() ? value.find("file") : std::nullopt;
  if (!file || value.find("import")) return value;
  if (depth == k_most_nested_files)
    file->fail(fmt::format("model files name each other more than {} times", k_most_nested_files),
               "a file with a family or operators");
  const YamlValue base = file->load_named();
  if (!base.is_map()) base.fail("not a model", "a map with 'family', 'operators' or 'import'");
  return follow_files(base, depth + 1).merged_with(value.without("file"));
}

std::int64_t read_parameter(const YamlValue& value, const FamilyParameter& parameter) {
  if (parameter.is_flag()) return value.as_bool() ? 1 : 0;
  if (parameter.is_choice()) return static_cast<std::int64_t>(value.as_choice(parameter.choices));
  return value.as_integer(parameter.least, parameter.most);
}

ComputationGraph read_family(MapReader& reader, const std::string& name, Precision precision) {
  const YamlValue key = reader.required("family");
  std::vector<std::string> names;
  for (const Family& family : families()) names.push_back(family.name);
  const Family& family = families()[key.as_choice(names)];

  ParameterValues values;
  for (const FamilyParameter& parameter : family.parameters) {
    const auto given = reader.optional(parameter.name);
    values[parameter.name] = given ? read_parameter(*given, parameter) : parameter.fallback;
  }
  reader.finish();
  return family.build(
      {name.empty() ? family.name : name, precision, reader.value().position(), std::move(values)});
}

}  // namespace

ComputationGraph read_model(const YamlValue& value, Precision precision) {
  MapReader reader(follow_files(value, 0), "a model");
  if (reader.optional("import")) return read_import(reader);
  const auto given_name = reader.optional("name");
  const std::string name = given_name ? given_name->as_string() : "";
  const auto operators = reader.optional("operators");
  if (reader.optional("family")) {
    if (operators) operators->fail("'operators' beside 'family'", "one of them");
    return read_family(reader, name, precision);
  }
  reader.finish();
  if (!operators)
    value.fail("a model without 'family', 'file', 'import' or 'operators'", "one of them");
  return read_operator_list(*operators, name.empty() ? "model" : name);
}

}  // namespace pipegraph
