// What the ranks of one job say to each other between steps: whether they run the same plan, who
// writes what of a checkpoint, whether somebody failed, what their clocks say.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/units.h"

namespace pipegraph {

/// A question of this rank to rank 0: the own clock when it was asked and when the answer was
/// there, rank 0's clock in between.
struct ClockEcho {
  Seconds asked{0}, answered{0}, received{0};
};
using ClockReader = std::function<Seconds()>;

class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// The texts (any bytes) of all ranks, in rank order, on every rank; returns once all have
  /// called. A barrier is a gather of empty texts. Errors: MachineError if a rank is gone.
  virtual std::vector<std::string> all_gather(std::string_view mine) = 0;
  /// `rounds` of asking rank 0 what its clock says, one rank after the other; nothing on rank 0.
  /// All ranks call it together, `now` reads the own clock. Errors: as of all_gather.
  virtual std::vector<ClockEcho> ask_first_rank(int /*rounds*/, const ClockReader& /*now*/) {
    return {};
  }
};

/// A job of a single process.
class SingleRank final : public Ranks {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  std::vector<std::string> all_gather(std::string_view mine) override {
    return {std::string(mine)};
  }
};

}  // namespace pipegraph
