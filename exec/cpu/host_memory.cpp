#include "exec/cpu/host_memory.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <new>

#include "core/base/errors.h"

namespace pipegraph {

namespace {
constexpr std::align_val_t k_alignment{64};
}

HostBlock::HostBlock(Bytes bytes) {
  const auto size = static_cast<std::size_t>(bytes.count);
  auto* data = static_cast<std::byte*>(::operator new(size, k_alignment, std::nothrow));
  if (data == nullptr)
    throw MachineError(fmt::format("the machine has no {} left for a device", to_text(bytes)));
  std::memset(data, 0, size);
  data_.reset(data);
}

void HostBlock::Free::operator()(std::byte* data) const { ::operator delete(data, k_alignment); }

HostMemory::HostMemory(const AreaSizes& sizes) {
  for (std::size_t area = 0; area < sizes.size(); ++area) bases_[area] = allocate(sizes[area]);
}

std::byte* HostMemory::allocate(Bytes bytes) { return blocks_.emplace_back(bytes).data(); }

void HostMemory::poison(Stretch stretch) {
  constexpr std::uint32_t k_not_a_number = 0x7FC0DEAD;
  std::byte* at = address(stretch.begin);
  for (std::uint64_t n = 0; n + sizeof(k_not_a_number) <= stretch.bytes.count;
       n += sizeof(k_not_a_number))
    std::memcpy(at + n, &k_not_a_number, sizeof(k_not_a_number));
}

}  // namespace pipegraph
