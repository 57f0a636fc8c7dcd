// How a point of a sweep is written in tables and before messages.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/report/plan_result.h"

namespace pipegraph {

/// The value of each swept key; of a file's path the file's name.
std::vector<std::string> point_values(const PointResult& point);

/// "cluster.nodes=2, training.mini_batch=128"; empty without a sweep.
std::string point_name(const PointResult& point);

/// What was noted while a sweep was carried out, each note once.
class PointNotes {
 public:
  /// `note` was made at `point`, which is one of those given one after the other.
  void add(const std::string& note, const PointResult& point);
  /// Sorted. A note that was not made at all of `points` ends with where it was made.
  std::vector<std::string> texts(std::size_t points) const;

 private:
  std::map<std::string, std::vector<std::string>> points_;
};

}  // namespace pipegraph
