// A group of real threads with small warps, as a GPU's thread block is one of many: under
// ThreadSanitizer a sync that is missing in a row body is a data race.
#pragma once

#include <barrier>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

namespace pipegraph::test {

/// What all members of a block see.
class BlockState {
 public:
  BlockState(int size, int warp) : size_(size), warp_(warp), all_(size) {
    for (int i = 0; i < size / warp; ++i) warps_.push_back(std::make_unique<std::barrier<>>(warp));
    exchanged_.resize(static_cast<std::size_t>(size));
    shared_.resize(static_cast<std::size_t>(size / warp));
  }
  int size() const { return size_; }
  int warp() const { return warp_; }
  void sync() { all_.arrive_and_wait(); }
  void sync_warp(int rank) { warps_[static_cast<std::size_t>(rank / warp_)]->arrive_and_wait(); }
  double& exchanged(int rank) { return exchanged_[static_cast<std::size_t>(rank)]; }
  double* shared() { return shared_.data(); }

 private:
  int size_, warp_;
  std::barrier<> all_;
  std::vector<std::unique_ptr<std::barrier<>>> warps_;
  std::vector<double> exchanged_, shared_;
};

/// One member; `Lanes` as in exec/kernels/group.h.
template <int Lanes>
class ThreadBlockMember {
 public:
  static constexpr int k_lanes = Lanes;
  ThreadBlockMember(BlockState& block, int rank) : block_(block), rank_(rank) {}
  int rank() const { return rank_; }
  int size() const { return block_.size(); }
  int warp() const { return block_.warp(); }
  void sync() { block_.sync(); }
  template <class T>
  T* shared() {
    return reinterpret_cast<T*>(block_.shared());
  }
  template <class T>
  T shuffle_xor(T value, int mask) {
    std::memcpy(&block_.exchanged(rank_), &value, sizeof value);
    block_.sync_warp(rank_);
    T other;
    std::memcpy(&other, &block_.exchanged(rank_ ^ mask), sizeof other);
    block_.sync_warp(rank_);
    return other;
  }

 private:
  BlockState& block_;
  int rank_;
};

/// Runs a row body on `size` threads, one row after the other.
template <int Lanes, class Body>
void run_on_thread_block(int size, int warp, std::int64_t rows, const Body& body) {
  BlockState block(size, warp);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank)
    threads.emplace_back([&block, &body, rank, rows] {
      ThreadBlockMember<Lanes> member(block, rank);
      for (std::int64_t row = 0; row < rows; ++row) {
        body(member, row);
        member.sync();
      }
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace pipegraph::test
