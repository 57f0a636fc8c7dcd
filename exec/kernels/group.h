// The threads that work on one row together. A row body is written once, for any group:
//
//   k_lanes            elements a member takes side by side, a power of two; what a CPU vectorises
//   rank(), size()     of a member; warp(): members that exchange registers, a power of two that
//                      divides size()
//   shuffle_xor(v, m)  the value of the member whose rank differs in bit m, within the warp
//   shared<T>()        room for size() / warp() values, seen by all
//   sync()             all members have come here, and see what the others wrote before
//
// Here is the group of one, which CPUs use; reductions over a group stand below.
#pragma once

#include <cstdint>

#include "exec/kernels/host_device.h"

namespace pipegraph::kernels {

class SerialGroup {
 public:
  static constexpr int k_lanes = 16;
  PIPEGRAPH_HOST_DEVICE static constexpr int rank() { return 0; }
  PIPEGRAPH_HOST_DEVICE static constexpr int size() { return 1; }
  PIPEGRAPH_HOST_DEVICE static constexpr int warp() { return 1; }
  template <class T>
  PIPEGRAPH_HOST_DEVICE static constexpr T shuffle_xor(T value, int) {
    return value;
  }
  template <class T>
  PIPEGRAPH_HOST_DEVICE static constexpr T* shared() {
    return nullptr;
  }
  PIPEGRAPH_HOST_DEVICE static constexpr void sync() {}
};

struct Plus {
  template <class T>
  PIPEGRAPH_HOST_DEVICE T operator()(T a, T b) const {
    return a + b;
  }
};

/// NaN if the second is; maxima are checked for NaN by what follows them.
struct Larger {
  template <class T>
  PIPEGRAPH_HOST_DEVICE T operator()(T a, T b) const {
    return a > b ? a : b;
  }
};

/// `combine` over one value of every member, the same bits on all of them. Every member must call
/// it.
template <class Group, class T, class Combine>
PIPEGRAPH_HOST_DEVICE T reduce(Group& group, T value, Combine combine) {
  for (int mask = group.warp() / 2; mask > 0; mask /= 2)
    value = combine(value, group.shuffle_xor(value, mask));
  const int warps = group.size() / group.warp();
  if (warps == 1) return value;
  T* partial = group.template shared<T>();
  group.sync();  // whoever still reads the previous reduction's values
  if (group.rank() % group.warp() == 0) partial[group.rank() / group.warp()] = value;
  group.sync();
  T result = partial[0];
  for (int i = 1; i < warps; ++i) result = combine(result, partial[i]);
  return result;
}

/// `body(i)` for every i below `count`, shared out among the members.
template <class Group, class Body>
PIPEGRAPH_HOST_DEVICE void spread(Group& group, std::int64_t count, const Body& body) {
  const std::int64_t step = group.size();
  for (std::int64_t i = group.rank(); i < count; i += step) body(i);
}

/// `combine` over `term(i)` for every i below `count`, beginning with `neutral`; the same bits on
/// every member. The order depends on count and group only.
template <class Group, class T, class Term, class Combine>
PIPEGRAPH_HOST_DEVICE T reduce_terms(Group& group, std::int64_t count, T neutral, const Term& term,
                                     Combine combine) {
  constexpr int k_lanes = Group::k_lanes;
  T lanes[k_lanes];
  for (int lane = 0; lane < k_lanes; ++lane) lanes[lane] = neutral;
  const std::int64_t step = static_cast<std::int64_t>(group.size()) * k_lanes;
  std::int64_t i = static_cast<std::int64_t>(group.rank()) * k_lanes;
  for (; i + k_lanes <= count; i += step)
    for (int lane = 0; lane < k_lanes; ++lane) lanes[lane] = combine(lanes[lane], term(i + lane));
  for (int lane = 0; i + lane < count; ++lane) lanes[lane] = combine(lanes[lane], term(i + lane));
  for (int half = k_lanes / 2; half > 0; half /= 2)
    for (int lane = 0; lane < half; ++lane) lanes[lane] = combine(lanes[lane], lanes[lane + half]);
  return reduce(group, lanes[0], combine);
}

template <class T, class Group, class Term>
PIPEGRAPH_HOST_DEVICE T sum(Group& group, std::int64_t count, const Term& term) {
  return reduce_terms(group, count, T{0}, term, Plus{});
}

}  // namespace pipegraph::kernels
