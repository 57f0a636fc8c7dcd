// Tests that need cuDNN: on GPUs without it they are skipped; the stand-in always has it.
#pragma once

#include <gtest/gtest.h>

#include "core/base/errors.h"
#include "exec/cuda/cudnn_attention.h"

namespace pipegraph::test {

template <class Base>
class WithCudnn : public Base {
 protected:
  void SetUp() override {
    Base::SetUp();
    if (Base::IsSkipped()) return;
    try {
      CudnnAttention::version();
    } catch (const MachineError& missing) {
      GTEST_SKIP() << missing.what();
    }
  }
};

}  // namespace pipegraph::test
