// How long a pass of an operator takes. The seam behind which roofline, explicit and measured costs
// stand.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/ids.h"
#include "core/base/units.h"
#include "core/model/computation_graph.h"

namespace pipegraph {

/// Passes of an operator or a stage. Backward is BackwardInput and BackwardWeight in one.
enum class Pass : std::uint8_t { Forward, Backward, BackwardInput, BackwardWeight };
/// 'F', 'B', 'I', 'W'.
char to_letter(Pass pass);
std::string_view to_text(
    Pass pass);  ///< "forward", "backward", "backward_input", "backward_weight"

/// What one device computes with, for one precision. Infinite peak or bandwidth: no limit.
struct ComputeRate {
  FlopsPerSecond peak;  ///< for the precision in use; 0 = unknown (then work in FLOPs is an error)
  double efficiency = 1.0;          ///< e0: share of the peak a large, well-tiled product reaches
  BytesPerSecond memory_bandwidth;  ///< 0 = unknown
  Seconds launch{0};                ///< per operator and pass
  int multiprocessors = 1;
  double slowdown = 1.0;  ///< multiplies explicit times (a device at half speed: 2)
  bool operator==(const ComputeRate&) const = default;
};

class CostModel {
 public:
  virtual ~CostModel() = default;
  /// Time of one pass of one operator on `samples` > 0 samples. Pure: equal arguments, equal
  /// result.
  virtual Seconds time(OperatorId id, Pass pass, std::int64_t samples,
                       const ComputeRate& rate) const = 0;
  /// Where the numbers come from, for the result: "roofline", "explicit", "profile FILE".
  virtual std::string_view source() const = 0;
};

/// Share of the peak that a product with an output of `m` x `n` reaches, relative to e0 = 1: the
/// best over output tiles of useful/padded area times tiles over whole waves of multiprocessors.
double tile_and_wave_efficiency(std::int64_t m, std::int64_t n, int multiprocessors);

/// `launch + max(flops / (peak x efficiency), bytes / bandwidth)`; explicit times replace it.
/// Products of one pass add up their times on the compute side of the maximum. A pass without any
/// work (no flops, bytes, products, time) costs nothing, launch included. With an unknown memory
/// bandwidth bytes cost nothing. An unsplit backward is divided by input_gradient_share().
/// Errors: ConfigError at the operator if it gives FLOPs and the peak is unknown.
class RooflineCosts : public CostModel {
 public:
  explicit RooflineCosts(const ComputationGraph& graph);
  Seconds time(OperatorId id, Pass pass, std::int64_t samples,
               const ComputeRate& rate) const override;
  std::string_view source() const override;

 private:
  const ComputationGraph& graph_;  ///< must outlive this
  std::string source_;
};

/// Nothing takes time: for programs whose computes get their times elsewhere.
class FreeCosts : public CostModel {
 public:
  Seconds time(OperatorId, Pass, std::int64_t, const ComputeRate&) const override {
    return Seconds{0};
  }
  std::string_view source() const override { return "free"; }
};

}  // namespace pipegraph
