// The memory of a device that is the host's: one block for each area.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "exec/passes/pass_runner.h"

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
  std::byte* address(Place place) const {
    return bases_[static_cast<std::size_t>(place.area())] + place.offset().count;
  }
  /// One more block, of zeros, that lives as long.
  std::byte* allocate(Bytes bytes);
  /// Fills with not-a-numbers (as indices: far out of range), to find what is used too long.
  void poison(Place place, Bytes bytes);

 private:
  std::vector<HostBlock> blocks_;
  AreaBases bases_{};
};

}  // namespace pipegraph
