#include "tests/support/cuda_stand_in/captures.h"

#include <algorithm>

#include "tests/support/cuda_stand_in/call.h"

namespace pipegraph::cuda_stand_in {

namespace {

/// An instantiated graph with the streams that it uses.
struct Executable {
  CapturedGraph graph;
  std::vector<Stream*> streams;
};

/// What is live of captures, graphs and executables; with the engine's lock held.
struct Captures {
  std::vector<std::shared_ptr<Capture>> under_way;
  std::map<CapturedGraph*, std::unique_ptr<CapturedGraph>> graphs;
  std::map<Executable*, std::unique_ptr<Executable>> executables;
};

Captures& captures() {
  static Captures& k_captures = *new Captures;
  return k_captures;
}

/// Each stream as far as the first one waits for it: operations below the number.
std::map<const CapturedStream*, std::size_t> waited_for(const CapturedGraph& graph) {
  std::map<std::size_t, std::pair<const CapturedStream*, std::size_t>> records;
  for (const auto& stream : graph.streams)
    for (std::size_t i = 0; i < stream->operations.size(); ++i)
      if (const auto record = stream->operations[i].captured_record)
        records[*record] = {stream.get(), i + 1};
  std::map<const CapturedStream*, std::size_t> reached;
  std::vector<std::pair<const CapturedStream*, std::size_t>> open{
      {graph.streams.front().get(), graph.streams.front()->operations.size()}};
  while (!open.empty()) {
    const auto [stream, until] = open.back();
    open.pop_back();
    for (std::size_t i = std::exchange(reached[stream], std::max(reached[stream], until));
         i < until; ++i)
      if (const auto wait = stream->operations[i].captured_wait) open.push_back(records.at(*wait));
  }
  return reached;
}

bool is_work(const Operation& operation) {
  return !operation.captured_record && !operation.captured_wait;
}

}  // namespace

void Capture::join(Stream& stream) {
  graph_->streams.push_back(std::make_unique<CapturedStream>());
  graph_->streams.back()->device = stream.device();
  stream.capture_into(graph_->streams.back().get());
  streams_.push_back(&stream);
}

std::size_t Capture::record(Stream& stream) {
  Operation operation;
  operation.captured_record = graph_->records++;
  stream.captured()->operations.push_back(operation);
  return *operation.captured_record;
}

void Capture::wait(Stream& stream, std::size_t record) {
  if (stream.captured() == nullptr) join(stream);
  Operation operation;
  operation.captured_wait = record;
  stream.captured()->operations.push_back(operation);
}

std::string Capture::end() {
  for (Stream* const stream : streams_) stream->capture_into(nullptr);
  const auto reached = waited_for(*graph_);
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    const CapturedStream& captured = *graph_->streams[i];
    const auto found = reached.find(&captured);
    const auto from = static_cast<std::ptrdiff_t>(found == reached.end() ? 0 : found->second);
    if (std::any_of(captured.operations.begin() + from, captured.operations.end(), is_work))
      return "nobody waits for the end of " + streams_[i]->name();
  }
  return {};
}

std::shared_ptr<Capture> capture_of(const Stream& stream) {
  if (stream.captured() == nullptr) return nullptr;
  for (const auto& capture : captures().under_way)
    if (capture->contains(stream)) return capture;
  return nullptr;
}

Operation wait_operation(const std::shared_ptr<EventRecord>& record) {
  Operation operation;
  operation.label = "wait for an event";
  operation.ready = [record] { return record->done; };
  operation.waits_for = [] { return std::string("its record"); };
  operation.body = [record] {
    record->edge.acquire();
    return true;
  };
  return operation;
}

Operation record_operation(const std::shared_ptr<EventRecord>& record) {
  Operation operation;
  operation.label = "record an event";
  operation.body = [record] {
    record->edge.release();
    const Unseen unseen;
    const Engine::Lock lock = engine().lock();
    record->at = std::chrono::steady_clock::now();
    record->done = true;
    return true;
  };
  return operation;
}

namespace {

/// What was noted, anew: each launch has records of its own.
Operation again(const Operation& noted, const std::vector<std::shared_ptr<EventRecord>>& records) {
  if (noted.captured_record) return record_operation(records[*noted.captured_record]);
  if (noted.captured_wait) return wait_operation(records[*noted.captured_wait]);
  Operation operation = noted;
  operation.enqueued = std::make_shared<Edge>();
  return operation;
}

void launch_on(Stream& stream, const Executable& executable) {
  std::vector<std::shared_ptr<EventRecord>> records(executable.graph.records);
  for (auto& record : records) record = std::make_shared<EventRecord>();
  const auto begun = std::make_shared<EventRecord>();
  engine().enqueue(stream, record_operation(begun));
  std::vector<std::shared_ptr<EventRecord>> ends;
  for (std::size_t i = 0; i < executable.streams.size(); ++i) {
    Stream& own = *executable.streams[i];
    engine().enqueue(own, wait_operation(begun));
    for (const Operation& noted : executable.graph.streams[i]->operations)
      engine().enqueue(own, again(noted, records));
    engine().enqueue(own, record_operation(ends.emplace_back(std::make_shared<EventRecord>())));
  }
  for (const auto& end : ends) engine().enqueue(stream, wait_operation(end));
}

}  // namespace

std::vector<std::string> forget_captures() {
  std::vector<std::string> left;
  if (!captures().under_way.empty()) left.emplace_back("a capture");
  if (!captures().graphs.empty()) left.emplace_back("graphs");
  if (!captures().executables.empty()) left.emplace_back("executable graphs");
  captures() = {};
  return left;
}

}  // namespace pipegraph::cuda_stand_in

using namespace pipegraph::cuda_stand_in;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  return runtime_call("cudaStreamBeginCapture", [&](Engine::Lock& /*lock*/) {
    Stream* const stream = stream_of("cudaStreamBeginCapture", handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (mode == cudaStreamCaptureModeGlobal)
      found("cudaStreamBeginCapture", "the global mode makes calls of other threads fail");
    if (stream->captured() != nullptr) return cudaErrorIllegalState;
    captures().under_way.push_back(std::make_shared<Capture>(*stream));
    host_thread().capturing = true;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  return runtime_call("cudaStreamEndCapture", [&](Engine::Lock& /*lock*/) {
    Stream* const stream = stream_of("cudaStreamEndCapture", handle);
    const auto capture = stream == nullptr ? nullptr : capture_of(*stream);
    if (!capture || !capture->is_root(*stream) || !host_thread().capturing)
      return cudaErrorIllegalState;
    host_thread().capturing = false;
    std::erase(captures().under_way, capture);
    if (const std::string problem = capture->end(); !problem.empty()) {
      found("cudaStreamEndCapture", problem);
      return cudaErrorStreamCaptureUnjoined;
    }
    std::unique_ptr<CapturedGraph> made = capture->take();
    CapturedGraph* const key = made.get();
    captures().graphs.emplace(key, std::move(made));
    *graph = reinterpret_cast<cudaGraph_t>(key);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long /*flags*/) {
  return runtime_call("cudaGraphInstantiate", [&](Engine::Lock& /*lock*/) {
    const auto made = captures().graphs.find(reinterpret_cast<CapturedGraph*>(graph));
    if (made == captures().graphs.end()) return cudaErrorInvalidValue;
    auto own = std::make_unique<Executable>();
    own->graph.records = made->second->records;
    for (const auto& stream : made->second->streams) {
      own->graph.streams.push_back(std::make_unique<CapturedStream>(*stream));
      own->streams.push_back(engine().create(stream->device));
    }
    Executable* const key = own.get();
    captures().executables.emplace(key, std::move(own));
    *executable = reinterpret_cast<cudaGraphExec_t>(key);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t handle, cudaStream_t stream_handle) {
  return runtime_call("cudaGraphLaunch", [&](Engine::Lock& /*lock*/) {
    Stream* const stream = stream_of("cudaGraphLaunch", stream_handle);
    const auto executable = captures().executables.find(reinterpret_cast<Executable*>(handle));
    if (stream == nullptr || executable == captures().executables.end())
      return cudaErrorInvalidResourceHandle;
    if (const cudaError_t error = sticky_error(stream->device()); error != cudaSuccess)
      return error;
    launch_on(*stream, *executable->second);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t handle) {
  return runtime_call("cudaGraphExecDestroy", [&](Engine::Lock& lock) {
    const auto executable = captures().executables.find(reinterpret_cast<Executable*>(handle));
    if (executable == captures().executables.end()) return cudaErrorInvalidResourceHandle;
    for (Stream* const stream : executable->second->streams) {
      engine().wait(lock, "the end of a graph", [&] { return stream->idle(); });
      engine().destroy(stream);
    }
    captures().executables.erase(executable);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return runtime_call("cudaGraphDestroy", [&](Engine::Lock& /*lock*/) {
    return captures().graphs.erase(reinterpret_cast<CapturedGraph*>(graph)) > 0
               ? cudaSuccess
               : cudaErrorInvalidValue;
  });
}

}  // extern "C"
