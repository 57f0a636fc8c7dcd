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

std::size_t entries_of(const CostFile& file) {
  std::size_t count = file.operators.size() + file.transfers.size() + file.plans.size();
  for (const MeasuredPlan& plan : file.plans) count += plan.instructions.size();
  return count;
}

std::size_t disturbed_entries_of(const CostFile& file) {
  const auto disturbed = [](const auto& entries) {
    return static_cast<std::size_t>(
        std::ranges::count_if(entries, [](const auto& entry) { return entry.time.disturbed; }));
  };
  std::size_t count = file.disturbed.size() + disturbed(file.operators) + disturbed(file.transfers);
  for (const MeasuredPlan& plan : file.plans) count += disturbed(plan.instructions);
  return count;
}

bool same_arithmetic(const CostFile& file, Precision wanted) {
  const auto arithmetic = [&](Precision precision) {
    if (precision != Precision::Fp32Tensor) return precision;
    if (file.backend == "cpu") return Precision::Fp32;
    return file.backend == "cuda" ? Precision::Tf32 : precision;
  };
  return arithmetic(file.precision.value_or(Precision::Fp32)) == arithmetic(wanted);
}

const MeasuredPlan* find_plan(const CostFile& file, const std::string& hash) {
  const auto found = std::ranges::find(file.plans, hash, &MeasuredPlan::hash);
  return found == file.plans.end() ? nullptr : &*found;
}

}  // namespace pipegraph
