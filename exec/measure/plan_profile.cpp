#include "exec/measure/plan_profile.h"

#include <chrono>
#include <cmath>
#include <limits>

#include "exec/measure/statistics.h"

namespace pipegraph {
namespace {

Durations none(const Program& program) {
  return Durations(program.size(), Seconds{std::numeric_limits<double>::quiet_NaN()});
}

std::vector<std::vector<InstructionId>> computes_by_device(const Program& program) {
  std::vector<std::vector<InstructionId>> computes(program.device_count());
  for (std::size_t i = 0; i < program.size(); ++i) {
    const Instruction& instruction = program.instructions()[i];
    if (is_compute(instruction.kind))
      computes[instruction.device.index()].push_back(make_id<InstructionId>(i));
  }
  return computes;
}

/// Treats tiny numbers as zero on this thread: what was not received may be anything, and
/// processors are slow on numbers that training hardly ever sees.
class WithoutTinyNumbers {
 public:
#if defined(__SSE__)
  WithoutTinyNumbers() : before_(__builtin_ia32_stmxcsr()) {
    constexpr unsigned k_flush_and_denormals_are_zero = 0x8040;
    __builtin_ia32_ldmxcsr(before_ | k_flush_and_denormals_are_zero);
  }
  ~WithoutTinyNumbers() { __builtin_ia32_ldmxcsr(before_); }

 private:
  unsigned before_;
#else
  WithoutTinyNumbers() = default;
  ~WithoutTinyNumbers() = default;
#endif
 public:
  WithoutTinyNumbers(const WithoutTinyNumbers&) = delete;
  WithoutTinyNumbers& operator=(const WithoutTinyNumbers&) = delete;
};

Seconds time_compute(Engine& engine, InstructionId id) {
  const auto begin = std::chrono::steady_clock::now();
  engine.start(id);
  while (engine.poll().empty()) {
  }
  return std::chrono::steady_clock::now() - begin;
}

}  // namespace

std::vector<Durations> run_passes_alone(Executor& executor, const Program& program, int rounds) {
  std::vector<Durations> durations(static_cast<std::size_t>(rounds), none(program));
  const auto computes = computes_by_device(program);
  executor.on_each_device([&](DeviceId device, Engine& engine) {
    const WithoutTinyNumbers guard;
    for (Durations& round : durations) {
      engine.begin_step(0);
      for (const InstructionId id : computes[device.index()])
        round[id.index()] = time_compute(engine, id);
    }
  });
  return durations;
}

Durations durations_of(const Program& program, const RunRecord& record) {
  Durations durations = none(program);
  for (std::size_t i = 0; i < program.size(); ++i)
    if (!is_transfer(program.instructions()[i].kind))
      durations[i] = record.end[i] - record.start[i];
  return durations;
}

void PassSamples::add(const Durations& durations, Kinds kinds) {
  for (std::size_t i = 0; i < program_.size(); ++i) {
    const Instruction& instruction = program_.instructions()[i];
    const bool wanted = kinds == Kinds::Computes ? is_compute(instruction.kind)
                                                 : instruction.kind == InstructionKind::AllReduce;
    if (!wanted || std::isnan(durations[i].count())) continue;
    const std::int32_t share = is_pass(instruction.kind) ? instruction.samples.samples() : 0;
    samples_[{instruction.stage, instruction.kind, share}].push_back(durations[i]);
  }
}

MeasuredPlan PassSamples::measured(const std::string& hash, const std::string& name) const {
  MeasuredPlan plan{.hash = hash, .name = name, .instructions = {}};
  for (const auto& [key, times] : samples_) {
    const auto& [stage, kind, share] = key;
    plan.instructions.push_back({stage.valid() ? program_.stage_names()[stage.index()] : "", kind,
                                 share, without_gross_outliers(times)});
  }
  return plan;
}

}  // namespace pipegraph
