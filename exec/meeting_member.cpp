#include <utility>

#include "exec/reducing_member.h"

namespace pipegraph {
namespace {

class MeetingMember : public ReducingMember {
 public:
  explicit MeetingMember(MemberMessages messages) : messages_(std::move(messages)) {}

  void begin() override {
    if (messages_.self() == 0) {
      for_others([this](std::size_t other) { messages_.receive(other, {}); });
    } else {
      messages_.send(0, {});
      messages_.receive(0, {});
    }
    if (messages_.members() == 1) done_ = true;
  }

  void arrived(const Arrival& arrival) override {
    messages_.arrived(arrival);
    if (!messages_.all_arrived()) return;
    if (messages_.self() != 0 || answered_) {
      done_ = true;
      return;
    }
    answered_ = true;
    messages_.post_as(messages_.latest_posted());
    for_others([this](std::size_t other) { messages_.send(other, {}); });
  }

  bool done() const override { return done_; }
  Seconds start() const override { return messages_.latest_posted(); }

 private:
  template <class Act>
  void for_others(Act act) {
    for (std::size_t other = 1; other < messages_.members(); ++other) act(other);
  }

  MemberMessages messages_;
  bool answered_ = false;
  bool done_ = false;
};

}  // namespace

std::unique_ptr<ReducingMember> make_meeting_member(MemberMessages messages) {
  return std::make_unique<MeetingMember>(std::move(messages));
}

}  // namespace pipegraph
