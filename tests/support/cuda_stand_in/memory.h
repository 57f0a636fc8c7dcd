// Device memory: a heap block per allocation, filled with NaN, at an address that no host may
// dereference. Any call can look up to whom bytes belong and where they end.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace pipegraph::cuda_stand_in {

enum class MemoryKind : std::uint8_t { Device, Pinned };

struct Block {
  std::size_t bytes = 0;
  int device = 0;
  MemoryKind kind = MemoryKind::Device;
};

/// All members but free() are called with the engine's lock held.
class Memory {
 public:
  /// Null if the device's memory is used up.
  void* allocate(std::size_t bytes, int device, MemoryKind kind);
  /// Gives the block back; false if there is none at this address.
  bool free(void* pointer);
  /// The block that `pointer` points into.
  std::optional<Block> find(const void* pointer) const;
  /// Why [pointer, pointer + bytes) is not memory of this device; empty if it is.
  std::string problem(const void* pointer, std::size_t bytes, int device) const;
  std::size_t in_use(int device) const;
  const std::map<std::uintptr_t, Block>& blocks() const { return blocks_; }

  /// `device` may use the memory of `peer` from now on, until access is forgotten.
  void give_access(int device, int peer) { access_.insert({device, peer}); }
  bool has_access(int device, int owner) const {
    return device == owner || access_.contains({device, owner});
  }
  void forget_access() { access_.clear(); }

 private:
  std::map<std::uintptr_t, Block>::const_iterator containing(const void* pointer) const;

  std::map<std::uintptr_t, Block> blocks_;  ///< by untagged address
  std::set<std::pair<int, int>> access_;    ///< of a device to another's memory
};

Memory& memory();

/// Whether an address is one of device memory.
bool is_device_pointer(const void* pointer);

}  // namespace pipegraph::cuda_stand_in
