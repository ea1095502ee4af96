#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "campaign/table.h"
#include "generators/rotating_triangles.h"

namespace jade::reports {

/// What a method says about a pair of moving triangles that do not meet at the start.
struct SweepAnswer {
  bool hit = false;
  double time = 0;  ///< with a hit: of the first contact [s]
};

/// A way of sweeping curved motion.
struct SweepMethod {
  std::string name;
  bool never_late = false;  ///< promises to report every contact, never later than it begins
  /// Straight pieces that stand for the curved motion; 0 for a method that follows the curve.
  int pieces = 0;
  /// Gets a pair ready, off the clock, and returns the sweep over the duration, which is timed.
  std::function<std::function<SweepAnswer()>(const generators::TrianglePair&, double duration)> prepare;
};

/// `exact` and `cubic` on paths straightened into 1 and 8 pieces, and `advancement` on the curved motion itself.
std::vector<SweepMethod> sweep_methods();

struct CcdFuzzSettings {
  std::uint64_t count = 1420;  ///< pairs for each spin
  std::uint64_t seed = 1;
  std::vector<double> spins{5, 50, 200};  ///< [rad/s]
  std::vector<SweepMethod> methods;
  int jobs = 1;
  std::function<void(std::uint64_t done, std::uint64_t all)>
      progress;  ///< called from one thread; may be empty
};

/// One method at one spin. Times apart, the same for any number of jobs.
struct CcdFuzzRow {
  std::string method;
  double spin = 0;
  long long pairs = 0;
  long long hits = 0;      ///< proven by the oracle
  long long missed = 0;    ///< of these, not reported
  long long late = 0;      ///< of these, reported later than a contact that the oracle proves
  long long unproven = 0;  ///< reported where the oracle saw no contact
  double median_us = 0;
  bool never_late = false;
  /// For methods on straight pieces: contacts on the straightened path itself that were missed or late.
  long long wrong_on_own_path = 0;
  bool promises_that = false;

  bool keeps_promise() const {
    return !(never_late && missed + late > 0) && !(promises_that && wrong_on_own_path > 0);
  }
};

std::vector<CcdFuzzRow> fuzz_ccd(const CcdFuzzSettings& settings);

Table table_of(const std::vector<CcdFuzzRow>& rows, std::uint64_t seed);

}  // namespace jade::reports
