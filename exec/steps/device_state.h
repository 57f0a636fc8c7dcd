// Parameters, gradients and optimizer state of all engines of a process, by name.
#pragma once

#include <vector>

#include "exec/steps/training_devices.h"
#include "exec/training/training_state.h"

namespace pipegraph {

class DeviceState final : public TrainingState {
 public:
  /// Once all engines are made. `devices` outlives this.
  explicit DeviceState(const TrainingDevices& devices);

  const std::vector<StateTensor>& tensors() const override { return tensors_; }
  void read(std::size_t index, std::span<float> into) const override;
  void write(std::size_t index, std::span<const float> from) override;

  /// The gradient of parameter `index`; where reductions have ended, of all replicas and uses.
  /// Optimizer steps clear it. Errors: InternalError for a tensor of the optimizer's.
  void read_gradient(std::size_t index, std::span<float> into) const;

 private:
  struct Stored {
    DeviceId device;
    Place at;
  };
  void add_device(DeviceId device);
  void add(const StoredOwner& stored, const Stored& at, StateRole role, std::string_view suffix);

  const TrainingDevices& devices_;
  std::vector<StateTensor> tensors_;
  std::vector<Stored> stored_;  ///< by tensor
};

}  // namespace pipegraph
