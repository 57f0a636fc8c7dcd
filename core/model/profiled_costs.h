// Costs measured on a device: seconds of an operator's pass at several sample counts, interpolated
// linearly between them. Where nothing was measured another cost model answers.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/model/cost_model.h"

namespace pipegraph {

/// Measured times of one pass of one operator.
struct MeasuredPass {
  struct Point {
    std::int64_t samples = 0;
    Seconds time;
  };
  OperatorId id;
  Pass pass = Pass::Forward;
  std::vector<Point> points;  ///< in any order, one or more, sample counts distinct and positive
};

/// What to answer outside the measured sample counts.
enum class Extrapolation : std::uint8_t {
  Refuse,  ///< ConfigError
  Linear,  ///< the nearest two points' line, but never below the nearest point in proportion
};

class ProfiledCosts : public CostModel {
 public:
  struct Profile {
    std::string name;  ///< for source(): the file it came from
    std::vector<MeasuredPass> passes;
    Extrapolation extrapolation = Extrapolation::Refuse;
  };

  /// `graph` and `fallback` must outlive this. Errors: ConfigError for a pass measured twice,
  /// without points, with two times for one sample count, or an impossible time.
  ProfiledCosts(const ComputationGraph& graph, Profile profile, const CostModel& fallback);

  /// A backward that was measured in halves only is their sum; a half of a backward that was
  /// measured whole is its input_gradient_share(). Measured times are multiplied by `slowdown`.
  /// Errors: ConfigError outside the measured sample counts unless extrapolation is allowed.
  Seconds time(OperatorId id, Pass pass, std::int64_t samples,
               const ComputeRate& rate) const override;
  /// "profile FILE", with "; roofline for 3 of 10 operators" if the fallback is needed.
  std::string_view source() const override;

 private:
  using Points = std::vector<MeasuredPass::Point>;
  const Points* find(OperatorId id, Pass pass) const;
  Seconds measured(OperatorId id, Pass pass, std::int64_t samples) const;

  const ComputationGraph& graph_;
  const CostModel& fallback_;
  Extrapolation extrapolation_;
  std::map<std::pair<OperatorId, Pass>, Points> points_;
  std::string source_;
};

}  // namespace pipegraph
