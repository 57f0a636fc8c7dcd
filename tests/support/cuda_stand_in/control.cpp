#include "tests/support/cuda_stand_in/control.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "tests/support/cuda_stand_in/activities.h"
#include "tests/support/cuda_stand_in/call.h"
#include "tests/support/cuda_stand_in/captures.h"
#include "tests/support/cuda_stand_in/communicators.h"
#include "tests/support/cuda_stand_in/cudnn.h"
#include "tests/support/cuda_stand_in/events.h"
#include "tests/support/cuda_stand_in/memory.h"

namespace pipegraph::cuda_stand_in {

namespace {

struct CallFault {
  std::string function;
  int left = 0;
  int code = 0;
};

/// All that is the process's; the engine's workers end before the rest goes.
struct State {
  Memory memory;
  Events events;
  Communicators communicators;
  std::vector<CallFault> call_faults;
  std::set<std::string> forgotten_calls;
  std::unique_ptr<Engine> engine = std::make_unique<Engine>(Settings{});
};

State& the_state() {
  // Never destroyed: other static objects may still call.
  static State& k_state = *[] {
    const Unseen unseen;
    return new State;
  }();
  return k_state;
}

std::vector<std::string> left_over() {
  State& state = the_state();
  std::vector<std::string> lines;
  for (const auto& [key, stream] : state.engine->streams()) lines.push_back(stream->name());
  if (state.events.size() > 0) lines.push_back(std::to_string(state.events.size()) + " events");
  for (const std::string& name : state.communicators.names()) lines.push_back(name);
  for (const auto& [address, block] : state.memory.blocks())
    lines.push_back(std::to_string(block.bytes) + " bytes of " +
                    (block.kind == MemoryKind::Device ? "device " + std::to_string(block.device)
                                                      : std::string("pinned memory")));
  std::ranges::sort(lines);
  return lines;
}

}  // namespace

Engine& engine() { return *the_state().engine; }
Memory& memory() { return the_state().memory; }
Events& events() { return the_state().events; }
Communicators& communicators() { return the_state().communicators; }

HostThread& host_thread() {
  thread_local HostThread k_thread;
  return k_thread;
}

std::optional<int> take_call_fault(const char* function) {
  if (the_state().forgotten_calls.contains(function)) return cudaSuccess;
  for (CallFault& fault : the_state().call_faults)
    if (fault.function == function && --fault.left == 0) {
      while (fault.code == k_hangs) std::this_thread::sleep_for(std::chrono::seconds(1));
      return fault.code;
    }
  return std::nullopt;
}

void found(const char* function, const std::string& what) {
  engine().add_finding(std::string(function) + ": " + what);
}

std::vector<std::string> reset(const Settings& settings) {
  const Unseen unseen;
  State& state = the_state();
  std::vector<std::string> lines = left_over();
  for (const std::string& line : forget_captures()) lines.push_back(line);
#ifdef PIPEGRAPH_STAND_IN_HAS_CUDNN
  for (const std::string& line : forget_cudnn()) lines.push_back(line);
#endif
  state.engine.reset();
  state.communicators.clear();
  state.events.clear();
  while (!state.memory.blocks().empty())
    state.memory.free(reinterpret_cast<void*>(state.memory.blocks().begin()->first));
  state.memory.forget_access();
  activities().reset();
  state.call_faults.clear();
  state.forgotten_calls.clear();
  state.engine = std::make_unique<Engine>(settings);
  host_thread() = {};
  return lines;
}

std::vector<std::string> take_findings() {
  const Unseen unseen;
  const Engine::Lock lock = engine().lock();
  return engine().take_findings();
}

void fail_call(const std::string& function, int nth, int code) {
  const Unseen unseen;
  const Engine::Lock lock = engine().lock();
  the_state().call_faults.push_back({function, nth, code});
}

void forget_calls(const std::string& function) {
  const Unseen unseen;
  const Engine::Lock lock = engine().lock();
  the_state().forgotten_calls.insert(function);
}

void fail_operation(const std::string& label, int nth) {
  const Unseen unseen;
  const Engine::Lock lock = engine().lock();
  engine().fail_operation(label, nth);
}

void fail_communicators(int code) {
  const Unseen unseen;
  const Engine::Lock lock = engine().lock();
  communicators().fail(code);
}

void stop_rank(int rank) {
  const Unseen unseen;
  const Engine::Lock lock = engine().lock();
  communicators().stop(rank);
}

std::string state() {
  const Unseen unseen;
  const Engine::Lock lock = engine().lock();
  return engine().state();
}

std::size_t bytes_in_use(int device) {
  const Unseen unseen;
  const Engine::Lock lock = engine().lock();
  return memory().in_use(device);
}

}  // namespace pipegraph::cuda_stand_in
