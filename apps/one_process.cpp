#include "apps/one_process.h"

#include "core/base/errors.h"
#include "exec/transport/in_process.h"

namespace pipegraph {
namespace {

ExecutionOptions options_of(const DeviceContext& context, const ExecutionRequest& request) {
  ExecutionOptions options = request.options;
  options.first_core = request.job->first_core(context.program);
  if (request.misbehaviour) options.rank_clocks = request.misbehaviour->clocks;
  return options;
}

/// Null unless the devices have something that moves their messages.
Mover* mover_of(DeviceSet& devices, Job& job) {
  Mover* const mover = devices.mover();
  if (mover != nullptr && job.ranks().size() > 1)
    throw ConfigError({.file = "--backend"}, "GPUs of several ranks cannot exchange messages",
                      "one process for all GPUs of a machine, or --backend cpu");
  return mover;
}

}  // namespace

OneProcess::OneProcess(const DeviceContext& context, DeviceSet& devices,
                       const ExecutionRequest& request)
    : channels_(context.program),
      state_(context.program),
      watch_(*request.job, state_.failure),
      transport_(
          mover_of(devices, *request.job) != nullptr
              ? make_in_process_transport(context.program, channels_, state_, devices.mover())
              : request.job->transport(context.program, channels_, state_)),
      misbehaving_(request.misbehaviour ? make_misbehaving_transport(context.program, *transport_,
                                                                     state_, *request.misbehaviour)
                                        : nullptr),
      executor_({.program = context.program,
                 .channels = channels_,
                 .state = state_,
                 .transport = misbehaving_ ? *misbehaving_ : *transport_,
                 .ranks = request.job->ranks(),
                 .devices = request.job->devices(context.program),
                 .engines = devices.engines(),
                 .clocks = devices.clocks(),
                 .whole_step = devices.whole_step()},
                options_of(context, request)) {}

}  // namespace pipegraph
