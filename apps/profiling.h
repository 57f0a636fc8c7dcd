// What `profile` and `crosscheck` have in common: measuring a machine, a model's operators and the
// passes of plans into a cost file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/plan_process.h"
#include "apps/study.h"
#include "core/profile/cost_file.h"
#include "exec/measure/operator_profile.h"

namespace pipegraph {

/// A cost file of this model and machine without any measurement. GPUs and emulated devices overlap
/// transfers with computes, threads of this machine do not. Errors: those of CudaModule.
CostFile new_cost_file(const ComputationGraph& graph, MeasuredBackend backend, Precision precision);

/// Transfers, dispatch, and the bandwidth of `training`'s optimizer steps; for emulated devices,
/// whose times are those of the model, nothing.
void measure_machine(CostFile& file, MeasuredBackend backend, const Training& training);

/// profile_operators on the devices of `backend`, which compute; on GPUs the first one measures.
std::vector<MeasuredOperator> measure_operators(const ComputationGraph& graph,
                                                MeasuredBackend backend,
                                                const OperatorProfileOptions& options);

/// How much of the file was measured while the machine did other things, a line for people; empty
/// if nothing was.
std::string note_of_disturbance(const CostFile& file);

/// Powers of two up to `most`, and `most`.
std::vector<std::int64_t> usual_sample_counts(std::int64_t most);

/// `into` with what `fresh` has measured again, or besides, of the same model on the same machine.
/// Errors: ConfigError at `name` if they differ in those.
CostFile merged(CostFile into, const CostFile& fresh, const std::string& name);

}  // namespace pipegraph
