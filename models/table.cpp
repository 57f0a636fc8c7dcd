#include "models/table.h"

#include <fmt/format.h>

#include "core/base/errors.h"
#include "core/base/nearest.h"
#include "models/candle_uno.h"
#include "models/dlrm.h"
#include "models/gpt.h"
#include "models/mlp.h"
#include "models/multimodal_transformer.h"
#include "models/towers.h"
#include "models/two_branch_transformer.h"

namespace pipegraph {

namespace {

template <class Entry>
std::vector<std::string> names_of(const std::vector<Entry>& entries) {
  std::vector<std::string> names;
  for (const Entry& entry : entries) names.push_back(entry.name);
  return names;
}

void replace_value(const Family& family, ParameterValues& values, const std::string& name,
                   std::int64_t value) {
  for (const FamilyParameter& parameter : family.parameters) {
    if (parameter.name != name) continue;
    if (value < parameter.least || value > parameter.most)
      throw ConfigError({}, fmt::format("{} of {} is {}", name, family.name, value),
                        fmt::format("{} to {}", parameter.least, parameter.most));
    values[name] = value;
    return;
  }
  throw ConfigError({}, fmt::format("{} has no parameter '{}'", family.name, name),
                    expected_one_of(name, names_of(family.parameters)));
}

}  // namespace

const std::vector<Family>& families() {
  static const std::vector<Family> k_families{multimodal_transformer(),
                                              two_branch_transformer(),
                                              dlrm(),
                                              candle_uno(),
                                              gpt(),
                                              mlp(),
                                              towers()};
  return k_families;
}

const Family* find_family(std::string_view name) {
  for (const Family& family : families())
    if (family.name == name) return &family;
  return nullptr;
}

ComputationGraph build_family(const std::string& family, const ParameterValues& values,
                              Precision precision) {
  const Family* found = find_family(family);
  if (found == nullptr)
    throw ConfigError({}, fmt::format("there is no model family '{}'", family),
                      expected_one_of(family, names_of(families())));
  ParameterValues all;
  for (const FamilyParameter& parameter : found->parameters)
    all[parameter.name] = parameter.fallback;
  for (const auto& [name, value] : values) replace_value(*found, all, name, value);
  return found->build({family, precision, {}, std::move(all)});
}

}  // namespace pipegraph
