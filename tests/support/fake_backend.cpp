#include "tests/support/fake_backend.h"

#include <random>
#include <utility>
#include <vector>

#include "core/run/rendezvous.h"

namespace pipegraph::test {
namespace {

class FakeBackend : public Backend {
 public:
  FakeBackend(const Program& program, const FakeOptions& options)
      : program_(program), options_(options), rendezvous_(program), random_(options.seed) {}

  void start(InstructionId id) override {
    const InstructionKind kind = program_.at(id).kind;
    if (is_compute(kind)) {
      begin({id});
    } else if (is_transfer(kind)) {
      if (const auto transfer = rendezvous_.post_transfer(id))
        begin({transfer->recv, transfer->send});
    } else if (const auto members = rendezvous_.post_all_reduce(id); !members.empty()) {
      begin({members.rbegin(), members.rend()});
    }
  }

  std::span<const Completion> wait() override {
    completions_.clear();
    if (in_progress_.empty()) return {};
    const std::size_t chosen = choose();
    const Event event = std::move(in_progress_[chosen]);
    in_progress_.erase(in_progress_.begin() + static_cast<std::ptrdiff_t>(chosen));
    now_ += Seconds{options_.tick};
    for (InstructionId id : event.instructions) completions_.push_back({id, event.start, now_});
    return completions_;
  }

 private:
  struct Event {
    std::vector<InstructionId> instructions;
    Seconds start{0};
  };

  void begin(std::vector<InstructionId> instructions) {
    in_progress_.push_back({std::move(instructions), now_});
  }

  std::size_t choose() {
    switch (options_.order) {
      case FakeOrder::OldestFirst:
        return 0;
      case FakeOrder::NewestFirst:
        return in_progress_.size() - 1;
      case FakeOrder::Random:
        return random_() % in_progress_.size();
    }
    return 0;
  }

  const Program& program_;
  FakeOptions options_;
  Rendezvous rendezvous_;
  std::mt19937 random_;
  std::vector<Event> in_progress_;
  std::vector<Completion> completions_;
  Seconds now_{0};
};

}  // namespace

std::unique_ptr<Backend> make_fake_backend(const Program& program, const FakeOptions& options) {
  return std::make_unique<FakeBackend>(program, options);
}

}  // namespace pipegraph::test
