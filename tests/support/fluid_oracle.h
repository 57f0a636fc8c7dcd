// Max-min fair sharing the plain way, as an oracle for small sets of flows: at every moment all
// rates grow together until a link is full, whose flows then keep their rate; repeated for the
// rest. Bertsekas and Gallager, Data Networks, 6.5.2.
#pragma once

#include <vector>

namespace pipegraph::test {

struct FluidFlow {
  double start = 0.0;  ///< when its bytes begin to move
  double bytes = 0.0;
  std::vector<int> links;  ///< without repetition, not empty
};

/// When each flow ends; `bandwidth` by link, bytes per second.
std::vector<double> fluid_ends(const std::vector<FluidFlow>& flows,
                               const std::vector<double>& bandwidth);

}  // namespace pipegraph::test
