#include "core/report/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

constexpr double k_clear_difference = 0.05;

std::string stage_name(const Program& program, StageId stage) {
  return stage.valid() ? program.stage_names()[stage.index()] : "tied";
}

/// "a2, b4 forward": the tensors of a message, or "order" of one that only orders.
std::string message_name(const ComparedRun& run, const Instruction& half) {
  std::string tensors;
  if (half.payload.valid())
    for (const PayloadPart& part : run.program.payloads()[half.payload.index()]) {
      const std::string& name = run.graph.at(part.tensor).name;
      if (tensors.find(name) != std::string::npos) continue;  // another range of its samples
      tensors += (tensors.empty() ? "" : ", ") + name;
    }
  return fmt::format("{} {}", tensors.empty() ? "order" : tensors,
                     half.gradients ? "backward" : "forward");
}

/// Rows by part and name, in the order in which they came up.
class Rows {
 public:
  enum class Side : std::uint8_t { A, B };

  void add(ComparedPart part, const std::string& what, Side side, Seconds time) {
    const auto [place, added] = places_.try_emplace({part, what}, rows_.size());
    if (added) rows_.push_back({part, what});
    ComparedTimes& row = rows_[place->second];
    ++(side == Side::A ? row.count_a : row.count_b);
    (side == Side::A ? row.a : row.b) += time;
  }

  std::vector<ComparedTimes> sorted() && {
    std::ranges::stable_sort(rows_, {}, &ComparedTimes::part);
    return std::move(rows_);
  }

 private:
  std::map<std::pair<ComparedPart, std::string>, std::size_t> places_;
  std::vector<ComparedTimes> rows_;
};

void add_instruction(const ComparedRun& run, InstructionId id, Rows::Side side, Rows& rows) {
  const Instruction& instruction = run.program.at(id);
  const Seconds time = run.timeline.end[id.index()] - run.timeline.start[id.index()];
  const Seconds wait = run.timeline.start[id.index()] - run.timeline.ready[id.index()];
  if (is_transfer(instruction.kind)) {
    const std::string what = message_name(run, instruction);
    const bool sends = instruction.kind == InstructionKind::Send;
    if (sends) rows.add(ComparedPart::Transfer, what, side, time);
    rows.add(sends ? ComparedPart::SendWait : ComparedPart::RecvWait, what, side, wait);
    return;
  }
  const std::string stage = stage_name(run.program, instruction.stage);
  if (instruction.kind == InstructionKind::AllReduce) {
    rows.add(ComparedPart::Reduction, stage, side, time);
    return;
  }
  rows.add(ComparedPart::Stage, stage, side, time);
  rows.add(ComparedPart::Pass, fmt::format("{} {}", stage, to_text(instruction.kind)), side, time);
}

bool known(const ComparedRun& run, std::size_t i) {
  return i < run.timeline.size() && !std::isnan(run.timeline.end[i].count());
}

}  // namespace

std::string_view to_text(JoinLevel level) {
  static constexpr std::array<std::string_view, 3> k_names{"instruction", "stage and pass",
                                                           "totals"};
  return k_names.at(static_cast<std::size_t>(level));
}

std::string_view to_text(ComparedPart part) {
  static constexpr std::array<std::string_view, 6> k_names{
      "stage", "pass", "transfer", "waiting to send", "waiting to receive", "all-reduce"};
  return k_names.at(static_cast<std::size_t>(part));
}

double signed_error(Seconds a, Seconds b) {
  if (b == Seconds{0}) return a == b ? 0.0 : std::numeric_limits<double>::infinity();
  return a / b - 1.0;
}

TimelineComparison compare_equal(const ComparedRun& a, const ComparedRun& b) {
  check(a.program.size() == b.program.size(), "equal programs have as many instructions");
  TimelineComparison result{.level = JoinLevel::Instruction};
  Rows rows;
  Seconds difference{0};
  Seconds total{0};
  for (std::size_t i = 0; i < a.program.size(); ++i) {
    if (!known(a, i) || !known(b, i)) continue;
    const auto id = make_id<InstructionId>(i);
    add_instruction(a, id, Rows::Side::A, rows);
    add_instruction(b, id, Rows::Side::B, rows);
    ++result.joined;
    const Seconds time_a = a.timeline.end[i] - a.timeline.start[i];
    const Seconds time_b = b.timeline.end[i] - b.timeline.start[i];
    difference += Seconds{std::abs((time_a - time_b).count())};
    total += time_b;
  }
  result.mean_absolute_error = total > Seconds{0} ? difference / total : 0.0;
  result.times = std::move(rows).sorted();
  return result;
}

TimelineComparison compare_different(const ComparedRun& a, const ComparedRun& b) {
  TimelineComparison result{.level = JoinLevel::StageAndPass};
  Rows rows;
  for (std::size_t i = 0; i < a.program.size(); ++i)
    if (known(a, i)) add_instruction(a, make_id<InstructionId>(i), Rows::Side::A, rows);
  for (std::size_t i = 0; i < b.program.size(); ++i)
    if (known(b, i)) add_instruction(b, make_id<InstructionId>(i), Rows::Side::B, rows);
  result.times = std::move(rows).sorted();
  return result;
}

Ranking rank(const std::vector<Seconds>& a, const std::vector<Seconds>& b) {
  check(a.size() == b.size(), "both sides have the same plans");
  Ranking ranking;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = i + 1; j < a.size(); ++j) {
      if (b[i] == b[j]) continue;
      const bool right = a[i] != a[j] && (a[i] < a[j]) == (b[i] < b[j]);
      const Seconds smaller = std::min(b[i], b[j]);
      const bool clear = std::max(b[i], b[j]) - smaller > smaller * k_clear_difference;
      ++ranking.pairs;
      ranking.right += right ? 1 : 0;
      ranking.clear_pairs += clear ? 1 : 0;
      ranking.clear_right += clear && right ? 1 : 0;
    }
  return ranking;
}

}  // namespace pipegraph
