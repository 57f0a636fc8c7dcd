// A cost file: what a machine was measured to take for the operators of a model, for the passes of
// plans, for messages and for the handling of an instruction (docs/file_formats.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/precision.h"
#include "core/base/yaml_reader.h"
#include "core/cluster/transfer_table.h"
#include "core/model/cost_model.h"
#include "core/program/program.h"

namespace pipegraph {

inline constexpr int k_cost_file_format = 1;

/// Repetitions of one thing, gross outliers left out.
struct Measured {
  Seconds mean{0};
  Seconds spread{0};       ///< standard deviation
  std::int64_t count = 0;  ///< of those that were kept
  bool disturbed = false;  ///< the machine did other things during most of them
  bool operator==(const Measured&) const = default;
};

/// The GPUs that were measured, in words; several kinds are listed.
struct MachineGpus {
  std::string name;
  std::int32_t count = 0;
  std::string clocks;     ///< the highest, of multiprocessors and memory
  std::string driver;     ///< its version, and the newest CUDA it knows
  std::string libraries;  ///< CUDA's runtime, cuBLAS and NCCL
  bool operator==(const MachineGpus&) const = default;
};

/// Where the measurements were made.
struct Machine {
  std::string cpu;         ///< its model's name
  std::int32_t cores = 0;  ///< usable ones
  std::string blas;        ///< library and version; empty if none took part
  std::string blas_core;   ///< kernels it chose for this processor
  std::optional<MachineGpus> gpus{};
  bool operator==(const Machine&) const = default;
};

struct MeasuredOperator {
  std::string name;
  Pass pass = Pass::Forward;
  std::int64_t samples = 0;
  Measured time;
  bool operator==(const MeasuredOperator&) const = default;
};

/// A pass, or with 0 samples an optimizer step or the all-reduce of a stage.
struct MeasuredInstruction {
  std::string stage;  ///< empty: parameters tied between stages
  InstructionKind kind = InstructionKind::Forward;
  std::int32_t samples = 0;  ///< the replica's share
  Measured time;
  bool operator==(const MeasuredInstruction&) const = default;
};

struct MeasuredPlan {
  std::string hash;  ///< of core/profile/program_hash.h
  std::string name;  ///< for people
  std::vector<MeasuredInstruction> instructions;
  bool operator==(const MeasuredPlan&) const = default;
};

struct MeasuredTransfer {
  Bytes size;
  Measured time;
  bool operator==(const MeasuredTransfer&) const = default;
};

struct CostFile {
  std::string model;       ///< its name, for people
  std::string model_hash;  ///< of core/profile/program_hash.h; empty: any model of these operators
  std::string backend;     ///< what was measured: "cpu"
  std::optional<Precision> precision{};  ///< that it computed in; nothing: the file does not say
  std::string version;                   ///< of pipegraph
  std::string date;                      ///< "2026-11-30"
  Machine machine;
  std::vector<MeasuredOperator> operators;
  std::vector<MeasuredPlan> plans;
  std::vector<MeasuredTransfer> transfers;
  std::optional<Seconds> dispatch;  ///< per instruction, beside what it does
  /// Parameters, gradients and state, read and written, by an optimizer step.
  std::optional<BytesPerSecond> optimizer_bandwidth;
  /// Of "dispatch" and "optimizer_bandwidth" what was measured while the machine did other things.
  std::vector<std::string> disturbed;
  bool overlap = true;  ///< whether a device computes while its transfers move
  bool operator==(const CostFile&) const = default;
};

/// The table of `file.transfers`; nothing if there is none.
std::optional<TransferTable> transfer_table(const CostFile& file);
/// Operators, transfers, plans and their passes: what a file says that it has, so that a cut one is
/// told from a whole one.
std::size_t entries_of(const CostFile& file);
/// Entries, dispatch and bandwidth that were measured while the machine did other things.
std::size_t disturbed_entries_of(const CostFile& file);
/// Whether what was measured is computed as in `wanted`: CPUs compute fp32_tensor as fp32, GPUs as
/// tf32. A file that does not say counts as fp32.
bool same_arithmetic(const CostFile& file, Precision wanted);
/// The plan of that hash; null if it was not measured.
const MeasuredPlan* find_plan(const CostFile& file, const std::string& hash);

/// Errors: ConfigError at the value at fault.
CostFile read_cost_file(const YamlValue& document);
/// What read_cost_file reads back as the same value; times to the last bit.
std::string to_yaml_text(const CostFile& file);

}  // namespace pipegraph
