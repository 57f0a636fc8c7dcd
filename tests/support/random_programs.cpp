#include "tests/support/random_programs.h"

#include <algorithm>
#include <array>
#include <random>
#include <utility>
#include <vector>

namespace pipegraph::test {
namespace {

constexpr std::array k_passes{InstructionKind::Forward, InstructionKind::Backward,
                              InstructionKind::BackwardInput, InstructionKind::BackwardWeight};

class Generator {
 public:
  explicit Generator(const RandomProgram& options)
      : options_(options),
        sketch_(options.devices, options.lanes),
        random_(options.seed),
        past_(static_cast<std::size_t>(options.devices)) {}

  Program run() && {
    for (int i = 0; i < options_.events; ++i) {
      const unsigned kind = number(10);
      if (kind < 4) {
        compute();
      } else if (kind < 9) {
        transfer();
      } else {
        all_reduce();
      }
    }
    return std::move(sketch_).build();
  }

 private:
  /// 0 .. below - 1; not std::uniform_int_distribution, whose results differ between libraries.
  unsigned number(unsigned below) { return static_cast<unsigned>(random_() % below); }
  int device() { return static_cast<int>(number(static_cast<unsigned>(options_.devices))); }

  /// Up to three earlier instructions of the device, recent ones more often.
  Waits waits(int on) {
    const Waits& past = past_[static_cast<std::size_t>(on)];
    Waits chosen;
    for (unsigned n = number(4); n > 0 && !past.empty(); --n) {
      const std::size_t back = number(static_cast<unsigned>(std::min<std::size_t>(past.size(), 6)));
      chosen.push_back(past[past.size() - 1 - back]);
    }
    return chosen;
  }

  void remember(int on, InstructionId id) { past_[static_cast<std::size_t>(on)].push_back(id); }

  std::uint64_t bytes() { return number(8) == 0 ? 0 : 1 + random_() % options_.most_bytes; }

  void compute() {
    const int on = device();
    const double seconds = number(8) == 0 ? 0.0 : number(1000) * options_.longest_compute / 1000.0;
    const InstructionKind kind = k_passes[computes_++ % k_passes.size()];
    remember(on, sketch_.compute(on, seconds, waits(on), kind));
  }

  void transfer() {
    const int from = device();
    int to = device();
    if (options_.apart && (from + to) % 2 == 0) to = to + 1 < options_.devices ? to + 1 : to - 1;
    if (from == to) return;
    const auto [sent, received] = sketch_.transfer({from, to}, bytes(), waits(from), waits(to));
    remember(from, sent);
    remember(to, received);
  }

  void all_reduce() {
    std::vector<int> members;
    for (int d = 0; d < options_.devices; ++d)
      if (options_.apart ? d % 2 == 0 : number(2) == 0) members.push_back(d);
    if (members.size() < 2) return;
    std::vector<Waits> before;
    for (int member : members) before.push_back(waits(member));
    const auto ids = sketch_.all_reduce(members, bytes(), before);
    for (std::size_t i = 0; i < ids.size(); ++i) remember(members[i], ids[i]);
  }

  const RandomProgram& options_;
  ProgramSketch sketch_;
  std::mt19937 random_;
  std::vector<Waits> past_;  ///< by device
  std::size_t computes_ = 0;
};

}  // namespace

Program random_program(const RandomProgram& options) { return Generator(options).run(); }

}  // namespace pipegraph::test
