#include "jade/geometry/advancement_ccd.h"

#include <algorithm>

#include "jade/geometry/simplex.h"

namespace jade {
namespace {

constexpr int kMaxRounds = 1000;

/// The differences x_i − x_j of points of the two features at both ends of the motion: three for vertex-face; four
/// for edge-edge, the corners of a parallelogram in the order 00, 01, 10, 11.
struct Differences {
  explicit Differences(const CcdQuery& query) {
    const auto first = static_cast<std::size_t>(points_of_first(query.kind));
    for (std::size_t i = 0; i < first; ++i) {
      for (std::size_t j = first; j < 4; ++j) {
        start[count] = query.start[i] - query.start[j];
        end[count] = query.end[i] - query.end[j];
        size = std::max({size, start[count].cwiseAbs().maxCoeff(), end[count].cwiseAbs().maxCoeff()});
        ++count;
      }
    }
  }

  std::array<Vec3, 4> start, end;
  std::size_t count = 0;
  double size = 0;
};

/// The point nearest to the origin of a triangle.
Vec3 nearest(const Vec3& a, const Vec3& b, const Vec3& c) {
  Simplex simplex;
  for (const Vec3& x : {a, b, c}) simplex.add(Vec3::Zero(), x);
  return reduce(simplex);
}

/// The vector between the nearest points of the features at time t.
Vec3 separation(const Differences& d, double t) {
  std::array<Vec3, 4> x;
  x.fill(Vec3::Zero());
  for (std::size_t k = 0; k < d.count; ++k) x[k] = (1 - t) * d.start[k] + t * d.end[k];
  const Vec3 one = nearest(x[0], x[1], x[2]);
  if (d.count == 3) return one;
  const Vec3 other = nearest(x[3], x[1], x[2]);
  return one.squaredNorm() <= other.squaredNorm() ? one : other;
}

/// The first time at which a point's difference along n falls to `level`; above 1 if none does.
double time_at_level(const Differences& d, const Vec3& n, double level) {
  double first = 2;
  for (std::size_t k = 0; k < d.count; ++k) {
    const double at_start = n.dot(d.start[k]), at_end = n.dot(d.end[k]);
    // What rises has been above the level since the direction was found; what stays above it never matters.
    if (at_end < at_start && at_end <= level)
      first = std::min(first, (at_start - level) / (at_start - at_end));
  }
  return first;
}

/// All differences along n are at least `level` at time t.
bool certifies(const Differences& d, const Vec3& n, double level, double t) {
  for (std::size_t k = 0; k < d.count; ++k) {
    if (!((1 - t) * n.dot(d.start[k]) + t * n.dot(d.end[k]) >= level)) return false;
  }
  return true;
}

}  // namespace

CcdResult advancement_ccd(const CcdQuery& query) {
  require_finite(query);
  const Differences d(query);
  const double gap = std::max(kAdvancementCcdGap, 0x1p-46 * d.size);
  double t = 0;
  for (int round = 0; round < kMaxRounds; ++round) {
    const Vec3 v = separation(d, t);
    const double distance = v.norm();
    if (!(distance > gap)) break;
    const Vec3 n = v / distance;
    if (!certifies(d, n, 0.5 * gap, t)) break;
    const double next = time_at_level(d, n, 0.5 * gap);
    if (next > 1) return {.hit = false, .time_of_impact = 1, .path = CcdPath::advancement};
    if (!(next > t)) break;
    t = next;
  }
  return {.hit = true, .time_of_impact = t, .path = CcdPath::advancement};
}

}  // namespace jade
