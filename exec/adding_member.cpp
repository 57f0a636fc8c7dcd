#include <utility>

#include "core/base/errors.h"
#include "exec/reducing_member.h"
#include "exec/reduction_shares.h"

namespace pipegraph {
namespace {

class AddingMember : public ReducingMember {
 public:
  AddingMember(MemberMessages messages, Engine& engine, const GradientSum& sum)
      : messages_(std::move(messages)),
        engine_(engine),
        sum_(sum),
        bytes_(total_bytes(sum.sum).count),
        gathered_(sum.addends.size()) {
    check(bytes_ % k_reduced_float_bytes == 0, "gradients are 32-bit floats");
    for (const Addend& addend : sum.addends)
      check(addend.pieces.empty() || total_bytes(addend.pieces).count == bytes_,
            "an addend is as long as the sum");
  }

  Bytes scratch_bytes() const { return gathered_bytes(sum_, messages_.members()); }
  void use(Piece scratch) { scratch_ = scratch; }

  void begin() override { gather(); }

  void arrived(const Arrival& arrival) override {
    messages_.arrived(arrival);
    if (!messages_.all_arrived()) return;
    if (phase_ == Phase::Gathering) {
      add();
      spread();
    } else {
      next_segment();
    }
  }

  bool done() const override { return phase_ == Phase::Done; }
  Seconds start() const override { return messages_.latest_posted(); }

 private:
  enum class Phase : std::uint8_t { Gathering, Spreading, Done };

  ByteRange part_of(std::size_t member) const {
    return share_of(segment_, member, messages_.members());
  }
  std::size_t member_of(const Addend& addend) const {
    for (std::size_t m = 0; m < messages_.members(); ++m)
      if (messages_.device(m) == addend.device) return m;
    throw InternalError("an addend lies on a member of the group");
  }
  Piece take_scratch(std::uint64_t bytes) {
    check(used_ + bytes <= scratch_.bytes.count, "the scratch memory holds a segment");
    const Piece piece{scratch_.data + used_, Bytes{bytes}};
    used_ += bytes;
    return piece;
  }

  void gather() {
    phase_ = Phase::Gathering;
    segment_ = segment_at(segment_.first, bytes_);
    used_ = 0;
    const std::size_t self = messages_.self();
    const ByteRange own = part_of(self);
    for (std::size_t a = 0; a < sum_.addends.size(); ++a) {
      const Addend& addend = sum_.addends[a];
      const std::size_t from = member_of(addend);
      if (from == self) {
        gathered_[a] = slice_pieces(addend.pieces, own);
        for (std::size_t to = 0; to < messages_.members(); ++to)
          if (to != self) messages_.send(to, slice_pieces(addend.pieces, part_of(to)));
      } else {
        gathered_[a] = {take_scratch(own.last - own.first)};
        messages_.receive(from, gathered_[a]);
      }
    }
    if (messages_.all_arrived()) finish_alone();
  }

  /// No other member has an addend or wants one.
  void finish_alone() {
    add();
    next_segment();
  }

  /// Addends of a use in their order, then the uses in theirs.
  void add() {
    const ByteRange own = part_of(messages_.self());
    if (own.first == own.last) return;  // fewer floats than members
    const Piece total = take_scratch(own.last - own.first);
    const Piece of_use = take_scratch(own.last - own.first);
    for (std::size_t a = 0; a < gathered_.size();) {
      const std::int32_t use = sum_.addends[a].use;
      const Piece into = a == 0 ? total : of_use;
      spread_over(gathered_[a], into, &Engine::copy);
      for (++a; a < gathered_.size() && sum_.addends[a].use == use; ++a)
        spread_over(gathered_[a], into, &Engine::add);
      if (into.data != total.data) engine_.add(total, into);
    }
    std::uint64_t offset = 0;
    for (const Piece& piece : slice_pieces(sum_.sum, own)) {
      engine_.copy(piece, {total.data + offset, piece.bytes});
      offset += piece.bytes.count;
    }
  }

  /// `act` for each piece of `from` with the bytes of `into` that correspond to it.
  void spread_over(const std::vector<Piece>& from, Piece into, void (Engine::*act)(Piece, Piece)) {
    std::uint64_t offset = 0;
    for (const Piece& piece : from) {
      (engine_.*act)({into.data + offset, piece.bytes}, piece);
      offset += piece.bytes.count;
    }
  }

  void spread() {
    phase_ = Phase::Spreading;
    const std::size_t self = messages_.self();
    for (std::size_t other = 0; other < messages_.members(); ++other) {
      if (other == self) continue;
      messages_.send(other, slice_pieces(sum_.sum, part_of(self)));
      messages_.receive(other, slice_pieces(sum_.sum, part_of(other)));
    }
  }

  void next_segment() {
    segment_.first = segment_.last;
    if (segment_.first < bytes_)
      gather();
    else
      phase_ = Phase::Done;
  }

  MemberMessages messages_;
  Engine& engine_;
  GradientSum sum_;
  std::uint64_t bytes_;
  ByteRange segment_;
  Phase phase_ = Phase::Gathering;
  std::vector<std::vector<Piece>> gathered_;  ///< by addend: the own part of the segment
  Piece scratch_;
  std::uint64_t used_ = 0;
};

}  // namespace

std::unique_ptr<ReducingMember> make_adding_member(MemberMessages messages, Engine& engine,
                                                   const GradientSum& sum,
                                                   const ScratchOf& scratch) {
  auto member = std::make_unique<AddingMember>(std::move(messages), engine, sum);
  member->use(scratch(member->scratch_bytes()));
  return member;
}

}  // namespace pipegraph
