// Indices into dense tables. The tag keeps a StageId from being used as a DeviceId.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace pipegraph {

/// Index into a dense table; -1 means "none".
template <class Tag>
struct Id {
  std::int32_t value = -1;

  constexpr auto operator<=>(const Id&) const = default;
  constexpr bool valid() const { return value >= 0; }
  /// Position in the table. Only for valid ids.
  constexpr std::size_t index() const { return static_cast<std::size_t>(value); }
};

using OperatorId = Id<struct OperatorTag>;
using StageId = Id<struct StageTag>;
using DeviceId = Id<struct DeviceTag>;
using LinkId = Id<struct LinkTag>;
using InstructionId = Id<struct InstructionTag>;
using LaneId = Id<struct LaneTag>;
using GroupId = Id<struct GroupTag>;      ///< a collective group of a program
using PayloadId = Id<struct PayloadTag>;  ///< what a message carries

/// The id of position `index` in a table: `make_id<StageId>(i)`.
template <class IdType>
constexpr IdType make_id(std::size_t index) {
  return IdType{static_cast<std::int32_t>(index)};
}

}  // namespace pipegraph

template <class Tag>
struct std::hash<pipegraph::Id<Tag>> {
  std::size_t operator()(const pipegraph::Id<Tag>& id) const noexcept {
    return std::hash<std::int32_t>{}(id.value);
  }
};
