#include "apps/one_process.h"

#include "exec/transport/in_process.h"

namespace pipegraph {
namespace {

std::vector<DeviceId> all_devices(const Program& program) {
  std::vector<DeviceId> devices;
  for (std::size_t i = 0; i < program.device_count(); ++i) devices.push_back(make_id<DeviceId>(i));
  return devices;
}

}  // namespace

OneProcess::OneProcess(const Program& program, DeviceSet& devices, const ExecutionOptions& options,
                       const std::optional<Misbehaviour>& misbehaviour)
    : channels_(program),
      state_(program),
      in_process_(make_in_process_transport(program, channels_, state_)),
      misbehaving_(misbehaviour
                       ? make_misbehaving_transport(program, *in_process_, state_, *misbehaviour)
                       : nullptr),
      executor_({.program = program,
                 .channels = channels_,
                 .state = state_,
                 .transport = misbehaving_ ? *misbehaving_ : *in_process_,
                 .ranks = ranks_,
                 .devices = all_devices(program),
                 .engines = devices.engines(),
                 .clocks = devices.clocks()},
                options) {}

}  // namespace pipegraph
