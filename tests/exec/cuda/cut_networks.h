// The small networks that plans on the stand-in train, each with names to cut it before.
#pragma once

#include <algorithm>

#include "core/base/errors.h"
#include "tests/exec/numerics/small_networks.h"

namespace pipegraph::test {

struct CutNetwork {
  std::string name;
  ComputationGraph (*make)(Precision);
  std::vector<std::string> cuts;

  ComputationGraph graph(Precision precision = Precision::Fp32) const { return make(precision); }
};

inline const std::vector<CutNetwork>& cut_networks() {
  static const std::vector<CutNetwork> k_networks{
      {"chain", dense_chain, {"fc1", "fc2", "fc3"}},
      {"diamond", diamond_network, {"left", "right", "sum"}},
      {"skips", skipping_network, {"fc1", "fc2", "fc3", "join"}},
      {"tied", tied_network, {"norm", "head"}},
      {"transformer", transformer_network, {"attention", "add", "narrow"}},
      {"half_gradient", half_gradient_network, {"join", "head"}},
      {"two_losses", two_losses_network, {"first", "second"}},
      {"recommendation", recommendation_network, {"bottom", "bag", "dots", "top"}}};
  return k_networks;
}

inline const CutNetwork& cut_network(const std::string& name) {
  const auto found = std::ranges::find(cut_networks(), name, &CutNetwork::name);
  check(found != cut_networks().end(), "there is a network of that name");
  return *found;
}

}  // namespace pipegraph::test
