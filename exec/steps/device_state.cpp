#include "exec/steps/device_state.h"

#include <fmt/format.h>

#include <array>
#include <unordered_map>

#include "core/base/errors.h"
#include "exec/operators/parameter_layout.h"

namespace pipegraph {

namespace {

std::vector<std::string_view> state_suffixes(Optimizer optimizer) {
  if (optimizer == Optimizer::Momentum) return {":momentum"};
  if (optimizer == Optimizer::Adam) return {":first_moment", ":second_moment"};
  return {};
}

/// By owner: the device that holds the copy which counts, the first in the order of stages and
/// replicas.
std::unordered_map<OperatorId, DeviceId> owning_devices(const PassTables& tables) {
  std::unordered_map<OperatorId, DeviceId> devices;
  for (const DeviceParameters& stored : device_parameters(tables.graph(), tables.model().stages))
    for (const OperatorId owner : stored.owners) devices.try_emplace(owner, stored.device);
  return devices;
}

}  // namespace

DeviceState::DeviceState(const TrainingDevices& devices) : devices_(devices) {
  for (std::size_t d = 0; d < devices.engines().size(); ++d)
    if (devices.engines()[d] != nullptr) add_device(make_id<DeviceId>(d));
}

void DeviceState::add_device(DeviceId device) {
  const PassTables& tables = devices_.tables();
  const ParameterPlaces& places = devices_.engines()[device.index()]->passes().parameters();
  const auto owning = owning_devices(tables);
  const auto suffixes = state_suffixes(tables.model().workload.training.optimizer);
  for (const StoredOwner& stored : places.stored()) {
    const StateRole role = owning.at(stored.owner) == device ? StateRole::Owner : StateRole::Copy;
    add(stored, {device, {Area::Parameters, stored.begin}}, role, "");
    for (std::size_t copy = 0; copy < suffixes.size(); ++copy)
      add(stored, {device, {Area::State, places.bytes() * copy + stored.begin}}, role,
          suffixes[copy]);
  }
}

void DeviceState::add(const StoredOwner& stored, const Stored& at, StateRole role,
                      std::string_view suffix) {
  const ComputationGraph& graph = devices_.tables().graph();
  for (const ParameterTensor& tensor : parameter_layout(devices_.tables().shape(stored.owner))) {
    tensors_.push_back({fmt::format("{}/{}{}", graph.at(stored.owner).name, tensor.name, suffix),
                        {tensor.rows, tensor.columns},
                        role});
    const Bytes before{sizeof(float) * static_cast<std::uint64_t>(tensor.offset)};
    stored_.push_back({at.device, at.at + before});
  }
}

void DeviceState::read(std::size_t index, std::span<float> into) const {
  const Stored& stored = stored_[index];
  devices_.engines()[stored.device.index()]->read(stored.at, into);
}

void DeviceState::write(std::size_t index, std::span<const float> from) {
  const Stored& stored = stored_[index];
  devices_.engines()[stored.device.index()]->write(stored.at, from);
}

void DeviceState::read_gradient(std::size_t index, std::span<float> into) const {
  const Stored& stored = stored_[index];
  check(stored.at.area() == Area::Parameters, "only parameters have gradients");
  devices_.engines()[stored.device.index()]->read({Area::Gradients, stored.at.offset()}, into);
}

}  // namespace pipegraph
