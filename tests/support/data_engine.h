// An engine whose computes do what a test says, and whose messages and gradients lie in plain
// vectors.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "exec/engine.h"

namespace pipegraph::test {

/// The data of one device in a test: filled by the test, looked at by it afterwards.
struct DeviceData {
  std::map<InstructionId, std::vector<Piece>> pieces;  ///< of sends and recvs
  /// Of all-reduces: all members list the same addends.
  struct Sum {
    std::vector<Addend> addends;
    std::vector<Piece> sum;
  };
  std::map<InstructionId, Sum> sums;
  std::function<void(InstructionId)> compute;  ///< may throw, may take its time
};

/// `data` by device; must outlive the engines.
EngineFactory data_engines(std::map<DeviceId, DeviceData>& data);

/// A vector of floats as a piece.
Piece piece_of(std::vector<float>& values);

}  // namespace pipegraph::test
