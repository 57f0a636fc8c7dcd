// What a simulating child leaves for its parent, in anonymous memory that both map.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sim/network_model.h"
#include "sim/simulate.h"

namespace pipegraph {

/// How far the child came. It starts as Unfinished, which is what remains if it is killed.
enum class ChildStatus : std::uint8_t { Unfinished, Finished, InternalError, MachineError };

class SharedResults {
 public:
  /// Zeroed room for start and end of each instruction and the bytes of each link. Errors:
  /// MachineError if there is no such memory.
  SharedResults(std::size_t instructions, std::size_t links);
  SharedResults(const SharedResults&) = delete;
  SharedResults& operator=(const SharedResults&) = delete;
  ~SharedResults();

  std::span<double> start() const { return {numbers_, instructions_}; }
  std::span<double> end() const { return {numbers_ + instructions_, instructions_}; }
  std::span<double> link_bytes() const { return {numbers_ + 2 * instructions_, links_}; }

  /// The child's last act.
  void finish(const FlowCounts& counts, const NetworkFactors& factors);
  void fail(ChildStatus status, std::string_view what);

  ChildStatus status() const;
  std::string failure() const;
  FlowCounts counts() const;
  NetworkFactors factors() const;

 private:
  struct Header;
  std::size_t instructions_;
  std::size_t links_;
  std::size_t size_;
  Header* header_;
  double* numbers_;
};

}  // namespace pipegraph
