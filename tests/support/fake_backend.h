// A backend without costs that completes what is in progress in an order of its own choice, one
// event a tick: whatever order comes, the scheduler core must keep its promises.
#pragma once

#include <cstdint>
#include <memory>

#include "core/program/program.h"
#include "core/run/backend.h"

namespace pipegraph::test {

enum class FakeOrder : std::uint8_t { OldestFirst, NewestFirst, Random };

struct FakeOptions {
  FakeOrder order = FakeOrder::Random;
  unsigned seed = 0;
  double tick = 1.0;  ///< seconds between completions
};

/// Transfers are reported with the recv first, all-reduces from the last member to the first.
std::unique_ptr<Backend> make_fake_backend(const Program& program, const FakeOptions& options);

}  // namespace pipegraph::test
