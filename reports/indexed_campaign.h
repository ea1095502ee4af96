#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace jade::reports {

/// Independent pieces of work with numbers, shared out over threads.
struct IndexedCampaign {
  std::uint64_t count = 0;
  int jobs = 1;
  const std::atomic<bool>* stop = nullptr;  ///< set from outside to end early with what there is
  std::function<void(std::uint64_t done)> progress = {};  ///< called from one thread, now and then
};

/// Calls work(job, index) for 0 … count − 1, each index once, in no order; returns how many were done. The first exception
/// ends the campaign and is thrown again.
std::uint64_t run_indexed(const IndexedCampaign& campaign,
                          const std::function<void(std::size_t job, std::uint64_t index)>& work);

}  // namespace jade::reports
