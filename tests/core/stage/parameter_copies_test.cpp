#include "core/stage/parameter_copies.h"

#include <gtest/gtest.h>

namespace pipegraph {
namespace {

constexpr Bytes k_counted{100};

/// Bytes of so many parameters that the model counts with 100 bytes.
Bytes held(const Training& training) { return k_counted * parameter_copies(training).all(); }

TEST(ParameterCopies, OfFourByteFormatsAreParametersGradientsAndState) {
  for (const Precision precision : {Precision::Fp32, Precision::Fp32Tensor, Precision::Tf32}) {
    EXPECT_EQ(held({.precision = precision, .optimizer = Optimizer::Sgd}), Bytes{100 + 100});
    EXPECT_EQ(held({.precision = precision, .optimizer = Optimizer::Momentum}), Bytes{300});
    EXPECT_EQ(held({.precision = precision, .optimizer = Optimizer::Adam}), Bytes{400});
    EXPECT_EQ(reduced_bytes({.precision = precision}, k_counted), k_counted);
  }
}

// 50 parameters of 2 bytes. Trained are 50 of 4 bytes, beside the 2-byte copy; gradients and each
// copy of the state have 4 bytes.
TEST(ParameterCopies, OfBf16AreTrainedInFourBytesAndReadInTwo) {
  const auto bf16 = [](Optimizer optimizer) {
    return Training{.precision = Precision::Bf16, .optimizer = optimizer};
  };
  const ParameterCopies copies = parameter_copies(bf16(Optimizer::Adam));
  EXPECT_EQ(k_counted * copies.weights, Bytes{50 * (4 + 2)});
  EXPECT_EQ(k_counted * copies.gradients, Bytes{50 * 4});
  EXPECT_EQ(k_counted * copies.state, Bytes{50 * (4 + 4)});
  EXPECT_EQ(held(bf16(Optimizer::Sgd)), Bytes{50 * (4 + 2 + 4)});
  EXPECT_EQ(held(bf16(Optimizer::Momentum)), Bytes{50 * (4 + 2 + 4 + 4)});
  EXPECT_EQ(reduced_bytes(bf16(Optimizer::None), k_counted), Bytes{50 * 4});
}

TEST(ParameterCopies, OfBf16AreReadAndWrittenByTheOptimizerButForTheRoundedOne) {
  const Training momentum{.precision = Precision::Bf16, .optimizer = Optimizer::Momentum};
  // Trained parameters, gradients, one state: 4 bytes read and written; 2 bytes written.
  EXPECT_EQ(k_counted * optimizer_traffic(momentum), Bytes{50 * (3 * 2 * 4 + 2)});
}

}  // namespace
}  // namespace pipegraph
