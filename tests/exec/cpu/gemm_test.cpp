// Products of the host against plain sums over k, for every transposition and with matrices inside
// wider ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <iterator>
#include <limits>
#include <thread>
#include <vector>

#include "exec/cpu/cpu_device.h"
#include "exec/cpu/plain_gemm.h"
#include "exec/kernels/random.h"

namespace pipegraph::test {
namespace {

/// Whole numbers, so that sums are exact and equality is of bits.
std::vector<float> whole_numbers(std::string_view name, std::int64_t count) {
  std::vector<float> result(static_cast<std::size_t>(count));
  const kernels::RandomStream stream = kernels::random_stream(1, name);
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = static_cast<float>(stream.below(17, i) - 8);
  return result;
}

struct Size {
  std::int64_t m, n, k;
};
using GemmCase = std::tuple<Transpose, Transpose, Size>;

class HostGemm : public ::testing::TestWithParam<GemmCase> {
 protected:
  static constexpr std::int64_t k_margin = 3;  ///< columns of the matrices around

  Gemm<float> gemm(std::vector<float>& c, float beta) const {
    const auto& [transpose_a, transpose_b, size] = GetParam();
    const bool a_lies = transpose_a == Transpose::Yes;
    const bool b_lies = transpose_b == Transpose::Yes;
    return {size.m,
            size.n,
            size.k,
            {a_.data(), (a_lies ? size.m : size.k) + k_margin, transpose_a},
            {b_.data(), (b_lies ? size.k : size.n) + k_margin, transpose_b},
            c.data(),
            size.n + k_margin,
            2.0F,
            beta};
  }
  /// c after the product, element by element from its definition.
  std::vector<float> expected(const Gemm<float>& gemm) const {
    std::vector<float> c = c_;
    for (std::int64_t i = 0; i < gemm.m; ++i)
      for (std::int64_t j = 0; j < gemm.n; ++j) {
        double sum = 0.0;
        for (std::int64_t k = 0; k < gemm.k; ++k)
          sum += static_cast<double>(factor_element(gemm.a, i, k)) * factor_element(gemm.b, k, j);
        float& element = c[static_cast<std::size_t>(i * gemm.c_stride + j)];
        element = static_cast<float>(2.0 * sum + gemm.beta * element);
      }
    return c;
  }

  std::vector<float> a_ = whole_numbers("a", 10'000);
  std::vector<float> b_ = whole_numbers("b", 10'000);
  std::vector<float> c_ = whole_numbers("c", 10'000);
};

INSTANTIATE_TEST_SUITE_P(Forms, HostGemm,
                         ::testing::Combine(::testing::Values(Transpose::No, Transpose::Yes),
                                            ::testing::Values(Transpose::No, Transpose::Yes),
                                            ::testing::Values(Size{1, 1, 1}, Size{7, 5, 3},
                                                              Size{1, 33, 64}, Size{64, 1, 17},
                                                              Size{65, 40, 70})));

TEST_P(HostGemm, IsTheSumOfProductsPlusWhatWasThere) {
  for (const float beta : {0.0F, 1.0F, -3.0F}) {
    std::vector<float> actual = c_;
    std::vector<float> plain = c_;
    host_gemm(gemm(actual, beta));
    plain_gemm(gemm(plain, beta));
    EXPECT_EQ(actual, expected(gemm(actual, beta)));
    EXPECT_EQ(plain, actual);
  }
}

TEST_P(HostGemm, DoesNotReadTheResultWhenBetaIsZero) {
  std::vector<float> c(c_.size(), std::numeric_limits<float>::quiet_NaN());
  const Gemm<float> g = gemm(c, 0.0F);
  host_gemm(g);
  for (std::int64_t i = 0; i < g.m; ++i)
    for (std::int64_t j = 0; j < g.n; ++j)
      EXPECT_FALSE(std::isnan(c[static_cast<std::size_t>(i * g.c_stride + j)]));
}

TEST_P(HostGemm, HasTheSameBitsOnEveryThread) {
  std::vector<float> alone = c_;
  host_gemm(gemm(alone, 1.0F));
  std::vector<std::vector<float>> results(4, c_);
  std::vector<std::thread> threads;
  for (std::vector<float>& c : results)
    threads.emplace_back([this, &c] { host_gemm(gemm(c, 1.0F)); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(results, ::testing::Each(alone));
}

TEST(CpuDevice, MultipliesBatchesAtStrides) {
  const std::vector<float> a = whole_numbers("a", 3 * 10), b = whole_numbers("b", 3 * 20);
  std::vector<float> actual(3 * 12, -1.0F), expected = actual;
  const Gemm<float> gemm{2, 4, 5, {a.data(), 5}, {b.data(), 4}, actual.data(), 4};
  CpuDevice().gemm_strided_batched(gemm, {.count = 3, .a = 10, .b = 20, .c = 12});
  for (std::int64_t i = 0; i < 3; ++i) {
    Gemm<float> single = gemm;
    single.a.data += 10 * i;
    single.b.data += 20 * i;
    single.c = expected.data() + 12 * i;
    plain_gemm(single);
  }
  EXPECT_EQ(actual, expected);
}

TEST(CpuDevice, ZeroesCopiesAndAdds) {
  std::vector<float> x{1.0F, 2.0F, 3.0F}, y{5.0F, 6.0F, 7.0F};
  const CpuDevice device;
  device.add(x.data(), y.data(), 2);
  EXPECT_EQ(y, (std::vector{6.0F, 8.0F, 7.0F}));
  device.copy(y.data(), x.data(), 2);
  EXPECT_EQ(x, (std::vector{6.0F, 8.0F, 3.0F}));
  device.zero(x.data(), 2);
  EXPECT_EQ(x, (std::vector{0.0F, 0.0F, 3.0F}));
}

/// Whoever simulates forks, and must have no threads; neither must OpenBLAS add any of its own.
TEST(Blas, StartsNoThreads) {
  const auto threads = [] {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return std::distance(begin(tasks), end(tasks));
  };
  const auto before = threads();  // a sanitizer has one
  load_blas();
  EXPECT_EQ(threads(), before);
}

TEST(Blas, SaysWhatItIs) {
  EXPECT_THAT(blas_name(), ::testing::AnyOf(::testing::MatchesRegex("OpenBLAS .* \\(.*, .*\\)"),
                                            ::testing::StrEq("plain loops")));
  EXPECT_FALSE(blas_core().empty());
}

}  // namespace
}  // namespace pipegraph::test
