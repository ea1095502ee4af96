#pragma once

#include <vector>

#include "generators/random_stream.h"

namespace jade::generators {

/// The numbers of one body. A stream from seed 0 gives the plainest choice everywhere.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : plain_(seed == 0), stream_(seed) {}

  double real(double lo, double hi, double plain) { return plain_ ? plain : stream_.uniform(lo, hi); }
  bool chance(double probability) { return !plain_ && stream_.chance(probability); }
  int choice(int count) { return plain_ ? 0 : stream_.integer(0, count - 1); }
  Vec3 vector(double size, const Vec3& plain) {
    return {real(-size, size, plain[0]), real(-size, size, plain[1]), real(-size, size, plain[2])};
  }
  Vec3 direction(const Vec3& plain) {
    return plain_ ? plain : Vec3(stream_.direction() * stream_.binade(-3, 3));
  }
  Quat orientation() { return plain_ ? Quat::Identity() : Quat(stream_.rotation()); }
  std::vector<double> list(int count, double lo, double hi, double plain) {
    std::vector<double> list(count);
    for (double& number : list) number = real(lo, hi, plain);
    return list;
  }

 private:
  bool plain_;
  RandomStream stream_;
};

}  // namespace jade::generators
