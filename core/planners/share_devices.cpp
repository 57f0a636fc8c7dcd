#include "core/planners/share_devices.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

/// Work in units of one device's fair share.
std::vector<double> quotas(std::span<const Branch> branches, std::size_t devices) {
  double total = 0;
  for (const Branch& branch : branches) total += branch.work;
  std::vector<double> result;
  for (const Branch& branch : branches) {
    const double part =
        total > 0 ? branch.work / total : 1.0 / static_cast<double>(branches.size());
    result.push_back(part * static_cast<double>(devices));
  }
  return result;
}

}  // namespace

std::vector<std::size_t> share_devices(std::span<const Branch> branches, std::size_t devices) {
  check(!branches.empty() && branches.size() <= devices, "a device for every branch");
  const std::vector<double> quota = quotas(branches, devices);
  std::vector<std::size_t> count;
  for (std::size_t i = 0; i < branches.size(); ++i)
    count.push_back(
        std::clamp<std::size_t>(static_cast<std::size_t>(quota[i]), 1, branches[i].most));

  const auto remainder = [&](std::size_t i) { return quota[i] - static_cast<double>(count[i]); };
  std::size_t used = std::accumulate(count.begin(), count.end(), std::size_t{0});
  for (; used > devices; --used) {  // some got one though their share is less
    std::size_t richest = count.size();
    for (std::size_t i = 0; i < count.size(); ++i)
      if (count[i] > 1 && (richest == count.size() || remainder(i) < remainder(richest)))
        richest = i;
    --count[richest];
  }
  for (; used < devices; ++used) {
    std::size_t neediest = count.size();
    for (std::size_t i = 0; i < count.size(); ++i)
      if (count[i] < branches[i].most &&
          (neediest == count.size() || remainder(i) > remainder(neediest)))
        neediest = i;
    if (neediest == count.size()) break;
    ++count[neediest];
  }
  return count;
}

std::vector<std::size_t> group_longest_first(std::span<const double> work, std::size_t groups) {
  check(groups >= 1 && groups <= work.size(), "no group is empty");
  std::vector<std::size_t> order(work.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return work[a] > work[b]; });
  std::vector<double> load(groups, 0.0);
  std::vector<std::size_t> members(groups, 0);
  std::vector<std::size_t> group(work.size());
  for (const std::size_t branch : order) {
    std::size_t least = 0;
    for (std::size_t g = 1; g < groups; ++g)
      if (load[g] < load[least] || (load[g] == load[least] && members[g] < members[least]))
        least = g;
    group[branch] = least;
    load[least] += work[branch];
    ++members[least];
  }
  return group;
}

}  // namespace pipegraph
