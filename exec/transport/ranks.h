// What the ranks of one job say to each other between steps: whether they run the same plan, who
// writes what of a checkpoint, whether somebody failed. One primitive; MPI implements it with its
// all-gather.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pipegraph {

class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// The texts (any bytes) of all ranks, in rank order, on every rank; returns once all have
  /// called. A barrier is a gather of empty texts. Errors: MachineError if a rank is gone.
  virtual std::vector<std::string> all_gather(std::string_view mine) = 0;
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
