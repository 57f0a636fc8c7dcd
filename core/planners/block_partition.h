// A chain cut into blocks so that the largest block is as small as can be.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace pipegraph {

/// Ends (one past the last position) of `blocks` contiguous, non-empty blocks of `weights` (each
/// >= 0) whose largest sum is the least possible; 1 <= blocks <= weights.size(). Time: blocks times
/// weights, times a logarithm; with many of both by bisection, where cuts among equals differ.
std::vector<std::size_t> block_partition(std::span<const double> weights, std::size_t blocks);

/// The same with equal numbers: block i ends at floor((i + 1) n / blocks).
std::vector<std::size_t> equal_partition(std::size_t count, std::size_t blocks);

}  // namespace pipegraph
