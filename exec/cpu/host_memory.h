// The memory of a device that is the host's: one block for each area.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "exec/passes/place.h"

namespace pipegraph {

/// Begins at a cache line, so that vector instructions cross as few as possible.
class HostBlock {
 public:
  explicit HostBlock(Bytes bytes);
  std::byte* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(std::byte* data) const;
  };
  std::unique_ptr<std::byte[], Free> data_;
};

class HostMemory {
 public:
  /// Zeros. Errors: MachineError if the machine has not enough memory.
  explicit HostMemory(const AreaSizes& sizes);

  const AreaBases& bases() const { return bases_; }
  std::byte* address(Place place) const { return pipegraph::address(bases_, place); }
  /// One more block, of zeros, that lives as long.
  std::byte* allocate(Bytes bytes);
  /// Fills with not-a-numbers (as indices: far out of range), to find what is used too long.
  void poison(Stretch stretch);

 private:
  std::vector<HostBlock> blocks_;
  AreaBases bases_{};
};

}  // namespace pipegraph
