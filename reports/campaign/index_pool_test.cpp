#include "campaign/index_pool.h"

#include <mutex>
#include <set>
#include <stdexcept>

#include <gtest/gtest.h>

namespace jade::reports {
namespace {

TEST(IndexPool, WorksOnEveryIndexOnceWhateverTheNumberOfThreads) {
  for (const int jobs : {1, 3, 8}) {
    std::mutex mutex;
    std::multiset<std::uint64_t> seen;
    std::set<std::size_t> workers;
    const std::uint64_t done =
        run_indices({.count = 100, .jobs = jobs}, [&](std::size_t worker, std::uint64_t i) {
          const std::lock_guard lock(mutex);
          seen.insert(i);
          workers.insert(worker);
        });
    EXPECT_EQ(done, 100u);
    EXPECT_EQ(seen.size(), 100u);
    EXPECT_EQ(std::set(seen.begin(), seen.end()).size(), 100u);
    EXPECT_LT(*workers.rbegin(), static_cast<std::size_t>(jobs));
  }
}

TEST(IndexPool, StopsWhenToldAndSaysHowManyAreDone) {
  std::atomic<bool> stop = false;
  std::vector<std::uint64_t> seen;
  const std::uint64_t done =
      run_indices({.count = 1000, .jobs = 1, .stop = &stop}, [&](std::size_t, std::uint64_t i) {
        seen.push_back(i);
        if (i == 9) stop = true;
      });
  EXPECT_EQ(done, 10u);
  EXPECT_EQ(seen.size(), 10u);
}

TEST(IndexPool, HandsOnWhatTheWorkThrows) {
  const auto work = [](std::size_t, std::uint64_t i) {
    if (i == 5) throw std::runtime_error("five");
  };
  EXPECT_THROW(run_indices({.count = 100, .jobs = 2}, work), std::runtime_error);
}

}  // namespace
}  // namespace jade::reports
