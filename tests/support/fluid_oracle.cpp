#include "tests/support/fluid_oracle.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace pipegraph::test {
namespace {

constexpr double k_never = std::numeric_limits<double>::infinity();

/// Rates of the flows that `moves`.
std::vector<double> fair_rates(const std::vector<FluidFlow>& flows,
                               const std::vector<double>& bandwidth,
                               const std::vector<bool>& moves) {
  std::vector<double> rate(flows.size(), 0.0);
  std::vector<bool> open = moves;
  for (;;) {
    std::vector<double> left = bandwidth;
    std::vector<int> growing(bandwidth.size(), 0);
    for (std::size_t f = 0; f < flows.size(); ++f) {
      if (!moves[f]) continue;
      for (int link : flows[f].links) {
        if (open[f]) {
          ++growing[static_cast<std::size_t>(link)];
        } else {
          left[static_cast<std::size_t>(link)] -= rate[f];
        }
      }
    }
    double share = k_never;
    std::size_t fullest = 0;
    for (std::size_t link = 0; link < bandwidth.size(); ++link) {
      if (growing[link] > 0 && left[link] / growing[link] < share) {
        share = left[link] / growing[link];
        fullest = link;
      }
    }
    if (share == k_never) return rate;
    for (std::size_t f = 0; f < flows.size(); ++f) {
      if (!open[f] || std::ranges::count(flows[f].links, static_cast<int>(fullest)) == 0) continue;
      rate[f] = share;
      open[f] = false;
    }
  }
}

}  // namespace

std::vector<double> fluid_ends(const std::vector<FluidFlow>& flows,
                               const std::vector<double>& bandwidth) {
  std::vector<double> ends(flows.size(), k_never);
  std::vector<double> left(flows.size());
  for (std::size_t f = 0; f < flows.size(); ++f) left[f] = flows[f].bytes;
  double now = 0.0;
  for (;;) {
    std::vector<bool> moves(flows.size());
    for (std::size_t f = 0; f < flows.size(); ++f)
      moves[f] = flows[f].start <= now && ends[f] == k_never;
    const std::vector<double> rate = fair_rates(flows, bandwidth, moves);
    double next = k_never;
    for (std::size_t f = 0; f < flows.size(); ++f) {
      if (moves[f]) next = std::min(next, now + left[f] / rate[f]);
      if (flows[f].start > now) next = std::min(next, flows[f].start);
    }
    if (next == k_never) return ends;
    for (std::size_t f = 0; f < flows.size(); ++f) {
      if (!moves[f]) continue;
      const bool is_over = now + left[f] / rate[f] <= next;
      left[f] -= rate[f] * (next - now);
      if (is_over) ends[f] = next;
    }
    now = next;
  }
}

}  // namespace pipegraph::test
