// Puts a whole step of all devices of a process on its GPUs' streams, from one thread in the global
// sequence: streams wait for each other by events, the host for nothing.
#pragma once

#include <map>
#include <vector>

#include "core/run/counterparts.h"
#include "exec/cuda/cuda_engine.h"

namespace pipegraph {

class StepIssuer {
 public:
  /// One engine for each device of the program; all outlive this. The calling thread's current GPU
  /// is that of the streams to come as `root`. Errors: CudaError.
  StepIssuer(const Program& program, std::vector<CudaEngine*> engines);

  /// Everything begins after what `root` has been given before, and ends before what it is given
  /// afterwards. What it captures may have streams of several GPUs. Errors: CudaError;
  /// InternalError if an instruction stands before one that it waits for.
  void issue(cudaStream_t root);

 private:
  /// A stream and its GPU; `last` stands for all that a step has put on it.
  struct Track {
    cudaStream_t stream = nullptr;
    int gpu = 0;
    CudaEvent last;
    bool in_use = false;  ///< in the step that is being issued
  };
  /// Where an all-reduce adds up: on the GPU of the group's first member.
  struct Summing {
    std::size_t track = 0;
    Piece total, of_use;
    Piece brought;  ///< an addend of another GPU; empty: there is none
  };

  std::size_t add_track(cudaStream_t stream, int gpu);
  std::size_t add_track(int gpu);
  void find_tracks();
  void begin(cudaStream_t root);
  void end(cudaStream_t root);
  cudaStream_t use(std::size_t track);
  void wait_for(InstructionId id, cudaStream_t stream);
  void done(InstructionId id, cudaStream_t stream);
  void compute(InstructionId id);
  void transfer(InstructionId send, InstructionId recv);
  void all_reduce(std::span<const InstructionId> members);
  void add_up(std::span<const InstructionId> members, const Summing& summing);
  const Addend& addend_of(std::span<const InstructionId> members, std::size_t addend);
  CudaEngine& engine(DeviceId device) { return *engines_[device.index()]; }
  CudaEngine& engine(InstructionId id) { return engine(program_.at(id).device); }

  const Program& program_;
  std::vector<CudaEngine*> engines_;
  Counterparts counterparts_;
  std::vector<CudaStream> own_;  ///< of messages and sums
  std::vector<Track> tracks_;
  std::vector<std::size_t> track_of_;  ///< by instruction: where it is put
  std::vector<Summing> sums_;          ///< by group
  std::vector<InstructionId> before_;  ///< by instruction: the one before it on its lane
  CudaEvent begun_ = make_event();
  std::vector<CudaEvent> ended_;  ///< by instruction, of the GPU of its stream
  std::vector<char> issued_;      ///< by instruction, in the step that is being issued
};

}  // namespace pipegraph
