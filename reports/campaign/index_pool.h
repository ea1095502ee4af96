#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace jade::reports {

struct IndexPool {
  std::uint64_t count = 0;
  int jobs = 1;                                           ///< threads
  const std::atomic<bool>* stop = nullptr;                ///< set from outside to end early
  std::function<void(std::uint64_t done)> progress = {};  ///< called from one thread, now and then
};

/// Calls work(worker, index) for every index below the count, in ascending order as threads get free; `worker` numbers
/// the threads from 0, for what each keeps to itself. Returns how many indices were worked on: all those below it, when
/// it was stopped early. What `work` throws ends the pool and is thrown again.
std::uint64_t run_indices(const IndexPool& pool,
                          const std::function<void(std::size_t worker, std::uint64_t index)>& work);

}  // namespace jade::reports
