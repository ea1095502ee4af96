#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

#include "jade/math/types.h"

namespace jade::generators {

/// Numbers that look random and are the same on every machine: SplitMix64 (Steele, Lea and Flood, "Fast splittable
/// pseudorandom number generators", OOPSLA 2014), and only +, −, ×, ÷, sqrt and ldexp on top of it, which IEEE 754
/// defines to the last bit. The distributions of <random> and the functions of libm differ between libraries.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  /// In [lo, hi).
  double uniform(double lo, double hi) {
    return lo + (hi - lo) * std::ldexp(static_cast<double>(bits() >> 11), -53);
  }
  /// In lo … hi, both included.
  int integer(int lo, int hi) {
    return lo + static_cast<int>(bits() % static_cast<std::uint64_t>(hi - lo + 1));
  }
  bool chance(double probability) { return uniform(0, 1) < probability; }
  /// Mean 0 and variance 1, within ±6: the sum of twelve uniforms, close enough to a bell.
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += uniform(0, 1);
    return sum;
  }
  /// Between 2^lo and 2^hi, even over the binades (and linear within one).
  double binade(double lo, double hi) {
    const double x = uniform(lo, hi);
    const double whole = std::floor(x);
    return std::ldexp(1 + (x - whole), static_cast<int>(whole));
  }
  Vec3 vector() {
    const double x = normal(), y = normal(), z = normal();
    return {x, y, z};
  }
  /// A unit vector; never fails, since the zero vector is replaced by an axis.
  Vec3 direction() {
    const Vec3 x = vector();
    const double length = x.norm();
    return length > 1e-3 ? Vec3(x / length) : Vec3::UnitZ();
  }
  Mat3 rotation() {
    const Vec3 xyz = vector();
    Quat q(normal(), xyz.x(), xyz.y(), xyz.z());
    if (q.norm() < 1e-3) q = Quat::Identity();
    return q.normalized().toRotationMatrix();
  }

 private:
  std::uint64_t state_;
};

/// Mixes words and a name into one seed (FNV-1a over the bytes, then one SplitMix round each).
inline std::uint64_t mixed_seed(std::uint64_t seed, std::string_view name, std::uint64_t index) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return RandomStream(RandomStream(RandomStream(seed).bits() ^ hash).bits() ^ index).bits();
}

}  // namespace jade::generators
