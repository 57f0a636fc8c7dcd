// Devices for branches in proportion to their work, and branches for devices where these are fewer.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace pipegraph {

struct Branch {
  double work = 0.0;
  std::size_t most = 1;  ///< devices it can use; at least 1
};

/// Devices of each branch: in proportion to work, at least one, at most `most`, largest remainder
/// first, ties to the first. Sums to `devices` where the branches can use them all. There must be
/// at least as many devices as branches.
std::vector<std::size_t> share_devices(std::span<const Branch> branches, std::size_t devices);

/// Group of each branch: the longest branch first, each to the group with the least work so far;
/// ties to the first. 1 <= groups <= work.size().
std::vector<std::size_t> group_longest_first(std::span<const double> work, std::size_t groups);

}  // namespace pipegraph
