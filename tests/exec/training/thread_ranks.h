// Ranks that are threads of this process.
#pragma once

#include <barrier>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "exec/transport/ranks.h"

namespace pipegraph::test {

class ThreadRanks {
 public:
  /// Runs `body` on `size` threads, each with its own rank, and waits for all. It must not throw.
  static void run(int size, const std::function<void(Ranks&)>& body) {
    ThreadRanks job(size);
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < size; ++rank)
      threads.emplace_back([&job, &body, rank] {
        Member member(job, rank);
        body(member);
      });
  }

 private:
  explicit ThreadRanks(int size) : texts_(static_cast<std::size_t>(size)), barrier_(size) {}

  class Member final : public Ranks {
   public:
    Member(ThreadRanks& job, int rank) : job_(job), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return static_cast<int>(job_.texts_.size()); }
    std::vector<std::string> all_gather(std::string_view mine) override {
      job_.texts_[static_cast<std::size_t>(rank_)] = mine;
      job_.barrier_.arrive_and_wait();
      std::vector<std::string> all = job_.texts_;
      job_.barrier_.arrive_and_wait();
      return all;
    }

   private:
    ThreadRanks& job_;
    int rank_;
  };

  std::vector<std::string> texts_;
  std::barrier<> barrier_;
};

}  // namespace pipegraph::test
