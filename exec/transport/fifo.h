// A queue that keeps its memory: most of the time it holds nothing or one element.
#pragma once

#include <cstddef>
#include <vector>

namespace pipegraph {

template <class T>
class Fifo {
 public:
  bool empty() const { return first_ == items_.size(); }
  const T& front() const { return items_[first_]; }
  void push(const T& item) { items_.push_back(item); }
  void pop() {
    if (++first_ < items_.size()) return;
    items_.clear();
    first_ = 0;
  }

 private:
  std::vector<T> items_;
  std::size_t first_ = 0;
};

}  // namespace pipegraph
