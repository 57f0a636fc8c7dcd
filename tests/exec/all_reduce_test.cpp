// All-reduces with data: the sum is that of a plain loop in the agreed order, to the last bit.
#include <gtest/gtest.h>

#include <random>

#include "tests/support/data_engine.h"
#include "tests/support/emulated_run.h"
#include "tests/support/program_sketch.h"
#include "tests/support/tiny_clusters.h"

namespace pipegraph::test {
namespace {

/// One all-reduce: which uses contribute on which device, in the order of addition.
struct SumCase {
  int members = 2;
  std::size_t floats = 1;
  std::vector<std::pair<int, int>> addends;  ///< (use, member)
};

/// Values whose sum depends on the order of addition.
std::vector<float> rough_values(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> mantissa(-1.0F, 1.0F);
  std::uniform_int_distribution<int> exponent(-12, 12);
  std::vector<float> values(count);
  for (float& value : values) value = std::ldexp(mantissa(random), exponent(random));
  return values;
}

std::vector<float> expected_sum(const SumCase& sum, const std::vector<std::vector<float>>& values) {
  std::vector<float> total(sum.floats);
  for (std::size_t i = 0; i < sum.floats; ++i) {
    bool first_use = true;
    for (std::size_t a = 0; a < values.size();) {
      const int use = sum.addends[a].first;
      float of_use = values[a][i];
      for (++a; a < values.size() && sum.addends[a].first == use; ++a) of_use += values[a][i];
      total[i] = first_use ? of_use : total[i] + of_use;
      first_use = false;
    }
  }
  return total;
}

/// Cut in two, so that pieces do not fall together with what members exchange.
std::vector<Piece> cut(std::vector<float>& values) {
  const Piece whole = piece_of(values);
  const Bytes first{values.size() / 3 * sizeof(float)};
  return {{whole.data, first}, {whole.data + first.count, whole.bytes - first}};
}

void expect_sum(const SumCase& sum, const Misbehaviour& misbehaviour = {}) {
  ProgramSketch sketch(sum.members);
  std::vector<int> devices(static_cast<std::size_t>(sum.members));
  for (int d = 0; d < sum.members; ++d) devices[static_cast<std::size_t>(d)] = d;
  const auto ids = sketch.all_reduce(devices, sum.floats * sizeof(float));
  const Program program = std::move(sketch).build();

  std::vector<std::vector<float>> values;
  for (std::size_t a = 0; a < sum.addends.size(); ++a)
    values.push_back(rough_values(sum.floats, static_cast<unsigned>(a)));
  const std::vector<float> expected = expected_sum(sum, values);

  std::map<DeviceId, DeviceData> data;
  std::vector<std::vector<Piece>> pieces;
  for (std::vector<float>& value : values) pieces.push_back(cut(value));
  std::vector<std::vector<float>*> results;
  std::vector<std::vector<float>> apart(static_cast<std::size_t>(sum.members),
                                        std::vector<float>(sum.floats));
  for (int d = 0; d < sum.members; ++d) {
    DeviceData::Sum& own = data[DeviceId{d}].sums[ids[static_cast<std::size_t>(d)]];
    std::vector<float>* result = &apart[static_cast<std::size_t>(d)];
    for (std::size_t a = 0; a < sum.addends.size(); ++a) {
      const auto [use, member] = sum.addends[a];
      own.addends.push_back({use, DeviceId{member}, {}});
      if (member != d) continue;
      own.addends.back().pieces = pieces[a];
      if (d % 2 == 0) result = &values[a];  // where an addend stands
    }
    own.sum = cut(*result);
    results.push_back(result);
  }
  EmulatedRun run(program, ideal_cluster(sum.members),
                  {.wrap = misbehaving(program, misbehaviour), .engines = data_engines(data)});
  run.executor().run_step(Tracing::Off);
  for (const std::vector<float>* result : results) EXPECT_EQ(*result, expected);
}

TEST(AllReduce, AddsReplicasInTheirOrder) {
  for (int members : {1, 2, 3, 5}) {
    SumCase sum{.members = members, .floats = 1000, .addends = {}};
    for (int m = 0; m < members; ++m) sum.addends.emplace_back(0, m);
    expect_sum(sum);
  }
}

TEST(AllReduce, VectorsShorterThanTheGroupWork) {
  for (std::size_t floats : {std::size_t{1}, std::size_t{2}})
    expect_sum({.members = 3, .floats = floats, .addends = {{0, 0}, {0, 1}, {0, 2}}});
}

TEST(AllReduce, UsesOfSharedParametersAreAddedAfterTheirReplicas) {
  // Use 3 on devices 0 and 1, use 7 on devices 1 and 2: (x0 + x1) + (y1 + y2).
  expect_sum({.members = 3, .floats = 500, .addends = {{3, 0}, {3, 1}, {7, 1}, {7, 2}}});
}

TEST(AllReduce, TheOrderInWhichMessagesArriveChangesNoBit) {
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    expect_sum({.members = 4, .floats = 100, .addends = {{0, 0}, {0, 1}, {0, 2}, {0, 3}}},
               {.longest_delay = Seconds{2e-3}, .seed = seed});
}

TEST(AllReduce, LongVectorsGoInSegments) {
  expect_sum({.members = 2, .floats = (9U << 20) / 4 + 5, .addends = {{0, 0}, {0, 1}}});
}

}  // namespace
}  // namespace pipegraph::test
