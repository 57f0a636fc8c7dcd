#include "core/profile/cost_file.h"

#include <algorithm>

namespace pipegraph {

std::optional<TransferTable> transfer_table(const CostFile& file) {
  if (file.transfers.empty()) return std::nullopt;
  std::vector<TransferTable::Point> points;
  for (const MeasuredTransfer& transfer : file.transfers)
    points.push_back({transfer.size, transfer.time.mean});
  return TransferTable(std::move(points));
}

const MeasuredPlan* find_plan(const CostFile& file, const std::string& hash) {
  const auto found = std::ranges::find(file.plans, hash, &MeasuredPlan::hash);
  return found == file.plans.end() ? nullptr : &*found;
}

}  // namespace pipegraph
