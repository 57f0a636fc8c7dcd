#include "sim/shared_results.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

constexpr std::size_t k_longest_text = 4096;
constexpr std::size_t k_most_steps = 32;

/// A FactorTable without pointers.
struct FlatTable {
  std::uint32_t size = 0;
  std::array<FactorStep, k_most_steps> steps;

  void set(const FactorTable& table) {
    check(table.size() <= k_most_steps, "room for a network model's factors");
    size = static_cast<std::uint32_t>(table.size());
    std::ranges::copy(table, steps.begin());
  }
  FactorTable get() const { return {steps.begin(), steps.begin() + size}; }
};

}  // namespace

struct SharedResults::Header {
  ChildStatus status = ChildStatus::Unfinished;
  FlowCounts counts;
  FlatTable latency, bandwidth;
  double tcp_gamma_bytes = 0.0;
  bool cross_traffic = false;
  std::array<char, k_longest_text> text{};
};

SharedResults::SharedResults(std::size_t instructions, std::size_t links)
    : instructions_(instructions),
      links_(links),
      size_(sizeof(Header) + sizeof(double) * (2 * instructions + links)) {
  static_assert(sizeof(Header) % sizeof(double) == 0);
  void* memory = mmap(nullptr, size_, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    throw MachineError(fmt::format("cannot start a simulation: no {} bytes of shared memory: {}",
                                   size_, std::strerror(errno)));
  header_ = new (memory) Header;
  numbers_ = reinterpret_cast<double*>(static_cast<std::byte*>(memory) + sizeof(Header));
}

SharedResults::~SharedResults() { munmap(header_, size_); }

void SharedResults::finish(const FlowCounts& counts, const NetworkFactors& factors) {
  header_->counts = counts;
  header_->latency.set(factors.latency);
  header_->bandwidth.set(factors.bandwidth);
  header_->tcp_gamma_bytes = factors.tcp_gamma_bytes;
  header_->cross_traffic = factors.cross_traffic;
  header_->status = ChildStatus::Finished;
}

void SharedResults::fail(ChildStatus status, std::string_view what) {
  const std::size_t kept = std::min(what.size(), k_longest_text - 1);
  std::copy_n(what.begin(), kept, header_->text.begin());
  header_->status = status;
}

ChildStatus SharedResults::status() const { return header_->status; }
std::string SharedResults::failure() const { return header_->text.data(); }
FlowCounts SharedResults::counts() const { return header_->counts; }

NetworkFactors SharedResults::factors() const {
  return {header_->latency.get(), header_->bandwidth.get(), header_->tcp_gamma_bytes,
          header_->cross_traffic};
}

}  // namespace pipegraph
