// Sums of columns level by level are the plain sums, whatever the number of levels, and use no more
// scratch than they ask for.
#include "exec/operators/column_sums.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/exec/operators/reference_device.h"

namespace pipegraph::test {
namespace {

constexpr double k_untouched = -1e9;

TEST(ColumnSums, AreThePlainSumsAtEveryNumberOfLevels) {
  constexpr std::int64_t k_block = kernels::k_row_block;
  for (const std::int64_t rows : {std::int64_t{1}, k_block, k_block + 1, k_block * k_block,
                                  k_block * k_block + 1, 2 * k_block * k_block + 77})
    for (const std::int64_t columns : {std::int64_t{1}, std::int64_t{5}}) {
      // Whole numbers, so that any order gives the same.
      std::vector<double> matrix(static_cast<std::size_t>(rows * columns));
      std::vector<double> expected(static_cast<std::size_t>(columns), 3.0);
      for (std::size_t i = 0; i < matrix.size(); ++i) {
        matrix[i] = static_cast<double>(i % 13) - 5.0;
        expected[i % static_cast<std::size_t>(columns)] += matrix[i];
      }
      const auto asked_for =
          static_cast<std::size_t>(operators::column_sums_scratch({rows, columns}));
      std::vector<double> scratch(asked_for + 1, k_untouched);
      std::vector<double> sums(static_cast<std::size_t>(columns), 3.0);
      ReferenceDevice<double> device;
      operators::add_column_sums(device, {rows, columns}, matrix.data(),
                                 {sums.data(), scratch.data()});
      EXPECT_EQ(sums, expected) << rows << " rows";
      EXPECT_EQ(scratch.back(), k_untouched);
    }
}

// A hundred thousand rows: 1563 blocks, 25 blocks of these.
TEST(ColumnSums, NeedLittleScratch) {
  EXPECT_EQ(operators::column_sums_scratch({100'000, 8}), (1563 + 25) * 8);
  EXPECT_EQ(operators::column_sums_scratch({64, 8}), 0);
}

}  // namespace
}  // namespace pipegraph::test
