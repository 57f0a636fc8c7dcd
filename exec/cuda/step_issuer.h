// Puts a whole step of all devices of one GPU on its streams, from one thread in the global
// sequence: streams wait for each other by events, the host for nothing.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "core/run/counterparts.h"
#include "exec/cuda/cuda_engine.h"

namespace pipegraph {

class StepIssuer {
 public:
  /// One engine for each device of the program; all outlive this. Errors: CudaError.
  StepIssuer(const Program& program, std::vector<CudaEngine*> engines);

  /// Everything begins after what `root` has been given before, and ends before what it is given
  /// afterwards. Errors: CudaError; InternalError if an instruction stands before one that it waits
  /// for.
  void issue(cudaStream_t root);

 private:
  /// Where an all-reduce adds up.
  struct Summing {
    CudaStream stream;
    Piece total, of_use;
  };

  void begin(cudaStream_t root);
  void end(cudaStream_t root);
  cudaStream_t use(cudaStream_t stream);
  void wait_for(InstructionId id, cudaStream_t stream);
  void done(InstructionId id, cudaStream_t stream);
  void compute(InstructionId id);
  void transfer(InstructionId send, InstructionId recv);
  void all_reduce(std::span<const InstructionId> members);
  void add_up(std::span<const InstructionId> members, const Summing& summing);
  std::span<const Piece> pieces_of(std::span<const InstructionId> members, std::size_t addend);
  CudaEngine& engine(InstructionId id) { return *engines_[program_.at(id).device.index()]; }

  const Program& program_;
  std::vector<CudaEngine*> engines_;
  Counterparts counterparts_;
  std::map<std::pair<DeviceId, DeviceId>, CudaStream> copies_;  ///< by sender and receiver
  std::vector<Summing> sums_;                                   ///< by group
  std::vector<InstructionId> before_;  ///< by instruction: the one before it on its lane
  CudaEvent begun_ = make_event();
  std::vector<CudaEvent> ended_;  ///< by instruction
  // While a step is issued:
  std::vector<char> issued_;  ///< by instruction
  std::set<cudaStream_t> used_;
  std::vector<CudaEvent> last_;  ///< of each used stream
};

}  // namespace pipegraph
