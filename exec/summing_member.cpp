#include <algorithm>
#include <utility>

#include "core/base/errors.h"
#include "exec/reducing_member.h"
#include "exec/transport/copy_pieces.h"

namespace pipegraph {
namespace {

/// Adds what this device has, and lets the transport add that to what others have once all members
/// are there.
class SummingMember : public ReducingMember {
 public:
  SummingMember(const ReducingContext& context, InstructionId all_reduce,
                std::unique_ptr<ReducingMember> meeting, const GradientSum& sum)
      : context_(context), all_reduce_(all_reduce), meeting_(std::move(meeting)), sum_(sum) {}

  void begin() override { meeting_->begin(); }

  void arrived(const Arrival& arrival) override {
    if (meeting_->done()) {
      done_ = true;
      return;
    }
    meeting_->arrived(arrival);
    if (!meeting_->done()) return;
    add_own();
    const Instruction& instruction = context_.program.at(all_reduce_);
    context_.transport.add_up(
        instruction.device,
        {.instruction = all_reduce_, .group = instruction.group, .pieces = sum_.sum});
  }

  bool done() const override { return done_; }
  Seconds start() const override { return meeting_->start(); }

 private:
  static bool same(std::span<const Piece> a, std::span<const Piece> b) {
    return a.size() == b.size() && std::ranges::equal(a, b, [](const Piece& x, const Piece& y) {
             return x.data == y.data && x.bytes == y.bytes;
           });
  }

  /// The sum's place may be that of an addend, which then is where adding starts.
  void add_own() {
    const Addend* first = nullptr;
    for (const Addend& addend : sum_.addends)
      if (!addend.pieces.empty() && (first == nullptr || same(addend.pieces, sum_.sum)))
        first = &addend;
    check(first != nullptr, "every member has something to add");
    if (!same(first->pieces, sum_.sum)) apply(first->pieces, &Engine::copy);
    for (const Addend& addend : sum_.addends)
      if (!addend.pieces.empty() && &addend != first) apply(addend.pieces, &Engine::add);
  }

  void apply(std::span<const Piece> from, void (Engine::*act)(Piece, Piece)) {
    for_each_stretch(from, sum_.sum, [&](std::byte* into, std::byte* out_of, std::uint64_t count) {
      (context_.engine.*act)({into, Bytes{count}}, {out_of, Bytes{count}});
    });
  }

  ReducingContext context_;
  InstructionId all_reduce_;
  std::unique_ptr<ReducingMember> meeting_;
  GradientSum sum_;
  bool done_ = false;
};

}  // namespace

std::unique_ptr<ReducingMember> make_summing_member(const ReducingContext& context,
                                                    InstructionId all_reduce,
                                                    MemberMessages messages,
                                                    const GradientSum& sum) {
  return std::make_unique<SummingMember>(context, all_reduce,
                                         make_meeting_member(std::move(messages)), sum);
}

}  // namespace pipegraph
