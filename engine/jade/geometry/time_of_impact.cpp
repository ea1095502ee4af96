#include "jade/geometry/time_of_impact.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "jade/geometry/pieces.h"

namespace jade {
namespace {

using Status = TimeOfImpactResult::Status;

constexpr double kRounding = 32 * std::numeric_limits<double>::epsilon();

// Newton's method for a time of impact: from a ten-thousandth of the gap it takes three, and more where the nearest points
// run along a face.
constexpr int kMostPolish = 24;
// Of the tolerance: what is left of the gap then is rounding, and not worth half steps.
constexpr double kPolished = 1e-6;

// Of the duration: what moves on by less stands still.
constexpr double kNoWay = 1e-6;

// Looks at a pair before its direction is taken to turn: most need no more than these.
constexpr int kFewLooks = 3;

// Of the tolerance: pieces that are met at one time up to this are met together. A face of many triangles that comes down nearly
// flush is met where it is lowest, and not by whichever of them was looked at first.
constexpr double kBetweenPieces = 1e-3;

/// G and its slope at one τ.
struct Bound {
  double value = 0;
  double slope = 0;
};

/// Smallest n·(x + τ ẋ) + τ ṅ·x over the shape, and its derivative by τ.
Bound least_ahead(const Vec3& n, const Vec3& n_rate, const ConvexCore& core, const MotionSample& at,
                  double tau) {
  const Vec3 turn = n.cross(at.omega) + n_rate;  // n·(ω × x) = (n × ω)·x
  const Vec3 m = n + tau * turn;
  const Vec3 x = at.X.R * core.support(at.X.R.transpose() * -m);
  const double rate = n.dot(at.v) + n_rate.dot(at.X.p);
  Bound bound{n.dot(at.X.p) + tau * rate + m.dot(x), rate + turn.dot(x)};
  if (core.radius > 0) {
    const double length = m.norm();
    bound.value -= core.radius * length;
    bound.slope -= core.radius * m.dot(turn) / length;
  }
  return bound;
}

/// Smallest n·ẋ over the shape.
double least_rate(const Vec3& n, const ConvexCore& core, const MotionSample& at) {
  const Vec3 turn = n.cross(at.omega);
  return n.dot(at.v) + turn.dot(at.X.R * core.support(at.X.R.transpose() * -turn)) -
         core.radius * turn.norm();
}

/// One convex piece of each shape.
struct ConvexPair {
  const ConvexCore& a;
  const ConvexCore& b;
  const Motion& motion_a;
  const Motion& motion_b;
  Vec3 plane_normal = Vec3::Zero();  ///< from A to B when one of them is a half-space, else zero
  /// The shapes that the pieces are, or are of.
  const PreparedShape& shape_a;
  const PreparedShape& shape_b;

  double least_acceleration(const Vec3& n) const {
    return motion_b.least_acceleration(n) + motion_a.least_acceleration(-n);
  }
};

/// The pair at time t with a direction to be certified.
class Certificate {
 public:
  Certificate(const ConvexPair& pair, const MotionSample& sample_a, const MotionSample& sample_b,
              const Vec3& n)
      : pair_(pair), a_(sample_a), b_(sample_b), n_(n) {
    curvature_ = std::min(0.0, pair.least_acceleration(n));
    rounding_ = kRounding * (pair.a.extent + pair.a.radius + pair.b.extent + pair.b.radius +
                             (b_.X.p - a_.X.p).lpNorm<1>());
  }

  /// The same for a direction that turns, n + τ ṅ with ṅ orthogonal to n; `gap` is the largest level that is asked for.
  Certificate(const ConvexPair& pair, const MotionSample& sample_a, const MotionSample& sample_b,
              const Vec3& n, const Vec3& n_rate, double gap)
      : Certificate(pair, sample_a, sample_b, n) {
    const double rate = n_rate.norm();
    if (!(rate > 0) || !std::isfinite(rate)) return;
    n_rate_ = n_rate;
    const double moves = least_rate(n_rate, pair.b, b_) + least_rate(-n_rate, pair.a, a_);
    curvature_ = std::min(0.0, pair.least_acceleration(n) + 2 * moves) - gap * rate * rate;
    // What is of third order may be as much as what is of second.
    const double third = std::min(0.0, rate * pair.least_acceleration(n_rate / rate));
    longest_ = third < 0 ? std::min(curvature_ / third, 1 / rate) : 1 / rate;
    curvature_ += longest_ * third;
    rounding_ *= 2;
  }

  /// How far ahead it may be asked.
  double longest() const { return longest_; }

  /// Asked for at many places: a copy at each of them would take longer to fetch than to call this one.
  [[gnu::noinline]] Bound at(double tau) const {
    // Coordinates relative to A keep their digits far from the origin.
    MotionSample a = a_, b = b_;
    b.X.p -= a.X.p;
    a.X.p.setZero();
    const Bound on_a = least_ahead(-n_, -n_rate_, pair_.a, a, tau),
                on_b = least_ahead(n_, n_rate_, pair_.b, b, tau);
    return {on_a.value + on_b.value + 0.5 * tau * tau * curvature_ - rounding_,
            on_a.slope + on_b.slope + tau * curvature_};
  }

  /// A τ close to the largest with G ≥ level on [0, τ], for G(0) > level > G(end). Tangents bound the root of the
  /// concave G from above, chords from below; a hundredth of the way down is kept, far above rounding.
  double reach(double level, double end) const {
    double low = 0, high = end;
    Bound at_low = at(0), at_high = at(end);
    const double first = at_low.value - level;
    for (int i = 0; i < 8 && at_low.value - level > 0.02 * first; ++i) {
      const double aim = level + 0.01 * first;
      if (at_low.slope < 0) {
        const double tangent = low - (at_low.value - aim) / at_low.slope;
        if (tangent < high) high = tangent, at_high = at(high);
      }
      if (at_high.value >= level) return high;
      const double chord = low + (high - low) * (at_low.value - aim) / (at_low.value - at_high.value);
      const Bound at_chord = at(chord);
      if (!(chord > low) || at_chord.value < level) break;
      low = chord;
      at_low = at_chord;
    }
    return low;
  }

 private:
  const ConvexPair& pair_;
  const MotionSample &a_, &b_;
  Vec3 n_, n_rate_ = Vec3::Zero();
  double curvature_ = 0;
  double rounding_ = 0;
  double longest_ = std::numeric_limits<double>::infinity();
};

DistanceResult distance_at(const ConvexPair& pair, const MotionSample& a, const MotionSample& b,
                           const Vec3& hint) {
  if (pair.plane_normal.isZero()) return gjk_distance(pair.a, a.X, pair.b, b.X, hint);
  // Seen from the plane's frame origin as a point, with the plane's normal as the only direction.
  DistanceResult d;
  d.normal = pair.plane_normal;
  d.lower_bound = separation_along(d.normal, pair.a, a.X, pair.b, b.X);
  d.point_A = a.X * pair.a.support(a.X.R.transpose() * d.normal) + pair.a.radius * d.normal;
  d.point_B = b.X * pair.b.support(b.X.R.transpose() * -d.normal) - pair.b.radius * d.normal;
  d.distance = d.normal.dot(d.point_B - d.point_A);
  return d;
}

/// The same to all digits, where a face or the rim of a cylinder is met.
DistanceResult settled_distance(const ConvexPair& pair, const MotionSample& a, const MotionSample& b,
                                DistanceResult d) {
  if (pair.plane_normal.isZero())
    settle_nearest({pair.shape_a, a.X}, {pair.shape_b, b.X}, pair.a.extent + pair.b.extent, d);
  return d;
}

double closing_rate(const DistanceResult& d, const MotionSample& a, const MotionSample& b) {
  const Vec3 v_a = a.v + a.omega.cross(d.point_A - a.X.p), v_b = b.v + b.omega.cross(d.point_B - b.X.p);
  return d.normal.dot(v_b - v_a);
}

class Advancement {
 public:
  Advancement(const ConvexPair& pair, const TimeOfImpactSettings& settings)
      : pair_(pair), settings_(settings) {}

  TimeOfImpactResult run() {
    TimeOfImpactResult result;
    result.normal = pair_.plane_normal.isZero() ? settings_.hint : pair_.plane_normal;
    const double end = settings_.duration, level = settings_.target - settings_.tolerance;
    Vec3 last = Vec3::Zero();  // direction of the last look,
    double since = 0;          // this long ago
    for (; result.iterations < settings_.max_iterations;) {
      ++result.iterations;
      const double left = end - result.time;
      const MotionSample a = pair_.motion_a.at(result.time), b = pair_.motion_b.at(result.time);
      // The last direction first: it costs two support points.
      if (!result.normal.isZero() && certifies(a, b, result.normal, left)) return free(result);

      const DistanceResult d = distance_at(pair_, a, b, result.normal);
      if (!d.normal.isZero()) result.normal = d.normal;
      if (!(d.lower_bound >= level)) {
        if (result.time == 0) return too_near(result, d);
        polish(result, d, a, b);
        return result;
      }
      const Certificate certificate(pair_, a, b, d.normal);
      if (certificate.at(left).value >= level && certificate.at(0).value >= level) return free(result);
      const bool near = d.distance <= settings_.target + settings_.tolerance;
      if (near && closing_rate(d, a, b) < 0) {
        polish(result, d, a, b);
        return result;
      }
      double ahead = certificate.reach(near ? level : settings_.target, left);
      if (since > 0 && result.iterations > kFewLooks && pair_.plane_normal.isZero())
        ahead = std::max(ahead, reach_turning(a, b, d.normal, (d.normal - last) / since,
                                              near ? level : settings_.target, left));
      // It opens where it is nearest, and yet there is no way on: some other place of it comes down.
      if (near && !(ahead > kNoWay * end)) return hit(result, d);
      if (ahead == left) return free(result);
      last = d.normal;
      since = ahead;
      result.time += ahead;
    }
    result.status = Status::stopped;
    return result;
  }

 private:
  bool certifies(const MotionSample& a, const MotionSample& b, const Vec3& n, double left) const {
    const double level = settings_.target - settings_.tolerance;
    const Certificate certificate(pair_, a, b, n);
    return certificate.at(left).value >= level && certificate.at(0).value >= level;
  }

  /// Certificate::reach along a direction that turns.
  double reach_turning(const MotionSample& a, const MotionSample& b, const Vec3& n, const Vec3& n_rate,
                       double level, double left) const {
    const Certificate certificate(pair_, a, b, n, n_rate - n.dot(n_rate) * n, level);
    const double end = std::min(left, certificate.longest());
    if (certificate.at(0).value <= level) return 0;
    return certificate.at(end).value >= level ? end : certificate.reach(level, end);
  }

  TimeOfImpactResult free(TimeOfImpactResult result) const {
    result.status = Status::free;
    result.time = settings_.duration;
    return result;
  }
  TimeOfImpactResult too_near(TimeOfImpactResult result, const DistanceResult& d) const {
    result = hit(result, d);
    result.status = Status::too_near;
    return result;
  }
  TimeOfImpactResult hit(TimeOfImpactResult result, const DistanceResult& d) const {
    result.status = Status::hit;
    result.normal = d.normal;
    result.point_A = d.point_A;
    result.point_B = d.point_B;
    result.gap = d.distance;
    return result;
  }

  /// Newton's method for gap(s) = target, from a certified time at which the gap is within the tolerance. Times before that
  /// are certified already; a step to a later one that no certificate covers, or that comes no nearer, as where a slow hit
  /// gathers speed, is halved.
  void polish(TimeOfImpactResult& result, DistanceResult d, MotionSample a, MotionSample b) const {
    const double level = settings_.target - settings_.tolerance;
    Vec3 n = d.normal;
    d = settled_distance(pair_, a, b, d);
    result = hit(result, d);
    double step = 0;
    bool taken = true;
    for (int i = 0; i < kMostPolish; ++i) {
      const double rate = closing_rate(d, a, b);
      if (!(rate < 0)) return;
      step = taken ? (settings_.target - d.distance) / rate : 0.5 * step;
      const double s = result.time + step;
      if (!(s >= 0 && s <= settings_.duration) || s == result.time) return;
      const MotionSample next_a = pair_.motion_a.at(s), next_b = pair_.motion_b.at(s);
      const DistanceResult next =
          settled_distance(pair_, next_a, next_b, distance_at(pair_, next_a, next_b, result.normal));
      taken = std::abs(next.distance - settings_.target) < std::abs(d.distance - settings_.target) &&
              (step <= 0 || Certificate(pair_, a, b, n).at(step).value >= level ||
               reach_turning(a, b, n, (next.normal - n) / step, level, step) >= step);
      if (!taken && std::abs(d.distance - settings_.target) <= kPolished * settings_.tolerance) return;
      if (!taken) continue;
      a = next_a, b = next_b, d = next, n = next.normal;
      result = hit(result, d);
      result.time = s;
    }
  }

  const ConvexPair pair_;
  const TimeOfImpactSettings& settings_;
};

/// Shapes of which one or both are not convex: pairs of boxes that cannot meet before the earliest impact so far are
/// proved so at once, with the direction that served last or one of their own; the others are opened.
class TreeSweep {
 public:
  TreeSweep(const MovingShape& a, const MovingShape& b, const TimeOfImpactSettings& settings)
      : motion_a_(a.motion),
        motion_b_(b.motion),
        shape_a_(a.shape),
        shape_b_(b.shape),
        a_(a.shape),
        b_(b.shape),
        start_a_(a.motion.at(0)),
        start_b_(b.motion.at(0)),
        settings_(settings) {
    settings_.tolerance *= kBetweenPieces;
    earliest_.time = settings.duration;
    earliest_.normal = settings.hint;
  }

  TimeOfImpactResult run() {
    visit(0, 0);
    return earliest_;
  }

 private:
  static ConvexCore box(const TriangleTree::Node& node) {
    ConvexCore core;
    core.kind = ConvexCore::Kind::box;
    core.half = node.half;
    core.extent = node.half.norm();
    return core;
  }

  /// The motion of a frame in the middle of the node's box.
  static MotionSample moved_to(const Vec3& centre, MotionSample at) {
    const Vec3 arm = at.X.R * centre;
    at.X.p += arm;
    at.v += at.omega.cross(arm);
    return at;
  }

  bool is_free(const TriangleTree::Node& s, const TriangleTree::Node& t) {
    const ConvexCore box_a = box(s), box_b = box(t);
    const MotionSample a = moved_to(s.centre, start_a_), b = moved_to(t.centre, start_b_);
    const ConvexPair pair{box_a, box_b, motion_a_, motion_b_, Vec3::Zero(), shape_a_, shape_b_};
    const double level = settings_.target - settings_.tolerance;
    const auto certifies = [&](const Vec3& n) {
      const Certificate certificate(pair, a, b, n);
      return certificate.at(0).value >= level && certificate.at(earliest_.time).value >= level;
    };
    if (!last_.isZero() && certifies(last_)) return true;
    const DistanceResult d = gjk_distance(box_a, a.X, box_b, b.X, last_);
    if (!d.separated || !certifies(d.normal)) return false;
    last_ = d.normal;
    return true;
  }

  void visit(int i, int j) {
    const auto &s = a_.node(i), &t = b_.node(j);
    ++earliest_.iterations;
    if (is_free(s, t)) return;
    if (s.count > 0 && t.count > 0) return sweep(s, t);
    const bool open_a = opens_first(s, t);
    visit(open_a ? i + 1 : i, open_a ? j : j + 1);
    visit(open_a ? s.first : i, open_a ? j : t.first);
  }

  void sweep(const TriangleTree::Node& s, const TriangleTree::Node& t) {
    for (int k = s.first; k < s.first + s.count; ++k)
      for (int l = t.first; l < t.first + t.count; ++l) {
        const ConvexCore a = a_.piece(k), b = b_.piece(l);
        TimeOfImpactSettings settings = settings_;
        settings.duration = earliest_.time;
        settings.hint = last_;
        const TimeOfImpactResult found =
            Advancement({a, b, motion_a_, motion_b_, Vec3::Zero(), shape_a_, shape_b_}, settings).run();
        const int iterations = earliest_.iterations + found.iterations;
        last_ = found.normal;
        if (found.status != Status::free) earliest_ = found;
        if (earliest_.status == Status::free) earliest_.normal = last_;
        earliest_.iterations = iterations;
      }
  }

  const Motion &motion_a_, &motion_b_;
  const PreparedShape &shape_a_, &shape_b_;
  Pieces a_, b_;
  MotionSample start_a_, start_b_;
  TimeOfImpactSettings settings_;
  TimeOfImpactResult earliest_;
  Vec3 last_ = settings_.hint;  // the direction that certified last
};

}  // namespace

TimeOfImpactResult time_of_impact(const MovingShape& a, const MovingShape& b,
                                  const TimeOfImpactSettings& settings) {
  const bool against_plane = a.shape.is_half_space() || b.shape.is_half_space();
  // A mesh meets a plane where its hull does.
  if ((a.shape.tree() || b.shape.tree()) && !against_plane) return TreeSweep(a, b, settings).run();
  ConvexPair pair{a.shape.core(), b.shape.core(), a.motion, b.motion, Vec3::Zero(), a.shape, b.shape};
  if (a.shape.is_half_space()) pair.plane_normal = a.motion.at(0).X.R.col(2);
  if (b.shape.is_half_space()) pair.plane_normal = -b.motion.at(0).X.R.col(2);
  return Advancement(pair, settings).run();
}

bool stays_apart(const MovingShape& a, const MovingShape& b, const StartingGap& start, double duration) {
  const Vec3& n = start.normal;
  const MotionSample &at_a = start.at_a, &at_b = start.at_b;
  const ConvexCore &core_a = a.shape.core(), &core_b = b.shape.core();
  const double turn_a = n.cross(at_a.omega).norm(), turn_b = n.cross(at_b.omega).norm();
  const double rate = n.dot(at_b.v - at_a.v) - turn_a * core_a.extent - turn_b * core_b.extent;
  const double curvature = a.motion.least_acceleration(-n) + b.motion.least_acceleration(n) -
                           core_a.radius * turn_a * turn_a - core_b.radius * turn_b * turn_b;
  return start.gap + duration * (std::min(0.0, rate) + 0.5 * duration * std::min(0.0, curvature)) >=
         start.level;
}

Aabb swept_bounds(const MovingShape& moving, double duration) {
  return swept_bounds(moving, moving.motion.at(0), duration);
}

Aabb swept_bounds(const MovingShape& moving, const MotionSample& start, double duration) {
  if (moving.shape.is_half_space()) return Aabb::everything();
  const ConvexCore& core = moving.shape.core();
  const double margin = kRounding * (core.extent + core.radius + start.X.p.lpNorm<1>());
  Aabb box = bounds_of({moving.shape, start.X}, margin);
  if (duration == 0) return box;
  // x_k(s) ≥ x_k + s ẋ_k + ½ s² κ is concave in s, so the ends decide; ẋ_k ≥ v_k − |e_k × ω| |x − origin|.
  const double squared = start.omega.squaredNorm(), half = 0.5 * duration * duration;
  const Motion::AxisAccelerations acceleration = moving.motion.axis_accelerations();
  for (int k = 0; k < 3; ++k) {
    const double turning =
        squared == 0 ? 0 : core.extent * std::sqrt(std::max(0.0, squared - start.omega[k] * start.omega[k]));
    const double down = std::min(0.0, acceleration.least[k]), up = std::max(0.0, acceleration.most[k]);
    box.low[k] = std::min(box.low[k], box.low[k] + duration * (start.v[k] - turning) + half * down);
    box.high[k] = std::max(box.high[k], box.high[k] + duration * (start.v[k] + turning) + half * up);
  }
  return box.intersection(moving.motion.bounds());
}

}  // namespace jade
