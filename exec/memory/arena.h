// The static arena of a device: where each lifetime of its activations, receive slots, send buffers
// and workspaces lies. Parameters, gradients and optimizer state stand in front and never move.
#pragma once

#include <optional>
#include <vector>

#include "core/program/memory.h"

namespace pipegraph {

/// Whether lifetimes share bytes, or each has its own: bytes that are used too long are then found
/// by what is written into them when they are released.
enum class ArenaKind : std::uint8_t { Shared, Separate };

class ArenaLayout {
 public:
  /// Nothing lies anywhere.
  ArenaLayout() = default;
  /// Of all lifetimes of one device. Lifetimes share bytes only if their moments cannot overlap,
  /// that is if a path of dependencies leads from the end of one to the start of the other.
  explicit ArenaLayout(std::vector<Lifetime> lifetimes, ArenaKind kind = ArenaKind::Shared);

  Bytes bytes() const { return bytes_; }
  /// Most bytes that can be live at once: what the memory function counts for them. bytes() is
  /// more where no packing without gaps was found.
  Bytes peak() const { return peak_; }

  /// Sorted by what they are looked up by below.
  const std::vector<Lifetime>& lifetimes() const { return lifetimes_; }
  Bytes offset(std::size_t lifetime) const { return offsets_[lifetime]; }

  /// What names a lifetime; fields that do not matter for a part stay at -1.
  struct Key {
    InstructionId first;
    MemoryPart part = MemoryPart::Activations;
    OperatorId tensor;
    std::int32_t first_sample = -1;  ///< of a receive slot of activations
    InstructionId last;              ///< of a send buffer
    auto operator<=>(const Key&) const = default;
  };
  /// Where it begins; nothing if there is no such lifetime.
  std::optional<Bytes> find(const Key& key) const;

 private:
  std::vector<Lifetime> lifetimes_;
  std::vector<Bytes> offsets_;
  Bytes bytes_, peak_;
};

}  // namespace pipegraph
