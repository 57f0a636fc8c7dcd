// Functions of one number, activations, optimizer steps and random numbers.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "exec/kernels/activation.h"
#include "exec/kernels/optimizer.h"
#include "exec/kernels/random.h"
#include "exec/kernels/reference/activation.h"
#include "exec/kernels/reference/optimizer.h"
#include "exec/kernels/squared_error.h"

namespace pipegraph::test {
namespace {

namespace ref = kernels::reference;
using kernels::View;

constexpr float k_infinity = std::numeric_limits<float>::infinity();
constexpr float k_nan = std::numeric_limits<float>::quiet_NaN();

TEST(Exponential, IsWithinTwoRoundingsOverItsWholeRange) {
  double worst = 0.0;
  for (float x = -87.3F; x < 88.36F; x += 0.00137F) {
    const double exact = std::exp(static_cast<double>(x));
    worst = std::max(worst, std::abs(kernels::exponential(x) / exact - 1.0));
  }
  EXPECT_LT(worst, 2e-7);
  EXPECT_EQ(kernels::exponential(0.0F), 1.0F);
}

TEST(Exponential, GoesToZeroAndInfinityAndKeepsNan) {
  for (const float x : {-88.0F, -1e4F, -1e30F, -k_infinity})
    EXPECT_EQ(kernels::exponential(x), 0.0F) << x;
  for (const float x : {88.5F, 1e4F, 1e30F, k_infinity})
    EXPECT_EQ(kernels::exponential(x), k_infinity) << x;
  EXPECT_TRUE(std::isnan(kernels::exponential(k_nan)));
}

TEST(Activations, AreThoseOfTheReference) {
  for (double x = -12.0; x <= 12.0; x += 0.0371) {
    const kernels::Gelu gelu;
    EXPECT_NEAR(gelu.value(x), ref::gelu(x), 1e-14 * (1.0 + std::abs(x)));
    EXPECT_NEAR(gelu.slope(x), ref::gelu_slope(x), 1e-14 * (1.0 + std::abs(x)));
    const auto narrow = static_cast<float>(x);
    const auto same = static_cast<double>(narrow);
    EXPECT_NEAR(gelu.value(narrow), ref::gelu(same), 3e-7 * (1.0 + std::abs(x)));
    EXPECT_NEAR(gelu.slope(narrow), ref::gelu_slope(same), 2e-6);
    EXPECT_EQ(kernels::Relu{}.value(narrow), ref::relu(same));
    EXPECT_EQ(kernels::Relu{}.slope(narrow), ref::relu_slope(same));
  }
}

TEST(Activations, DoNotHideNan) {
  EXPECT_TRUE(std::isnan(kernels::Gelu{}.value(k_nan)));
  EXPECT_TRUE(std::isnan(kernels::Gelu{}.slope(k_nan)));
  EXPECT_TRUE(std::isnan(kernels::Relu{}.value(k_nan)));
  EXPECT_EQ(kernels::Gelu{}.value(k_infinity), k_infinity);
}

TEST(Activations, BackwardMultipliesBySlopeAlsoInPlace) {
  std::vector<double> at{-1.5, -0.1, 0.3, 2.0};
  const std::vector<double> gradient{1.0, 2.0, 3.0, -4.0};
  std::vector<double> expected;
  for (std::size_t i = 0; i < 4; ++i) expected.push_back(gradient[i] * ref::gelu_slope(at[i]));
  const kernels::ActivationBackward<double, kernels::Gelu> body{
      {at.data(), 4}, {gradient.data(), 4}, {at.data(), 4}};
  for (std::int64_t i = 0; i < 4; ++i) body(i);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(at[i], expected[i], 1e-14);
}

TEST(SquaredErrorGradient, IsTheDifferenceTimesTheFactor) {
  const std::vector<float> x{1.0F, 2.0F}, targets{3.0F, -1.0F};
  std::vector<float> into(2);
  const kernels::SquaredErrorBackward<float> body{
      0.5F, {x.data(), 2}, {targets.data(), 2}, {into.data(), 2}};
  body(0);
  body(1);
  EXPECT_EQ(into, (std::vector{-1.0F, 1.5F}));
}

const std::vector<double> k_gradients{0.5, -1.25, 2.0, 0.75, -0.125};

TEST(Optimizers, SgdGoesAgainstTheGradient) {
  double parameter = 1.0;
  for (const double gradient : k_gradients)
    kernels::SgdStep<double>{0.1, {&gradient, 1}, {&parameter, 1}}(0);
  EXPECT_NEAR(parameter, 1.0 - 0.1 * (0.5 - 1.25 + 2.0 + 0.75 - 0.125), 1e-15);
}

TEST(Optimizers, MomentumIsThatOfAllGradientsSoFar) {
  double parameter = 1.0, velocity = 0.0;
  for (const double gradient : k_gradients)
    kernels::MomentumStep<double>{0.1, 0.9, {&gradient, 1}, {&velocity, 1}, {&parameter, 1}}(0);
  EXPECT_NEAR(parameter, ref::after_momentum(1.0, k_gradients, 0.1, 0.9), 1e-14);
}

TEST(Optimizers, AdamIsThatOfTheWeightedMeans) {
  double parameter = 1.0, first = 0.0, second = 0.0;
  for (std::size_t step = 1; step <= k_gradients.size(); ++step) {
    const auto power = static_cast<double>(step);
    const kernels::AdamFactors<double> factors{
        .learning_rate = 0.01,
        .first_decay = 0.9,
        .second_decay = 0.999,
        .epsilon = 1e-8,
        .first_correction = 1.0 / (1.0 - std::pow(0.9, power)),
        .second_correction = 1.0 / (1.0 - std::pow(0.999, power))};
    kernels::AdamStep<double>{
        factors, {&k_gradients[step - 1], 1}, {&first, 1}, {&second, 1}, {&parameter, 1}}(0);
  }
  EXPECT_NEAR(parameter, ref::after_adam(1.0, k_gradients, {0.01, 0.9, 0.999, 1e-8}), 1e-13);
}

TEST(RandomStreams, BelongToSeedAndName) {
  constexpr auto k_count = [](const kernels::RandomStream& a, const kernels::RandomStream& b) {
    int equal = 0;
    for (std::uint64_t i = 0; i < 1000; ++i) equal += a.symmetric(i) == b.symmetric(i) ? 1 : 0;
    return equal;
  };
  const auto stream = kernels::random_stream(1, "layer0/weight");
  EXPECT_EQ(k_count(stream, kernels::random_stream(1, "layer0/weight")), 1000);
  EXPECT_LE(k_count(stream, kernels::random_stream(1, "layer1/weight")), 1);
  EXPECT_LE(k_count(stream, kernels::random_stream(2, "layer0/weight")), 1);
}

/// Of 2^16 uniform numbers: the mean is 0 within five of its standard deviations, sqrt(1/3) / 2^8,
/// and the variance 1/3 within five of its own, sqrt(4/45) / 2^8.
TEST(RandomStreams, AreUniform) {
  const auto stream = kernels::random_stream(1, "x");
  constexpr int k_count = 1 << 16;
  double mean = 0.0, square = 0.0;
  std::vector<int> counts(10, 0);
  for (std::uint64_t i = 0; i < k_count; ++i) {
    const auto value = static_cast<double>(stream.symmetric(i));
    ASSERT_GE(value, -1.0);
    ASSERT_LT(value, 1.0);
    mean += value / k_count;
    square += value * value / k_count;
    ++counts[static_cast<std::size_t>(stream.below(10, i))];
  }
  EXPECT_NEAR(mean, 0.0, 5.0 * std::sqrt(1.0 / 3.0) / 256.0);
  EXPECT_NEAR(square, 1.0 / 3.0, 5.0 * std::sqrt(4.0 / 45.0) / 256.0);
  // Binomial with p = 1/10: standard deviation sqrt(k_count 0.09).
  for (const int count : counts) EXPECT_NEAR(count, 0.1 * k_count, 5.0 * std::sqrt(0.09 * k_count));
}

TEST(RandomStreams, FillWhateverPartIsAskedFor) {
  const auto stream = kernels::random_stream(1, "x");
  std::vector<float> all(10), part(4);
  std::vector<std::int32_t> whole(4);
  const kernels::FillSymmetric<float> fill_all{stream, 0, 0.5F, {all.data(), 10}};
  const kernels::FillSymmetric<float> fill_part{stream, 6, 0.5F, {part.data(), 4}};
  const kernels::FillBelow fill_whole{stream, 6, 7, {whole.data(), 4}};
  for (std::int64_t i = 0; i < 10; ++i) fill_all(i);
  for (std::int64_t i = 0; i < 4; ++i) fill_part(i);
  for (std::int64_t i = 0; i < 4; ++i) fill_whole(i);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(part[i], all[6 + i]);
    EXPECT_EQ(part[i], 0.5F * stream.symmetric(6 + i));
    EXPECT_EQ(whole[i], stream.below(7, 6 + i));
  }
}

}  // namespace
}  // namespace pipegraph::test
