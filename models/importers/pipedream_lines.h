// The lines of a PipeDream profile, each with its place, before they become a graph:
//   node7 -- LSTM(2048, 1024) -- forward_compute_time=3.19, ..., activation_size=[6.0; 1.0], ...
//   <tab>node6 -- node7
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/errors.h"

namespace pipegraph {

struct ProfiledNode {
  std::string id;
  std::string description;
  double forward_ms = 0.0;
  double backward_ms = 0.0;
  double activation_bytes = 0.0;  ///< of all its outputs
  double parameter_bytes = 0.0;
  SourcePosition position;
};

struct ProfiledEdge {
  std::string from;
  std::string to;
  SourcePosition position;
};

struct ProfiledLines {
  std::vector<ProfiledNode> nodes;
  std::vector<ProfiledEdge> edges;
};

/// Errors: ConfigError with line and column in `file` for a line of another form, a missing,
/// repeated or unknown field, and a number that is none, negative or beyond reason.
ProfiledLines read_profiled_lines(std::string_view text, const std::string& file);

}  // namespace pipegraph
