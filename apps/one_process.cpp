#include "apps/one_process.h"

#include "core/base/errors.h"

namespace pipegraph {
namespace {

ExecutionOptions options_of(const DeviceContext& context, const ExecutionRequest& request) {
  ExecutionOptions options = request.options;
  options.first_core = request.job->first_core(context.program);
  if (request.misbehaviour) options.rank_clocks = request.misbehaviour->clocks;
  return options;
}

std::unique_ptr<Transport> between_devices(DeviceSet& devices, const ExecutionRequest& request,
                                           const TransportContext& context) {
  std::unique_ptr<Transport> transport = devices.transport(context);
  check(transport != nullptr || devices.mover() == nullptr || request.job->ranks().size() == 1,
        "a mover reaches within a process only");
  return transport;
}

}  // namespace

OneProcess::OneProcess(const DeviceContext& context, DeviceSet& devices,
                       const ExecutionRequest& request)
    : channels_(context.program),
      state_(context.program),
      watch_(*request.job, state_.failure),
      hosts_(request.job->transport(context.program, channels_, state_, devices.mover())),
      devices_(between_devices(devices, request,
                               {.program = context.program,
                                .channels = channels_,
                                .state = state_,
                                .ranks = request.job->ranks(),
                                .rank_of_device = request.job->rank_of_device(context.program),
                                .inner = *hosts_,
                                .deadline = request.options.deadline})),
      misbehaving_(request.misbehaviour ? make_misbehaving_transport(context.program, *hosts_,
                                                                     state_, *request.misbehaviour)
                                        : nullptr),
      executor_({.program = context.program,
                 .channels = channels_,
                 .state = state_,
                 .transport = misbehaving_ ? *misbehaving_
                              : devices_   ? *devices_
                                           : *hosts_,
                 .ranks = request.job->ranks(),
                 .devices = request.job->devices(context.program),
                 .engines = devices.engines(),
                 .clocks = devices.clocks(),
                 .whole_step = devices.whole_step(),
                 .step_times = devices.step_times()},
                options_of(context, request)) {}

}  // namespace pipegraph
