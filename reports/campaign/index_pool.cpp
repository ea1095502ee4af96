#include "campaign/index_pool.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace jade::reports {

std::uint64_t run_indices(const IndexPool& pool,
                          const std::function<void(std::size_t, std::uint64_t)>& work) {
  constexpr auto kBetweenReports = std::chrono::milliseconds(50);
  const int jobs = std::max(1, pool.jobs);
  std::atomic<std::uint64_t> next = 0, done = 0;
  std::mutex mutex;
  std::condition_variable ended;
  int running = jobs;
  std::exception_ptr error;

  const auto take_indices = [&](std::size_t worker) {
    try {
      while (!(pool.stop && *pool.stop)) {
        const std::uint64_t index = next++;
        if (index >= pool.count) break;
        work(worker, index);
        ++done;
      }
    } catch (...) {
      next = pool.count;  // the others need not go on
      const std::lock_guard lock(mutex);
      if (!error) error = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    --running;
    ended.notify_one();
  };

  {
    std::vector<std::jthread> threads;
    threads.reserve(jobs);
    for (int job = 0; job < jobs; ++job) threads.emplace_back(take_indices, static_cast<std::size_t>(job));
    std::unique_lock lock(mutex);
    while (!ended.wait_for(lock, kBetweenReports, [&] { return running == 0; }))
      if (pool.progress) pool.progress(done);
  }
  if (error) std::rethrow_exception(error);
  return done;
}

}  // namespace jade::reports
