#include "exec/common_clock.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

constexpr int k_rounds = 16;        // of questions and answers
constexpr Seconds k_ahead{0.0001};  // for the start to be known to all before it comes

std::string to_bytes(Seconds time) {
  const double seconds = time.count();
  return {reinterpret_cast<const char*>(&seconds), sizeof seconds};
}

Seconds from_bytes(const std::string& bytes) {
  double seconds = 0.0;
  check(bytes.size() == sizeof seconds, "a rank tells a time");
  std::memcpy(&seconds, bytes.data(), sizeof seconds);
  return Seconds{seconds};
}

std::string link_target(const char* path) {
  std::array<char, 256> target{};
  const auto length = readlink(path, target.data(), target.size());
  return length < 0 ? "" : std::string(target.data(), static_cast<std::size_t>(length));
}

/// Whether all ranks read one clock.
bool one_clock(Ranks& ranks) {
  const std::string own = clock_identity();
  const auto all = ranks.all_gather(own);
  return !own.empty() && std::ranges::count(all, own) == std::ssize(all);
}

}  // namespace

std::string clock_identity() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  if (!std::getline(file, boot) || boot.empty()) return "";
  // Containers may see the host's clock shifted.
  return boot + " " + link_target("/proc/self/ns/time");
}

CommonClock::CommonClock(Ranks& ranks, RankClocks clocks, ClockReader now)
    : ranks_(ranks), now_(std::move(now)) {
  if (ranks.size() == 1) return;
  const bool one = one_clock(ranks);
  differ_ = clocks == RankClocks::Apart || !one;
}

OffsetEstimate CommonClock::estimate() {
  const auto echoes = ranks_.ask_first_rank(k_rounds, now_);
  return echoes.empty() ? OffsetEstimate{.at = now_()} : estimate_offset(echoes);
}

Seconds CommonClock::start() {
  if (ranks_.size() == 1) return start_ = now_();
  if (differ_) before_ = estimate();
  offset_ = ClockOffset(before_, before_);
  ranks_.all_gather("");
  const Seconds first = from_bytes(ranks_.all_gather(to_bytes(now_() + k_ahead)).front());
  start_ = first - before_.offset;
  while (now_() < start_) {
  }
  return start_;
}

void CommonClock::stop() {
  if (differ_) offset_ = ClockOffset(before_, estimate());
}

Seconds CommonClock::correction(Seconds own) const {
  return offset_.at(start_ + own) - before_.offset;
}

std::optional<Seconds> CommonClock::bound() const {
  return differ_ ? std::optional(offset_.bound()) : std::nullopt;
}

}  // namespace pipegraph
