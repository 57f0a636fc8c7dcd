#include "exec/cuda/cudnn_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <vector>

#include "exec/cuda/attention_graphs.h"
#include "exec/cuda/cuda_error.h"

namespace pipegraph {

namespace {

/// A pass of one shape, compiled.
struct Compiled {
  std::deque<CudnnDescriptor> stands_on;
  Bytes workspace;
  CudnnDescriptor plan;
};

/// The first of cuDNN's proposals that this GPU takes.
Compiled compile(const CudnnGraph& graph, cudnnHandle_t handle, const std::string& what) {
  Compiled compiled{{}, {}, CudnnDescriptor(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR)};
  CudnnDescriptor& operations = compiled.stands_on.emplace_back(graph.finished(handle));
  CudnnDescriptor& heuristic = compiled.stands_on.emplace_back(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristic.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, operations)
      .set_heuristic(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_HEUR_MODE_A);
  std::string reason = heuristic.refusal();
  if (reason.empty()) {
    reason = "it proposes nothing";
    for (CudnnDescriptor& engine :
         heuristic.descriptors(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR)) {
      CudnnDescriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
      plan.set_handle(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, handle)
          .set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, engine);
      reason = plan.refusal();
      if (!reason.empty()) continue;
      compiled.stands_on.push_back(std::move(engine));
      const std::int64_t bytes = plan.integer(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
      compiled.workspace = Bytes{static_cast<std::uint64_t>(bytes)};
      compiled.plan = std::move(plan);
      return compiled;
    }
  }
  throw MachineError(fmt::format("cuDNN {} has no {} on this GPU: {}; use --attention own",
                                 CudnnAttention::version(), what, reason));
}

/// Pointers by the numbers of tensors.
class Pack {
 public:
  template <class Number>
  Pack& add(Number tensor, const void* pointer) {
    numbers_.push_back(static_cast<std::int64_t>(tensor));
    pointers_.push_back(const_cast<void*>(pointer));
    return *this;
  }
  CudnnDescriptor finished(std::byte* workspace) const {
    CudnnDescriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, numbers_)
        .set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, pointers_)
        .set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, std::array<void*, 1>{workspace})
        .finalize();
    return pack;
  }

 private:
  std::vector<std::int64_t> numbers_;
  std::vector<void*> pointers_;
};

constexpr float k_one = 1.0F;
constexpr float k_never = std::numeric_limits<float>::lowest();

AttentionShape shape_of(const FusedAttention<kernels::BFloat16>& attention) {
  const kernels::HeadShape& heads = attention.heads;
  return {heads.samples, heads.tokens, heads.heads, heads.head_columns, attention.causal};
}

}  // namespace

struct CudnnAttention::Plans {
  explicit Plans(cudaStream_t of) : stream(of), handle(make_cudnn_handle(of)) {}
  Plans(const Plans&) = delete;
  Plans& operator=(const Plans&) = delete;
  ~Plans() {
    forward.clear();
    backward.clear();
    destroy_cudnn_handle(handle);
  }

  void execute(const std::map<AttentionShape, Compiled>& of, const AttentionShape& shape,
               const Pack& pack) const {
    const auto found = of.find(shape);
    check(found != of.end(), "attention is planned before it is computed");
    cudnn_execute(handle, found->second.plan, pack.finished(workspace));
  }

  cudaStream_t stream;
  cudnnHandle_t handle;
  std::map<AttentionShape, Compiled> forward, backward;
  std::byte* workspace = nullptr;
};

CudnnAttention::CudnnAttention(cudaStream_t stream) : plans_(std::make_unique<Plans>(stream)) {}
CudnnAttention::~CudnnAttention() = default;

void CudnnAttention::plan(const AttentionShape& shape) {
  if (plans_->forward.contains(shape)) return;
  const std::string what = "attention for " + to_text(shape);
  plans_->forward.emplace(
      shape, compile(forward_attention_graph(shape), plans_->handle, "forward of " + what));
  plans_->backward.emplace(
      shape, compile(backward_attention_graph(shape), plans_->handle, "backward of " + what));
}

Bytes CudnnAttention::workspace() const {
  Bytes most;
  for (const auto* passes : {&plans_->forward, &plans_->backward})
    for (const auto& [shape, compiled] : *passes) most = std::max(most, compiled.workspace);
  return most;
}
void CudnnAttention::use_workspace(std::byte* memory) { plans_->workspace = memory; }

void CudnnAttention::forward(const FusedAttention<Scalar>& a) {
  using enum ForwardTensor;
  Pack pack;
  pack.add(Queries, a.queries)
      .add(Keys, a.keys)
      .add(Values, a.values)
      .add(Result, a.result)
      .add(Statistics, a.statistics)
      .add(Scale, &a.scale);
  if (a.causal) pack.add(Never, &k_never);
  plans_->execute(plans_->forward, shape_of(a), pack);
}

void CudnnAttention::backward(const FusedAttention<Scalar>& a,
                              const FusedAttentionGradients<Scalar>& g) {
  using enum BackwardTensor;
  const kernels::HeadShape& heads = a.heads;
  const std::int64_t token = heads.heads * heads.head_columns;
  const auto wide = static_cast<std::size_t>(heads.samples * heads.tokens * token) * sizeof(float);
  PIPEGRAPH_CUDA(cudaMemsetAsync(g.queries, 0, wide, plans_->stream));
  Pack pack;
  pack.add(Queries, a.queries)
      .add(Keys, a.keys)
      .add(Values, a.values)
      .add(Result, a.result)
      .add(Statistics, a.statistics)
      .add(ResultGradient, g.result)
      .add(QueriesGradient, g.projected)
      .add(KeysGradient, g.projected + token)
      .add(ValuesGradient, g.projected + 2 * token)
      .add(Sums, g.sums)
      .add(WideQueriesGradient, g.queries)
      .add(Scale, &a.scale)
      .add(One, &k_one);
  if (a.causal) pack.add(Never, &k_never);
  plans_->execute(plans_->backward, shape_of(a), pack);
}

std::string CudnnAttention::version() {
  const std::size_t version = cudnn_version();
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

}  // namespace pipegraph
