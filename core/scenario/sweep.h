// A scenario's `sweep:` as the list of its points. The keys' values combine as a Cartesian product,
// the last key varying fastest; the keys of a `zip:` advance together and count as one key.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/yaml_reader.h"

namespace pipegraph {

inline constexpr std::size_t k_most_sweep_points = 1'000'000;

struct SweepPoint {
  /// Dotted paths and values, in the order of the sweep; empty without one.
  std::vector<std::pair<std::string, YamlValue>> settings;
  YamlValue document;  ///< the scenario at this point, without `sweep`
};

/// Errors: ConfigError for an empty list, lists of a zip that differ in length, a path given twice
/// or leading nowhere, more than k_most_sweep_points points.
std::vector<SweepPoint> expand_sweep(const YamlValue& document);

/// Dotted paths the document sweeps; empty if it has no well-formed sweep.
std::vector<std::string> swept_paths(const YamlValue& document);

}  // namespace pipegraph
