#include "tests/support/cuda_stand_in/memory.h"

#include <cstdlib>
#include <cstring>

#include "tests/support/cuda_stand_in/control.h"
#include "tests/support/cuda_stand_in/engine.h"

namespace pipegraph::cuda_stand_in {

namespace {

constexpr std::size_t k_alignment = 256;
constexpr int k_tag_shift = 56;
constexpr std::uintptr_t k_tag = 0x5a;
constexpr int k_not_a_number = 0xff;

std::uintptr_t untagged(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(host_view(pointer));
}

}  // namespace

bool is_device_pointer(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) >> k_tag_shift == k_tag;
}

void* Memory::allocate(std::size_t bytes, int device, MemoryKind kind) {
  if (kind == MemoryKind::Device && in_use(device) + bytes > engine().settings().memory_bytes)
    return nullptr;
  const std::size_t rounded = (bytes + k_alignment - 1) / k_alignment * k_alignment;
  void* const block = std::aligned_alloc(k_alignment, rounded);
  std::memset(block, k_not_a_number, rounded);
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  blocks_[address] = {bytes, device, kind};
  if (kind == MemoryKind::Pinned) return block;
  return reinterpret_cast<void*>(address | k_tag << k_tag_shift);
}

bool Memory::free(void* pointer) {
  const auto found = blocks_.find(untagged(pointer));
  if (found == blocks_.end()) return false;
  blocks_.erase(found);
  std::free(host_view(pointer));
  return true;
}

std::map<std::uintptr_t, Block>::const_iterator Memory::containing(const void* pointer) const {
  auto after = blocks_.upper_bound(untagged(pointer));
  if (after == blocks_.begin()) return blocks_.end();
  const auto block = std::prev(after);
  return untagged(pointer) <= block->first + block->second.bytes ? block : blocks_.end();
}

std::optional<Block> Memory::find(const void* pointer) const {
  const auto block = containing(pointer);
  return block == blocks_.end() ? std::nullopt : std::optional(block->second);
}

std::string Memory::problem(const void* pointer, std::size_t bytes, int device) const {
  if (bytes == 0) return {};
  if (!is_device_pointer(pointer)) return "not device memory";
  const auto block = containing(pointer);
  if (block == blocks_.end()) return "not allocated";
  if (block->second.device != device)
    return "a buffer of device " + std::to_string(block->second.device);
  if (untagged(pointer) + bytes > block->first + block->second.bytes)
    return "beyond its allocation of " + std::to_string(block->second.bytes) + " bytes";
  return {};
}

std::size_t Memory::in_use(int device) const {
  std::size_t sum = 0;
  for (const auto& [address, block] : blocks_)
    if (block.kind == MemoryKind::Device && block.device == device) sum += block.bytes;
  return sum;
}

}  // namespace pipegraph::cuda_stand_in
