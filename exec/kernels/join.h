// Tensors put side by side or added up, and the mean over a sequence.
#pragma once

#include <type_traits>

#include "exec/kernels/bfloat16.h"
#include "exec/kernels/group.h"
#include "exec/kernels/view.h"

namespace pipegraph::kernels {

/// z = x + y
template <class T>
struct AddElements {
  View<const T> x, y;
  View<T> z;
  PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t i) const { z[i] = x[i] + y[i]; }
};

/// Some columns of a matrix: row r begins at `first + r * stride`.
template <class T>
struct Strip {
  View<T> data;
  std::int64_t first = 0;
  std::int64_t stride = 0;
  PIPEGRAPH_HOST_DEVICE View<T> row(std::int64_t row, std::int64_t columns) const {
    return data.part(first + row * stride, columns);
  }
};

/// One row of a strip, copied: concatenation, and its backward.
template <class T>
struct CopyStrip {
  std::int64_t columns;
  Strip<const T> from;
  Strip<T> to;

  template <class Group>
  PIPEGRAPH_HOST_DEVICE void operator()(Group& group, std::int64_t row) const {
    spread(group, columns, Copy{from.row(row, columns), to.row(row, columns)});
  }

 private:
  struct Copy {
    View<const T> from;
    View<T> to;
    PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t i) const { to[i] = from[i]; }
  };
};

/// One sample: y = mean of the `rows` rows of x.
template <class T>
struct MeanForward {
  std::int64_t rows, columns;
  View<const T> x;
  View<T> y;

  template <class Group>
  PIPEGRAPH_HOST_DEVICE void operator()(Group& group, std::int64_t sample) const {
    const View<T> to = y.part(sample * columns, columns);
    const View<const T> from = x.part(sample * rows * columns, rows * columns);
    if constexpr (std::is_same_v<T, Wide<T>>)
      add_rows(group, from, to);
    else  // what is stored in between would be rounded row by row
      spread(group, columns, MeanOfColumn{rows, columns, from, to});
  }

 private:
  template <class Group>
  PIPEGRAPH_HOST_DEVICE void add_rows(Group& group, View<const T> from, View<T> to) const {
    spread(group, columns, Clear{to});
    for (std::int64_t row = 0; row < rows; ++row)
      spread(group, columns, Add{from.part(row * columns, columns), to});
    spread(group, columns, Scale{to, Wide<T>{1} / Wide<T>(rows)});
  }

  struct MeanOfColumn {
    std::int64_t rows, columns;
    View<const T> x;
    View<T> y;
    PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t i) const {
      Wide<T> total{0};
      for (std::int64_t row = 0; row < rows; ++row) total += x[row * columns + i];
      y[i] = total * (Wide<T>{1} / Wide<T>(rows));
    }
  };
  struct Clear {
    View<T> y;
    PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t i) const { y[i] = T{0}; }
  };
  struct Add {
    View<const T> x;
    View<T> y;
    PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t i) const { y[i] += x[i]; }
  };
  struct Scale {
    View<T> y;
    Wide<T> factor;
    PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t i) const { y[i] *= factor; }
  };
};

/// One row of the gradient of x: that of y, divided by the number of rows.
template <class T>
struct MeanBackward {
  std::int64_t rows, columns;
  View<const T> gradient;
  View<T> into;

  template <class Group>
  PIPEGRAPH_HOST_DEVICE void operator()(Group& group, std::int64_t row) const {
    spread(group, columns,
           Share{gradient.part(row / rows * columns, columns), into.part(row * columns, columns),
                 Wide<T>{1} / Wide<T>(rows)});
  }

 private:
  struct Share {
    View<const T> gradient;
    View<T> into;
    Wide<T> factor;
    PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t i) const { into[i] = gradient[i] * factor; }
  };
};

}  // namespace pipegraph::kernels
