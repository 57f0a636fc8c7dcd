// Every way to break a good program must be found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "core/program/text.h"
#include "tests/core/program/random_plans.h"

namespace pipegraph {
namespace {

using test::random_plan;
using test::TinyPlan;

/// An instruction with its waits, so that a program can be taken apart and put together again.
struct Piece {
  Instruction instruction;
  std::vector<InstructionId> waits;
};

std::vector<Piece> pieces_of(const Program& program) {
  std::vector<Piece> pieces;
  for (std::size_t n = 0; n < program.size(); ++n) {
    const auto waits = program.waits_on(make_id<InstructionId>(n));
    pieces.push_back({program.instructions()[n], {waits.begin(), waits.end()}});
  }
  return pieces;
}

Program assemble(const Program& like, const std::vector<Piece>& pieces) {
  ProgramBuilder builder(like.device_count(), like.stage_names());
  for (const Group& group : like.groups()) builder.group(group);
  for (const Payload& payload : like.payloads()) builder.payload(payload);
  for (const Lane& lane : like.lanes()) builder.lane(lane);
  for (const Piece& piece : pieces) builder.add(piece.instruction, piece.waits);
  return std::move(builder).build();
}

/// Without instruction `dropped`; waits on it are dropped as well.
std::vector<Piece> without(std::vector<Piece> pieces, std::size_t dropped) {
  pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(dropped));
  const auto id = make_id<InstructionId>(dropped);
  for (Piece& piece : pieces) {
    std::erase(piece.waits, id);
    for (InstructionId& wait : piece.waits)
      if (wait > id) --wait.value;
  }
  return pieces;
}

/// Applies `mutate` to every instruction of some random plans; where it returns true, the program
/// is broken and validation must say so.
void expect_all_found(const std::function<bool(std::vector<Piece>&, std::size_t)>& mutate) {
  std::mt19937 random(11);
  int mutants = 0;
  for (int round = 0; round < 30; ++round) {
    const auto plan = random_plan(random);
    if (!plan || plan->program.size() > 400) continue;
    for (std::size_t n = 0; n < plan->program.size(); ++n) {
      std::vector<Piece> pieces = pieces_of(plan->program);
      if (!mutate(pieces, n)) continue;
      ++mutants;
      const Program mutant = assemble(plan->program, pieces);
      ASSERT_FALSE(validate(mutant, plan->workload, plan->stages).ok())
          << "instruction " << n << " of\n"
          << to_text(plan->program);
    }
  }
  EXPECT_GT(mutants, 100);
}

TEST(Mutations, UnchangedProgramsAreStillGood) {
  std::mt19937 random(11);
  for (int round = 0; round < 30; ++round) {
    const auto plan = random_plan(random);
    if (!plan) continue;
    const Program copy = assemble(plan->program, pieces_of(plan->program));
    EXPECT_EQ(copy, plan->program);
    EXPECT_TRUE(validate(copy, plan->workload, plan->stages).ok());
  }
}

TEST(Mutations, EveryDroppedWaitIsFound) {
  for (const bool last : {false, true})
    expect_all_found([last](std::vector<Piece>& pieces, std::size_t n) {
      std::vector<InstructionId>& waits = pieces[n].waits;
      if (waits.empty()) return false;
      // Contributions of several stages to tied parameters on one compute lane are in order anyway.
      if (pieces[n].instruction.kind == InstructionKind::AllReduce && waits.size() > 1 && !last)
        return false;
      if (last)
        waits.pop_back();
      else
        waits.erase(waits.begin());
      return true;
    });
}

TEST(Mutations, EveryDroppedInstructionIsFound) {
  expect_all_found([](std::vector<Piece>& pieces, std::size_t n) {
    pieces = without(std::move(pieces), n);
    return true;
  });
}

TEST(Mutations, EveryDroppedTransferIsFound) {
  expect_all_found([](std::vector<Piece>& pieces, std::size_t n) {
    if (pieces[n].instruction.kind != InstructionKind::Send) return false;
    pieces = without(without(std::move(pieces), n + 1), n);
    return true;
  });
}

TEST(Mutations, ChangedBytesAreFound) {
  expect_all_found([](std::vector<Piece>& pieces, std::size_t n) {
    if (is_compute(pieces[n].instruction.kind)) return false;
    pieces[n].instruction.bytes += Bytes{4};
    return true;
  });
}

TEST(Mutations, ChangedElementSizesAreFound) {
  expect_all_found([](std::vector<Piece>& pieces, std::size_t n) {
    if (!is_transfer(pieces[n].instruction.kind)) return false;
    pieces[n].instruction.element_bytes = 8;
    return true;
  });
}

TEST(Mutations, SwappedRecvsOfAChannelAreFound) {
  expect_all_found([](std::vector<Piece>& pieces, std::size_t n) {
    if (pieces[n].instruction.kind != InstructionKind::Recv) return false;
    for (std::size_t m = n + 1; m < pieces.size(); ++m) {
      const Instruction& other = pieces[m].instruction;
      if (other.kind != InstructionKind::Recv || other.device != pieces[n].instruction.device ||
          other.peer != pieces[n].instruction.peer)
        continue;
      std::swap(pieces[n].instruction, pieces[m].instruction);
      return true;
    }
    return false;
  });
}

TEST(Mutations, ChangedSamplesOfPassesAreFound) {
  expect_all_found([](std::vector<Piece>& pieces, std::size_t n) {
    if (!is_pass(pieces[n].instruction.kind)) return false;
    ++pieces[n].instruction.samples.last;
    return true;
  });
}

TEST(Mutations, PayloadsWithoutATensorAreFound) {
  expect_all_found([](std::vector<Piece>& pieces, std::size_t n) {
    if (pieces[n].instruction.kind != InstructionKind::Send) return false;
    if (!pieces[n].instruction.payload.valid()) return false;
    pieces[n].instruction.payload = pieces[n + 1].instruction.payload = {};
    return true;
  });
}

TEST(Mutations, PassesDoneTwiceAreFound) {
  expect_all_found([](std::vector<Piece>& pieces, std::size_t n) {
    if (!is_pass(pieces[n].instruction.kind)) return false;
    pieces.push_back(pieces[n]);
    return true;
  });
}

}  // namespace
}  // namespace pipegraph
