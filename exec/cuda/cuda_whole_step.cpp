#include "exec/cuda/cuda_whole_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "core/base/errors.h"
#include "exec/cuda/gpus.h"

namespace pipegraph {

namespace {

constexpr int k_looks_at_once = 20'000;  // some ten milliseconds
constexpr Seconds k_between_looks{0.00005};
constexpr int k_of_another_rank = -1;

/// What a graph copies goes from GPU to GPU directly, or nowhere. Errors: ConfigError.
void check_reach(const std::vector<int>& gpus) {
  for (const int gpu : gpus)
    for (const int peer : gpus)
      if (gpu != peer && !can_reach(gpu, peer))
        throw ConfigError(
            {.file = "--issue"},
            fmt::format("a CUDA graph copies between GPUs directly, but GPU {} does not reach {}",
                        gpu, peer),
            "--issue steps or instructions, or one GPU and --share-gpus");
}

}  // namespace

CudaWholeStep::CudaWholeStep(const Shared& shared, StepIssue issue)
    : shared_(shared), issue_(issue) {
  const std::vector<int>& gpus = shared.lanes.gpus();
  if (std::ranges::find(gpus, k_of_another_rank) != gpus.end())
    throw ConfigError({.file = "--issue"},
                      "whole steps are issued by one process, the plan's devices are of several",
                      "one rank with all of their GPUs, or --issue instructions");
  if (issue == StepIssue::Graph) check_reach(gpus);
}

CudaWholeStep::~CudaWholeStep() { wait_for_end(root_); }

bool CudaWholeStep::takes() {
  const bool warm = std::exchange(warm_, true);
  return warm && shared_.order.kind == StepKind::Train;
}

void CudaWholeStep::prepare() {
  for (TrainingEngine* const engine : shared_.engines) {
    check(engine != nullptr, "all devices are of this process");
    engines_.push_back(static_cast<CudaEngine*>(engine));
    engines_.back()->prepare_whole_steps();
  }
  for (const int gpu : shared_.lanes.gpus()) {
    const OnGpu there(gpu);
    if (!idle_.contains(gpu)) idle_.emplace(gpu, make_stream());
  }
  root_ = make_stream();
  ended_ = make_event();
  issuer_.emplace(shared_.program, engines_);
}

void CudaWholeStep::capture() {
  // Other threads have nothing to do with it.
  PIPEGRAPH_CUDA(cudaStreamBeginCapture(root_.get(), cudaStreamCaptureModeThreadLocal));
  issuer_->issue(root_.get());
  cudaGraph_t captured = nullptr;
  PIPEGRAPH_CUDA(cudaStreamEndCapture(root_.get(), &captured));
  const CudaGraph graph(captured);
  cudaGraphExec_t executable = nullptr;
  PIPEGRAPH_CUDA(cudaGraphInstantiate(&executable, graph.get(), 0));
  graph_ = CudaGraphExec(executable);
}

void CudaWholeStep::run(Seconds deadline) {
  const OnGpu here(shared_.lanes.gpus().front());
  if (!issuer_) prepare();
  for (CudaEngine* const engine : engines_) engine->fill_whole_step();
  if (issue_ == StepIssue::Graph) {
    if (graph_.get() == nullptr) capture();
    PIPEGRAPH_CUDA(cudaGraphLaunch(graph_.get(), root_.get()));
  } else {
    issuer_->issue(root_.get());
  }
  PIPEGRAPH_CUDA(cudaEventRecord(ended_.get(), root_.get()));
  wait(deadline);
}

/// Others wait for one that has failed, and would do so for good.
void CudaWholeStep::check_gpus() const {
  for (const auto& [gpu, stream] : idle_) {
    const OnGpu there(gpu);  // the message names it
    static_cast<void>(PIPEGRAPH_CUDA_ENDED(cudaStreamQuery(stream.get())));
  }
}

void CudaWholeStep::wait(Seconds deadline) const {
  const auto begun = std::chrono::steady_clock::now();
  for (int looks = 0; !PIPEGRAPH_CUDA_ENDED(cudaEventQuery(ended_.get())); ++looks) {
    if (looks < k_looks_at_once) continue;
    check_gpus();
    if (std::chrono::steady_clock::now() - begun > deadline)
      throw MachineError(fmt::format("a step that was issued as a whole has not ended after {} s",
                                     deadline.count()));
    std::this_thread::sleep_for(k_between_looks);
  }
}

}  // namespace pipegraph
