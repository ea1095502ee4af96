#include "indexed_campaign.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace jade::reports {

std::uint64_t run_indexed(const IndexedCampaign& campaign,
                          const std::function<void(std::size_t job, std::uint64_t index)>& work) {
  std::atomic<std::uint64_t> next = 0, done = 0;
  const auto jobs = static_cast<std::size_t>(std::max(1, campaign.jobs));
  std::atomic<std::size_t> running = jobs;
  std::exception_ptr error;
  std::mutex error_mutex;
  const auto take_until_none_is_left = [&](std::size_t job) {
    try {
      while (!(campaign.stop && *campaign.stop)) {
        const std::uint64_t k = next++;
        if (k >= campaign.count) break;
        work(job, k);
        ++done;
      }
    } catch (...) {
      const std::lock_guard lock(error_mutex);
      if (!error) error = std::current_exception();
      next = campaign.count;  // the others need not go on
    }
    --running;
  };
  std::vector<std::jthread> threads;
  for (std::size_t job = 0; job < jobs; ++job) threads.emplace_back(take_until_none_is_left, job);
  while (running > 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (campaign.progress) campaign.progress(done);
  }
  threads.clear();
  if (error) std::rethrow_exception(error);
  return done;
}

}  // namespace jade::reports
