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

}  // namespace

CudaWholeStep::CudaWholeStep(const Shared& shared, StepIssue issue)
    : shared_(shared), issue_(issue) {
  const std::vector<int>& gpus = shared.lanes.gpus();
  if (std::ranges::adjacent_find(gpus, std::ranges::not_equal_to{}) != gpus.end())
    throw ConfigError(
        {.file = "--issue"}, "whole steps are issued on one GPU, the plan uses more",
        "CUDA_VISIBLE_DEVICES with one GPU and --share-gpus, or --issue instructions");
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

void CudaWholeStep::wait(Seconds deadline) const {
  const auto begun = std::chrono::steady_clock::now();
  for (int looks = 0; !PIPEGRAPH_CUDA_ENDED(cudaEventQuery(ended_.get())); ++looks) {
    if (looks < k_looks_at_once) continue;
    if (std::chrono::steady_clock::now() - begun > deadline)
      throw MachineError(fmt::format("a step that was issued as a whole has not ended after {} s",
                                     deadline.count()));
    std::this_thread::sleep_for(k_between_looks);
  }
}

}  // namespace pipegraph
