// Parameters and optimizer state as a checkpoint sees them: named tensors, unsharded, wherever they
// lie. Engines stand behind it (host memory or a device's), and the loop and the checkpoints
// before.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pipegraph {

/// Exactly one copy of a tensor over all ranks is its Owner (of replicas the first, of stages that
/// share it the first): it is what a checkpoint holds. A Copy is only filled when resuming.
enum class StateRole : std::uint8_t { Owner, Copy };

struct StateTensor {
  std::string name;  ///< "<operator>/<tensor>" of a parameter, "<operator>/<tensor>:momentum",
                     ///< ":first_moment", ":second_moment" of its state; equal in every plan
  std::vector<std::int64_t> shape;  ///< of fp32 elements, row-major
  StateRole role = StateRole::Owner;
};

/// Elements of a tensor.
std::int64_t elements(const StateTensor& tensor);

/// What this rank holds. Called between steps only, by one thread.
class TrainingState {
 public:
  virtual ~TrainingState() = default;
  /// Every copy on this rank, in an order that stays.
  virtual const std::vector<StateTensor>& tensors() const = 0;
  /// Copies tensor `index` of tensors() out or in; the span has its elements.
  virtual void read(std::size_t index, std::span<float> into) const = 0;
  virtual void write(std::size_t index, std::span<const float> from) = 0;
};

}  // namespace pipegraph
