// Layer normalisation over columns (Ba et al., arXiv 1607.06450):
//   y = n gain + offset,   n = (x - mean) scale,   scale = 1 / sqrt(variance + 1e-5)
// Mean and scale are computed again in the backward, from x.
#pragma once

#include <cmath>

#include "exec/kernels/bfloat16.h"
#include "exec/kernels/group.h"
#include "exec/kernels/view.h"

namespace pipegraph::kernels {

inline constexpr double k_layer_norm_epsilon = 1e-5;

template <class T>
struct Moments {
  Wide<T> mean, scale;
};

namespace layer_norm_terms {
template <class T>
struct Value {
  View<const T> x;
  PIPEGRAPH_HOST_DEVICE Wide<T> operator()(std::int64_t i) const { return x[i]; }
};
template <class T>
struct SquaredDistance {
  View<const T> x;
  Wide<T> mean;
  PIPEGRAPH_HOST_DEVICE Wide<T> operator()(std::int64_t i) const {
    return (x[i] - mean) * (x[i] - mean);
  }
};
}  // namespace layer_norm_terms

template <class T, class Group>
PIPEGRAPH_HOST_DEVICE Moments<T> row_moments(Group& group, View<const T> x) {
  using W = Wide<T>;
  const W share = W{1} / W(x.size());
  const W mean = sum<W>(group, x.size(), layer_norm_terms::Value<T>{x}) * share;
  const W variance = sum<W>(group, x.size(), layer_norm_terms::SquaredDistance<T>{x, mean}) * share;
  return {mean, W{1} / std::sqrt(variance + W(k_layer_norm_epsilon))};
}

/// One row.
template <class T>
struct LayerNormForward {
  std::int64_t columns;
  View<const T> x, gain, offset;
  View<T> y;

  template <class Group>
  PIPEGRAPH_HOST_DEVICE void operator()(Group& group, std::int64_t row) const {
    const View<const T> x_row = x.part(row * columns, columns);
    const Moments<T> moments = row_moments<T>(group, x_row);
    spread(group, columns, Normalise{x_row, gain, offset, y.part(row * columns, columns), moments});
  }

 private:
  struct Normalise {
    View<const T> x, gain, offset;
    View<T> y;
    Moments<T> moments;
    PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t i) const {
      y[i] = (x[i] - moments.mean) * moments.scale * gain[i] + offset[i];
    }
  };
};

/// One row of the gradient of x: scale (g - mean(g) - n mean(g n)), g = gradient of y times gain.
template <class T>
struct LayerNormBackwardInput {
  std::int64_t columns;
  View<const T> x, gain, gradient;
  View<T> into;

  template <class Group>
  PIPEGRAPH_HOST_DEVICE void operator()(Group& group, std::int64_t row) const {
    const View<const T> x_row = x.part(row * columns, columns);
    const View<const T> gradient_row = gradient.part(row * columns, columns);
    const Moments<T> moments = row_moments<T>(group, x_row);
    using W = Wide<T>;
    const W share = W{1} / W(columns);
    const W mean = sum<W>(group, columns, Weighted{gain, gradient_row}) * share;
    const W slope = sum<W>(group, columns, Projected{x_row, gain, gradient_row, moments}) * share;
    spread(group, columns,
           Combine{x_row, gain, gradient_row, into.part(row * columns, columns), moments, mean,
                   slope});
  }

 private:
  struct Weighted {
    View<const T> gain, gradient;
    PIPEGRAPH_HOST_DEVICE Wide<T> operator()(std::int64_t i) const { return gradient[i] * gain[i]; }
  };
  struct Projected {
    View<const T> x, gain, gradient;
    Moments<T> moments;
    PIPEGRAPH_HOST_DEVICE Wide<T> operator()(std::int64_t i) const {
      return gradient[i] * gain[i] * ((x[i] - moments.mean) * moments.scale);
    }
  };
  struct Combine {
    View<const T> x, gain, gradient;
    View<T> into;
    Moments<T> moments;
    Wide<T> mean, slope;
    PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t i) const {
      const Wide<T> normalised = (x[i] - moments.mean) * moments.scale;
      into[i] = moments.scale * (gradient[i] * gain[i] - mean - normalised * slope);
    }
  };
};

/// One row's mean and scale, for the gradients of gain and offset.
template <class T>
struct RowMoments {
  std::int64_t columns;
  View<const T> x;
  View<Wide<T>> means, scales;

  template <class Group>
  PIPEGRAPH_HOST_DEVICE void operator()(Group& group, std::int64_t row) const {
    const Moments<T> moments = row_moments<T>(group, x.part(row * columns, columns));
    if (group.rank() != 0) return;
    means[row] = moments.mean;
    scales[row] = moments.scale;
  }
};

/// What ColumnSums adds up for the gain; for the offset it is the gradient itself.
template <class T>
struct GainTerm {
  View<const T> x, gradient;
  View<const Wide<T>> means, scales;
  std::int64_t columns;
  PIPEGRAPH_HOST_DEVICE Wide<T> operator()(std::int64_t row, std::int64_t column) const {
    const std::int64_t i = row * columns + column;
    return gradient[i] * ((x[i] - means[row]) * scales[row]);
  }
};

}  // namespace pipegraph::kernels
