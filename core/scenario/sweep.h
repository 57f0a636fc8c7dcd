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

/// Makes each point when it is asked for: a long sweep begins at once and takes no memory.
class Sweep {
 public:
  /// A document without `sweep` is one point without settings. Errors: ConfigError for an empty
  /// list, lists of a zip that differ in length, a path given twice, a path or value that the
  /// document cannot take, more than k_most_sweep_points points.
  explicit Sweep(const YamlValue& document);
  /// Of this point alone.
  explicit Sweep(SweepPoint only);

  std::size_t size() const { return size_; }
  /// Without settings.
  bool empty() const { return axes_.empty() && settings_.empty(); }
  /// Errors: ConfigError for values that the document takes one by one but not together.
  SweepPoint point(std::size_t index) const;

 private:
  /// Keys that advance together: one of the product, or all of a zip.
  struct Axis {
    std::vector<std::string> paths;
    std::vector<std::vector<YamlValue>> values;  ///< by path, then position
    std::size_t length() const { return values.front().size(); }
  };
  static Axis read_zip(const YamlValue& map);
  void append_axes(const YamlValue& sweep, const std::string& key);
  void check_paths(const YamlValue& sweep) const;
  void count_points(const YamlValue& sweep);
  void try_every_value() const;

  YamlValue base_;
  std::vector<std::pair<std::string, YamlValue>> settings_;  ///< already in `base_`
  std::vector<Axis> axes_;
  std::size_t size_ = 1;
};

/// Dotted paths the document sweeps; empty if it has no well-formed sweep.
std::vector<std::string> swept_paths(const YamlValue& document);

}  // namespace pipegraph
