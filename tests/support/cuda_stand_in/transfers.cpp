// NCCL transfers and collectives: one launch of a communicator at a time, its parts side by side;
// messages of a pair match by order, and a send ends when it has been received.
#include <algorithm>
#include <cstring>

#include "tests/support/cuda_stand_in/call.h"
#include "tests/support/cuda_stand_in/communicators.h"
#include "tests/support/cuda_stand_in/memory.h"
#include "tests/support/cuda_stand_in/process_transfers.h"

namespace pipegraph::cuda_stand_in {

std::size_t bytes_of(ncclDataType_t type) {
  switch (type) {
    case ncclInt8:
    case ncclUint8:
      return 1;
    case ncclFloat16:
    case ncclBfloat16:
      return 2;
    case ncclInt32:
    case ncclUint32:
    case ncclFloat32:
      return 4;
    default:
      return 8;
  }
}

std::string text_of(const Part& part) {
  static const std::vector<std::string> k_names{"send to", "recv from", "all-reduce", "all-gather",
                                                "broadcast from"};
  std::string text = k_names[static_cast<std::size_t>(part.kind)];
  if (part.kind != Operator::AllReduce && part.kind != Operator::AllGather)
    text += " rank " + std::to_string(part.peer);
  return text + " of " + std::to_string(part.count * bytes_of(part.type)) + " bytes";
}

namespace {

/// A launch of a communicator on a stream, carried out in steps.
class Launch {
 public:
  Launch(ncclComm& comm, std::vector<Part> parts)
      : comm_(comm), clique_(comm.clique), turn_(comm.launched++) {
    for (Part& part : parts) works_.push_back({std::move(part)});
  }

  /// Under the lock.
  bool ready() const {
    if (comm_.aborted) return true;
    if (!posted_) return turn_ == comm_.running && !stopped();
    return std::ranges::any_of(works_, [&](const Work& work) { return can_go_on(work); });
  }

  /// On the stream's fiber, without the lock. True: all parts have ended.
  bool go_on() {
    bool all = true;
    for (Work& work : works_) {
      if (!posted_) post(work);
      if (!work.done && may_go_on(work)) carry_out(work);
      all = all && work.done;
    }
    posted_ = true;
    const Unseen unseen;
    const Engine::Lock lock = engine().lock();
    if (!all && !comm_.aborted) return false;
    ++comm_.running;
    return true;
  }

  std::string waits_for() const {
    if (stopped()) return "nothing: the rank has stopped";
    if (!posted_) return "the communicator's launch before it";
    std::string text;
    for (const Work& work : works_)
      if (!work.done)
        text += (text.empty() ? "" : ", ") + std::string("the peer of ") + text_of(work.part);
    return text + " (rank " + std::to_string(comm_.rank) + " of " + clique_->name + ")";
  }

 private:
  struct Work {
    Part part;
    std::shared_ptr<PostedHalf> half;  ///< send: ours; recv: the peer's once matched
    std::shared_ptr<Collective> collective;
    std::string file;  ///< in the shared folder
    bool done = false;
  };

  bool stopped() const { return clique_->stopped.contains(comm_.rank); }
  std::size_t bytes(const Part& part) const { return part.count * bytes_of(part.type); }
  auto& queue(int from, int to) const { return clique_->sends[{from, to}]; }

  bool can_go_on(const Work& work) const {
    if (work.done) return false;
    if (between_processes_) return others_are_there(comm_, work.part, work.file);
    switch (work.part.kind) {
      case Operator::Send:
        return work.half->taken;
      case Operator::Recv:
        return !queue(work.part.peer, comm_.rank).empty();
      default:
        return work.collective->arrived == static_cast<int>(clique_->members.size());
    }
  }

  bool may_go_on(const Work& work) const {
    const Unseen unseen;
    const Engine::Lock lock = engine().lock();
    return !comm_.aborted && can_go_on(work);
  }

  void post(Work& work) {
    const Part& part = work.part;
    if (between_processes_) {
      const Unseen unseen;
      const Engine::Lock lock = engine().lock();
      work.file = post_file(comm_, part);
      return;
    }
    if (part.kind == Operator::Recv) return;
    declare_read(host_view(part.source), part.source == nullptr ? 0 : bytes(part));
    if (part.kind == Operator::Send)
      post_send(work);
    else
      arrive(work);
  }

  void post_send(Work& work) {
    const Part& part = work.part;
    work.half = std::make_shared<PostedHalf>();
    work.half->edge.release();
    const Unseen unseen;
    const Engine::Lock lock = engine().lock();
    PostedHalf& half = *work.half;
    half.source = part.source;
    half.bytes = bytes(part);
    half.type = part.type;
    if (half.bytes <= engine().settings().eager_limit_bytes) {
      half.staged.resize(half.bytes);
      std::memcpy(half.staged.data(), host_view(part.source), half.bytes);
      work.done = true;
    }
    queue(comm_.rank, part.peer).push_back(work.half);
    engine().changed();
  }

  void arrive(Work& work) {
    const Part& part = work.part;
    {
      const Unseen unseen;
      const Engine::Lock lock = engine().lock();
      auto& shared = clique_->collectives[comm_.collectives++];
      if (!shared) shared = std::make_shared<Collective>();
      work.collective = shared;
    }
    work.collective->edge.release();
    const Unseen unseen;
    const Engine::Lock lock = engine().lock();
    Collective& all = *work.collective;
    all.sources.resize(clique_->members.size());
    all.sources[static_cast<std::size_t>(comm_.rank)] = part.source;
    if (all.what.empty()) all.what = text_of(part);
    if (all.what != text_of(part)) {
      found("NCCL", "ranks of " + clique_->name + " disagree: " + all.what + ", " + text_of(part));
      comm_.error = ncclInvalidUsage;
    }
    if (++all.arrived == static_cast<int>(clique_->members.size())) compute(all, part);
    engine().changed();
  }

  void carry_out(Work& work) {
    if (between_processes_) {
      const Unseen unseen;
      const Engine::Lock lock = engine().lock();
      take_file(comm_, work.part, work.file);
    } else if (work.part.kind == Operator::Recv) {
      receive(work);
    } else if (work.part.kind != Operator::Send) {
      finish_collective(work);
    }  // a send, never back: the receiver's work does not order ours
    work.done = true;
  }

  void receive(Work& work) {
    const Part& part = work.part;
    {
      const Unseen unseen;
      const Engine::Lock lock = engine().lock();
      auto& waiting = queue(part.peer, comm_.rank);
      work.half = waiting.front();
      waiting.pop_front();
    }
    work.half->edge.acquire();
    declare_write(host_view(part.target), bytes(part));
    const Unseen unseen;
    const Engine::Lock lock = engine().lock();
    PostedHalf& half = *work.half;
    if (half.bytes != bytes(part) || half.type != part.type) {
      found("NCCL", "rank " + std::to_string(comm_.rank) + " of " + clique_->name + " receives " +
                        std::to_string(bytes(part)) + " bytes where rank " +
                        std::to_string(part.peer) + " sends " + std::to_string(half.bytes));
      comm_.error = ncclRemoteError;
    } else {
      const void* const source = half.staged.empty() ? host_view(half.source) : half.staged.data();
      std::memcpy(host_view(part.target), source, half.bytes);
    }
    half.taken = true;
    engine().changed();
  }

  void finish_collective(Work& work) {
    const Part& part = work.part;
    Collective& all = *work.collective;
    all.edge.acquire();
    const std::size_t size =
        bytes(part) * (part.kind == Operator::AllGather ? clique_->members.size() : 1);
    declare_write(host_view(part.target), size);
    const Unseen unseen;
    std::memcpy(host_view(part.target), all.result.data(), size);
  }

  /// Sums start from the last rank: NCCL's order is its own, and a test should notice that.
  void compute(Collective& all, const Part& part) const {
    const std::size_t ranks = clique_->members.size();
    const std::size_t size = bytes(part);
    if (part.kind == Operator::Broadcast) {
      const auto* const root =
          static_cast<const char*>(host_view(all.sources[static_cast<std::size_t>(part.peer)]));
      all.result.assign(root, root + size);
      return;
    }
    if (part.kind == Operator::AllGather) {
      for (const void* source : all.sources) {
        const auto* const from = static_cast<const char*>(host_view(source));
        all.result.insert(all.result.end(), from, from + size);
      }
      return;
    }
    std::vector<float> sum(part.count);
    for (std::size_t i = ranks; i-- > 0;) {
      const auto* const from = static_cast<const float*>(host_view(all.sources[i]));
      for (std::size_t j = 0; j < part.count; ++j) sum[j] += from[j];
    }
    all.result.resize(size);
    std::memcpy(all.result.data(), sum.data(), size);
  }

  ncclComm& comm_;
  std::shared_ptr<Clique> clique_;
  bool between_processes_ = shared_folder().in_use();
  std::uint64_t turn_;
  std::vector<Work> works_;
  bool posted_ = false;
};

/// Why the parts cannot be launched together; empty if they can.
std::string problem_of(const ncclComm& comm, const std::vector<Part>& parts) {
  for (const Part& part : parts) {
    if (part.stream != parts.front().stream) return "several streams in one group";
    if (part.kind == Operator::AllReduce && part.type != ncclFloat32)
      return "sums are known for fp32 alone";
    if (part.peer < 0 || part.peer >= static_cast<int>(comm.clique->members.size()))
      return "no rank " + std::to_string(part.peer);
    const std::size_t bytes = part.count * bytes_of(part.type);
    const bool reads = part.kind != Operator::Recv;
    const bool writes = part.kind != Operator::Send;
    std::string problem = reads ? memory().problem(part.source, bytes, comm.device) : "";
    if (problem.empty() && writes) problem = memory().problem(part.target, bytes, comm.device);
    if (!problem.empty()) return text_of(part) + ": " + problem;
  }
  const bool self_alone =
      parts.size() == 1 && parts.front().kind == Operator::Send && parts.front().peer == comm.rank;
  return self_alone ? "a send to oneself needs its recv in the same group" : "";
}

/// Pairs are connected by both hosts when they are used first.
void touch_pairs(ncclComm& comm, const std::vector<Part>& parts) {
  for (const Part& part : parts) {
    if (part.kind != Operator::Send && part.kind != Operator::Recv) continue;
    const bool sends = part.kind == Operator::Send;
    const std::pair pair{sends ? comm.rank : part.peer, sends ? part.peer : comm.rank};
    if (!comm.connected.insert(pair).second && part.peer != comm.rank) continue;
    ++comm.clique->connecting[pair];
  }
  engine().changed();
}

bool pairs_connected(const ncclComm& comm) {
  if (shared_folder().in_use()) return true;
  return std::ranges::all_of(comm.connected, [&](const std::pair<int, int>& pair) {
    return comm.clique->connecting[pair] >= 2;
  });
}

ncclResult_t start(ncclComm& comm, std::vector<Part> parts) {
  Stream* const stream = stream_of("NCCL", parts.front().stream);
  if (stream == nullptr) return nccl_error(ncclInvalidArgument, "no such stream");
  const auto launch = std::make_shared<Launch>(comm, parts);
  Operation operation;
  for (const Part& part : parts)
    operation.label += (operation.label.empty() ? "" : " and ") + text_of(part);
  operation.ready = [launch] { return launch->ready(); };
  operation.body = [launch] { return launch->go_on(); };
  operation.waits_for = [launch] { return launch->waits_for(); };
  engine().enqueue(*stream, std::move(operation));
  return ncclSuccess;
}

}  // namespace

ncclResult_t launch_parts(Engine::Lock& lock, ncclComm& comm, std::vector<Part> parts) {
  if (comm.error != ncclSuccess) return comm.error;
  if (!comm.polled)
    found("NCCL", "a non-blocking call of " + comm.clique->name + " was not polled to its end");
  if (const std::string problem = problem_of(comm, parts); !problem.empty()) {
    found("NCCL", problem);
    return nccl_error(ncclInvalidUsage, problem);
  }
  touch_pairs(comm, parts);
  if (!comm.blocking) {
    comm.pending.push_back(std::move(parts));
    comm.polled = false;
    return ncclInProgress;
  }
  if (!engine().wait(lock, "the first use of a pair of " + comm.clique->name + " by its peer",
                     [&] { return pairs_connected(comm) || comm.aborted; }))
    return nccl_error(ncclSystemError, "a pair was never connected");
  return start(comm, std::move(parts));
}

void advance(ncclComm& comm) {
  if (!comm.joined() || !pairs_connected(comm)) return;
  while (!comm.pending.empty()) {
    const ncclResult_t started = start(comm, std::move(comm.pending.front()));
    comm.pending.pop_front();
    if (started != ncclSuccess) comm.error = started;
  }
}

}  // namespace pipegraph::cuda_stand_in
