#include "core/model/operator.h"

namespace pipegraph {

bool PassWork::empty() const {
  if (time) return time->count() == 0.0 && fixed_time.count() == 0.0;
  return flops.count == 0.0 && bytes.count == 0 && fixed_bytes.count == 0 && products.empty();
}

Flops flops(const MatrixProduct& product) {
  return {2.0 * static_cast<double>(product.m) * static_cast<double>(product.n) *
          static_cast<double>(product.k)};
}

Flops flops(const PassWork& work) {
  if (work.time) return {};
  double total = work.flops.count;
  for (const MatrixProduct& product : work.products) total += flops(product).count;
  return {total};
}

PassWork merged(const PassWork& first, const PassWork& second) {
  check(first.time.has_value() == second.time.has_value(), "a time cannot be added to work");
  PassWork sum = first;
  if (sum.time) *sum.time += *second.time;
  sum.fixed_time += second.fixed_time;
  sum.flops.count += second.flops.count;
  sum.bytes += second.bytes;
  sum.fixed_bytes += second.fixed_bytes;
  sum.products.insert(sum.products.end(), second.products.begin(), second.products.end());
  return sum;
}

double input_gradient_share(const Operator& op) { return op.parameters.count == 0 ? 1.0 : 0.5; }

}  // namespace pipegraph
