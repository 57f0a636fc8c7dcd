#include "apps/cost_output.h"

#include "apps/profiling.h"

namespace pipegraph {

namespace fs = std::filesystem;

std::optional<CostFile> costs_to_merge_with(const fs::path& target, const CostFile& fresh) {
  std::error_code ignored;
  if (!fs::exists(target, ignored)) return std::nullopt;
  CostFile known = read_cost_file(YamlValue::load(target.string()));
  merged(known, fresh, target.string());  // for its errors
  return known;
}

}  // namespace pipegraph
