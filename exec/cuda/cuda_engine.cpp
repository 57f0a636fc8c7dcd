#include "exec/cuda/cuda_engine.h"

#include <algorithm>
#include <utility>

#include "exec/cuda/gpus.h"
#include "exec/reduction_shares.h"
#include "exec/training/initial_weights.h"

namespace pipegraph {

namespace {

constexpr std::size_t k_exchange_floats = std::size_t{1} << 20;
constexpr int k_not_a_number = 0xff;  // in every byte; as an index: -1

std::int64_t count_of(Bytes bytes) {
  return static_cast<std::int64_t>(bytes.count / sizeof(float));
}
float* floats(std::byte* data) { return reinterpret_cast<float*>(data); }

CudaDeviceOptions device_options(CudaDeviceOptions options, const DevicePasses& passes,
                                 CudaMemory& memory) {
  options.precision = product_precision(passes.tables().model().workload.training.precision);
  options.workspace_memory = memory.allocate(options.workspace);
  return options;
}

int make_current(int gpu) {
  PIPEGRAPH_CUDA(cudaSetDevice(gpu));
  return gpu;
}

}  // namespace

void CudaEngine::Reader::operator()(const ReadStep& step, void* place) const {
  if (from_host && from_host->in_use) {
    PIPEGRAPH_CUDA(cudaMemcpyAsync(place, from_host->samples.next(), step.bytes.count,
                                   cudaMemcpyHostToDevice, stream));
    return;
  }
  std::byte* const staged = uploads.take(step.bytes);
  read_samples(order, step, staged);
  PIPEGRAPH_CUDA(cudaMemcpyAsync(place, staged, step.bytes.count, cudaMemcpyHostToDevice, stream));
}

CudaEngine::CudaEngine(const Context& context, DeviceId device, const CudaEngineOptions& options)
    : shared_(context.shared),
      gpu_(make_current(context.shared.lanes.gpu(device))),
      passes_(context.shared.tables, device, arena_kind(options.memory)),
      memory_(passes_),
      pieces_(passes_, memory_.bases()),
      uploads_(most_read(passes_), k_most_under_way),
      workspace_(options.device.workspace),
      device_(device_options(options.device, passes_, memory_)),
      runner_(std::in_place_index<0>, device_, passes_, memory_.bases(),
              Reader{context.shared.order, uploads_, device_.stream(), from_host_}),
      exchange_(allocate_pinned(Bytes{k_exchange_floats * sizeof(float)})),
      times_(context.clock, context.shared.marks),
      computes_(device_.stream(), context.clock, times_) {
  if (rounds())
    runner_.emplace<1>(bf16_device_, passes_, memory_.bases(),
                       Reader{context.shared.order, uploads_, device_.stream(), from_host_});
  if (options.attention == GpuAttention::Cudnn) use_cudnn();
  initialise();
  if (options.memory == MemoryUse::Poison)
    poisoning_.emplace(passes_, [this](Stretch ended) { poison(ended); });
  std::vector<float> weights;
  for (const StoredOwner& stored : passes_.parameters().stored()) {
    weights.resize(static_cast<std::size_t>(count_of(stored.bytes)));
    fill_initial_weights(shared_.tables.graph(), stored.owner, options.seed, weights);
    write({Area::Parameters, stored.begin}, weights);
  }
  shared_.lanes.enter(device, {sums_, times_, &pieces_, &memory_});
}

CudaEngine::~CudaEngine() { shared_.lanes.leave(passes_.device()); }

/// All shapes are planned here, so that steps wait for no compiler.
void CudaEngine::use_cudnn() {
  attention_.emplace(device_.stream());
  for (const Step& step : passes_.steps().steps) {
    const auto* const op = std::get_if<OperatorStep>(&step);
    if (op == nullptr) continue;
    const OperatorArithmetic& arithmetic = passes_.tables().graph().at(op->op).arithmetic;
    if (arithmetic.kind == Arithmetic::Attention)
      attention_->plan(attention_shape(arithmetic, op->samples));
  }
  if (attention_->workspace().count > 0)
    attention_->use_workspace(memory_.allocate(attention_->workspace()));
  bf16_device_.fuse_attention(*attention_);
}

/// Zeros, as far as something is read before it is written.
void CudaEngine::initialise() {
  for (const Area area :
       {Area::Parameters, Area::Gradients, Area::State, Area::Accumulators, Area::Losses})
    device_.zero(floats(address(memory_.bases(), {area, {}})),
                 count_of(passes_.sizes()[static_cast<std::size_t>(area)]));
}

void CudaEngine::poison(Stretch ended) {
  if (ended.bytes.count == 0) return;
  PIPEGRAPH_CUDA(cudaMemsetAsync(address(memory_.bases(), ended.begin), k_not_a_number,
                                 ended.bytes.count, device_.stream()));
}

void CudaEngine::begin_step(std::int64_t /*step*/) {
  wait_for_sums();
  for (const Stretch& zeros : zero_at_begin(passes_))
    device_.zero(floats(address(memory_.bases(), zeros.begin)), count_of(zeros.bytes));
  if (poisoning_) poisoning_->begin_step();
  times_.begin_step();
  PIPEGRAPH_CUDA(cudaStreamSynchronize(device_.stream()));
}

void CudaEngine::wait_for_sums() {
  if (!std::exchange(summed_, false)) return;
  sums_.publish();
  sums_.make_wait(device_.stream());
}

void CudaEngine::start(InstructionId compute) {
  wait_for_sums();
  computes_.add(compute, [&] { enqueue(compute); });
}

void CudaEngine::enqueue(InstructionId compute) {
  if (poisoning_) poisoning_->before(compute);
  if (shared_.tables.program().at(compute).kind == InstructionKind::Optimizer)
    return update(compute);
  const auto run = [compute](auto& runner) { runner.run(compute); };
  if (issues_whole_step()) return std::visit(run, runner_);
  uploads_.begin_pass();
  std::visit(run, runner_);
  uploads_.end_pass(device_.stream());
}

OptimizerWork CudaEngine::optimizer_work(InstructionId optimizer) const {
  return {shared_.tables.model().workload.training.optimizer, shared_.order,
          optimized_tensors<float>(passes_, memory_.bases(),
                                   shared_.tables.program().at(optimizer).stage)};
}

void CudaEngine::update(InstructionId optimizer) {
  const OptimizerWork work = optimizer_work(optimizer);
  if (issues_whole_step())
    step_from_slot(device_, from_host_->optimizers.at(optimizer), work);
  else
    cuda_optimizer_step(device_, work.optimizer, work.order, work.tensors);
  round(passes_.parameters().updated_by(shared_.tables.program().at(optimizer).stage));
}

Piece CudaEngine::allocate(Bytes bytes) {
  const OnGpu here(gpu_);
  return {memory_.allocate(bytes), bytes};
}

void CudaEngine::prepare_whole_steps() {
  const OnGpu here(gpu_);
  std::vector<InstructionId> optimizers;
  for (const InstructionId id : shared_.tables.model().order.on(passes_.device()))
    if (shared_.tables.program().at(id).kind == InstructionKind::Optimizer)
      optimizers.push_back(id);
  const Bytes bytes = k_optimizer_slot * optimizers.size();
  from_host_.reset(new FromHost{StepSamples(passes_), {}, allocate_pinned(bytes)});
  std::byte* host = from_host_->pinned.get();
  std::byte* gpu = optimizers.empty() ? nullptr : memory_.allocate(bytes);
  for (const InstructionId id : optimizers) {
    from_host_->optimizers[id] = {host, gpu};
    host += k_optimizer_slot.count;
    gpu += k_optimizer_slot.count;
  }
}

void CudaEngine::fill_whole_step() {
  from_host_->samples.fill(shared_.order);
  for (const auto& [id, slot] : from_host_->optimizers) fill_slot(slot, optimizer_work(id));
}

void CudaEngine::issue(InstructionId compute) {
  from_host_->in_use = true;
  enqueue(compute);
  from_host_->in_use = false;
}

/// Rounded parameters follow those that are trained.
void CudaEngine::round(Stretch parameters) {
  if (!rounds() || parameters.bytes.count == 0) return;
  const std::uint64_t first = parameters.begin.offset().count / sizeof(float);
  std::byte* const into =
      address(memory_.bases(), {Area::Rounded, Bytes{first * sizeof(kernels::BFloat16)}});
  round_parameters(device_.stream(),
                   {floats(address(memory_.bases(), parameters.begin)),
                    reinterpret_cast<kernels::BFloat16*>(into), count_of(parameters.bytes)});
}

void CudaEngine::add(Piece destination, Piece source) {
  summed_ = true;
  add_floats(sums_.use(),
             {floats(source.data), floats(destination.data), count_of(destination.bytes)});
}

void CudaEngine::copy(Piece destination, Piece source) {
  if (source.bytes.count == 0) return;
  summed_ = true;
  PIPEGRAPH_CUDA(cudaMemcpyAsync(destination.data, source.data, source.bytes.count,
                                 cudaMemcpyDeviceToDevice, sums_.use()));
}

void CudaEngine::read(Place from, std::span<float> into) const {
  const OnGpu here(gpu_);
  sums_.publish();
  sums_.make_wait(device_.stream());
  for (std::size_t done = 0; done < into.size(); done += k_exchange_floats) {
    const auto part = into.subspan(done, std::min(k_exchange_floats, into.size() - done));
    PIPEGRAPH_CUDA(cudaMemcpyAsync(exchange_.get(),
                                   address(memory_.bases(), from + Bytes{done * sizeof(float)}),
                                   part.size_bytes(), cudaMemcpyDeviceToHost, device_.stream()));
    PIPEGRAPH_CUDA(cudaStreamSynchronize(device_.stream()));
    std::copy_n(floats(exchange_.get()), part.size(), part.begin());
  }
}

void CudaEngine::write(Place to, std::span<const float> from) {
  const OnGpu here(gpu_);
  for (std::size_t done = 0; done < from.size(); done += k_exchange_floats) {
    const auto part = from.subspan(done, std::min(k_exchange_floats, from.size() - done));
    std::copy(part.begin(), part.end(), floats(exchange_.get()));
    PIPEGRAPH_CUDA(cudaMemcpyAsync(address(memory_.bases(), to + Bytes{done * sizeof(float)}),
                                   exchange_.get(), part.size_bytes(), cudaMemcpyHostToDevice,
                                   device_.stream()));
    PIPEGRAPH_CUDA(cudaStreamSynchronize(device_.stream()));
  }
  if (to.area() != Area::Parameters) return;
  round({to, Bytes{from.size_bytes()}});
  PIPEGRAPH_CUDA(cudaStreamSynchronize(device_.stream()));
}

Bytes CudaEngine::gathered() const {
  const Program& program = shared_.tables.program();
  std::map<LaneId, Bytes> of_lane;
  Bytes total;
  for (const InstructionId id : shared_.tables.model().order.on(passes_.device())) {
    const Instruction& instruction = program.at(id);
    if (instruction.kind != InstructionKind::AllReduce) continue;
    const GradientSum sum = pieces_.sum(id);
    const Group& group = program.groups()[instruction.group.index()];
    if (shared_.lanes.connections_add_up(instruction.group) && every_member_adds(group, sum))
      continue;
    const Bytes bytes = gathered_bytes(sum, group.devices.size());
    Bytes& had = of_lane[instruction.lane];
    if (bytes <= had) continue;
    total += bytes;
    had = bytes;
  }
  return total;
}

DeviceMemoryUse CudaEngine::memory_use() const {
  const Bytes slots = from_host_ ? k_optimizer_slot * from_host_->optimizers.size() : Bytes{};
  const Bytes attention = attention_ ? attention_->workspace() : Bytes{};
  return memory_.use(workspace_ + attention + gathered() + slots +
                     shared_.lanes.connection_memory(passes_.device()));
}

EngineFactory cuda_engines(const CudaEngine::Shared& shared, const CudaEngineOptions& options,
                           std::vector<TrainingEngine*>& made) {
  return [shared, options, &made](DeviceId device, Clock& clock) {
    auto engine = std::make_unique<CudaEngine>(CudaEngine::Context{shared, clock}, device, options);
    made[device.index()] = engine.get();
    return engine;
  };
}

}  // namespace pipegraph
