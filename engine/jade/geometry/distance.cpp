#include "jade/geometry/distance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "jade/base/error.h"
#include "jade/geometry/pieces.h"

namespace jade {
namespace {

/// `plane` is the half-space z ≤ 0 of its frame, `other` anything else.
DistanceResult above_plane(const Transform& plane, const ConvexCore& other, const Transform& X_WO) {
  const Vec3 up = plane.R.col(2), down_O = X_WO.R.transpose() * -up;
  const Vec3 lowest_O = other.support(down_O), offset = X_WO.p - plane.p;
  const double rounding =
      16 * std::numeric_limits<double>::epsilon() * (other.extent + other.radius + offset.lpNorm<1>());
  DistanceResult result;
  result.distance = up.dot(offset) - down_O.dot(lowest_O) - other.radius;
  result.lower_bound = result.distance - rounding;
  result.separated = result.lower_bound > 0;
  result.normal = up;
  result.point_B = X_WO * lowest_O - other.radius * up;
  result.point_A = result.point_B - result.distance * up;
  result.iterations = 1;
  return result;
}

/// The plane of a convex polyhedron's face, or of a cylinder's end, in the shape's frame.
struct FacePlane {
  Vec3 normal = Vec3::Zero();
  double offset = 0;
  int face = -1;  ///< of the polyhedron
};

// Of the size of a mesh: places that are farther from a face's plane are on another one.
constexpr double kOnFace = 1e-9;

/// The one that looks most along `outward`; of a mesh that is not convex among those on which `point` lies. Nothing for shapes
/// that are round.
std::optional<FacePlane> facing(const PreparedShape& shape, const Vec3& outward, const Vec3& point) {
  if (shape.core().kind == ConvexCore::Kind::cylinder)
    return FacePlane{Vec3(0, 0, std::copysign(1.0, outward.z())), shape.core().half.z()};
  const Polyhedron* polyhedron = shape.features();
  if (polyhedron == nullptr) return std::nullopt;
  FacePlane best;
  double most = -1;
  for (std::size_t i = 0; i < polyhedron->faces.size(); ++i) {
    const Polyhedron::Face& face = polyhedron->faces[i];
    if (!polyhedron->convex && std::abs(face.normal.dot(point) - face.offset) > kOnFace * shape.core().extent)
      continue;
    const double along = face.normal.dot(outward);
    if (along > most) most = along, best = {face.normal, face.offset, static_cast<int>(i)};
  }
  return best.face < 0 ? std::nullopt : std::optional(best);
}

bool holds(const PreparedShape& shape, const FacePlane& plane, const Vec3& point) {
  if (plane.face >= 0) return shape.features()->face_holds(plane.face, point, 0);
  return point.head<2>().norm() <= shape.core().half.x();
}

DistanceResult reversed(DistanceResult result) {
  result.normal = -result.normal;
  std::swap(result.point_A, result.point_B);
  return result;
}

/// Branch and bound: a pair of boxes is opened only while they may hold a nearer pair of pieces.
class TreeSearch {
 public:
  TreeSearch(const PlacedShape& a, const PlacedShape& b, const Vec3& hint)
      : X_WA_(a.X_WS),
        X_WB_(b.X_WS),
        a_(a.shape),
        b_(b.shape),
        R_AB_(X_WA_.R.transpose() * X_WB_.R),
        p_AB_(X_WA_.R.transpose() * (X_WB_.p - X_WA_.p)),
        spread_(R_AB_.cwiseAbs()) {
    best_.normal = hint;
    best_.distance = best_.lower_bound = std::numeric_limits<double>::infinity();
  }

  DistanceResult search() {
    visit(0, 0, gap(0, 0));
    best_.separated = best_.lower_bound > 0;
    return best_;
  }

 private:
  /// Distance of two boxes along the axes of A and of B, never above the true one (up to rounding).
  double gap(int i, int j) const {
    const auto &s = a_.node(i), &t = b_.node(j);
    const Vec3 apart = R_AB_ * t.centre + p_AB_ - s.centre;
    const Vec3 along_A = apart.cwiseAbs() - s.half - spread_ * t.half;
    const Vec3 along_B = (R_AB_.transpose() * apart).cwiseAbs() - t.half - spread_.transpose() * s.half;
    return std::max(along_A.cwiseMax(0).norm(), along_B.cwiseMax(0).norm());
  }

  void visit(int i, int j, double bound) {
    if (bound >= best_.distance) return;
    const auto &s = a_.node(i), &t = b_.node(j);
    if (s.count > 0 && t.count > 0) return compare(s, t);
    // Open the larger box, and look into its nearer half first.
    const bool open_a = opens_first(s, t);
    const int first_i = open_a ? i + 1 : i, first_j = open_a ? j : j + 1;
    const int second_i = open_a ? s.first : i, second_j = open_a ? j : t.first;
    const double first = gap(first_i, first_j), second = gap(second_i, second_j);
    if (first <= second) {
      visit(first_i, first_j, first);
      visit(second_i, second_j, second);
    } else {
      visit(second_i, second_j, second);
      visit(first_i, first_j, first);
    }
  }

  void compare(const TriangleTree::Node& s, const TriangleTree::Node& t) {
    for (int k = s.first; k < s.first + s.count; ++k)
      for (int l = t.first; l < t.first + t.count; ++l) {
        const ConvexCore p = a_.piece(k), q = b_.piece(l);
        // The direction of the nearest pair so far often proves that its neighbours are no nearer.
        if (separation_along(best_.normal, p, X_WA_, q, X_WB_) >= best_.distance) continue;
        const DistanceResult d = gjk_distance(p, X_WA_, q, X_WB_, best_.normal);
        const int iterations = best_.iterations + d.iterations;
        const double bound = std::min(best_.lower_bound, d.lower_bound);
        if (d.distance < best_.distance) best_ = d;
        best_.lower_bound = bound;
        best_.iterations = iterations;
      }
  }

  const Transform &X_WA_, &X_WB_;
  Pieces a_, b_;
  Mat3 R_AB_;
  Vec3 p_AB_;
  Mat3 spread_;
  DistanceResult best_;
};

/// Whether a shape that does not cross the surface of `mesh` lies inside of it.
bool lies_inside(const PlacedShape& other, const PlacedShape& mesh) {
  if (!mesh.shape.tree()) return false;
  const ConvexCore& core = other.shape.core();
  const Vec3 point = other.shape.tree() ? other.shape.tree()->corners(0)[0] : core.support(Vec3::UnitX());
  return mesh.shape.tree()->winding_number(mesh.X_WS.inverse() * (other.X_WS * point)) > 0.5;
}

}  // namespace

Aabb bounds_of(const PlacedShape& placed, double margin) {
  if (placed.shape.is_half_space()) return Aabb::everything();
  const ConvexCore& core = placed.shape.core();
  const Mat3& R = placed.X_WS.R;
  const Vec3& p = placed.X_WS.p;
  if (core.kind == ConvexCore::Kind::vertices) {
    Aabb box;
    for (int k = 0; k < 3; ++k) {
      const Vec3 axis_S = R.row(k);
      box.high[k] = p[k] + axis_S.dot(core.support(axis_S)) + core.radius + margin;
      box.low[k] = p[k] + axis_S.dot(core.support(-axis_S)) - core.radius - margin;
    }
    return box;
  }
  // All others are symmetric about their origin.
  Vec3 half = Vec3::Constant(core.radius + margin);
  if (core.kind == ConvexCore::Kind::cylinder)
    half += R.leftCols<2>().rowwise().norm() * core.half.x() + R.col(2).cwiseAbs() * core.half.z();
  else
    half += R.cwiseAbs() * core.half;
  return {p - half, p + half};
}

bool settle_on_face(const PlacedShape& a, const PlacedShape& b, DistanceResult& found) {
  if (found.normal.isZero(0)) return false;
  for (const bool on_a : {true, false}) {
    const PlacedShape &own = on_a ? a : b, &other = on_a ? b : a;
    const Transform &X = own.X_WS, &Y = other.X_WS;
    const double sign = on_a ? 1 : -1;
    const std::optional<FacePlane> plane = facing(own.shape, X.R.transpose() * (sign * found.normal),
                                                  X.inverse() * (on_a ? found.point_A : found.point_B));
    if (!plane) continue;
    const ConvexCore& core = other.shape.core();
    const Vec3 up = X.R * plane->normal, offset = Y.p - X.p;
    const Vec3 nearest = offset + Y.R * core.support(Y.R.transpose() * -up) - core.radius * up;
    const double gap = up.dot(nearest) - plane->offset;
    const double rounding = 16 * std::numeric_limits<double>::epsilon() *
                            (core.extent + core.radius + std::abs(plane->offset) + offset.lpNorm<1>());
    if (gap < found.lower_bound - rounding || !holds(own.shape, *plane, X.R.transpose() * nearest)) continue;
    found.normal = sign * up;
    found.distance = gap;
    found.lower_bound = gap - rounding;
    (on_a ? found.point_B : found.point_A) = X.p + nearest;
    (on_a ? found.point_A : found.point_B) = X.p + nearest - gap * up;
    return true;
  }
  return false;
}

void settle_nearest(const PlacedShape& a, const PlacedShape& b, double size, DistanceResult& found) {
  // GJK leaves the distance of two pieces at a tenth of it.
  constexpr double kSamePlace = 1e-9;
  DistanceResult settled = found;
  if (!settle_on_face(a, b, settled) && !settle_on_curves(a, b, settled)) return;
  const bool convex = !a.shape.tree() && !b.shape.tree();
  if (convex || std::abs(settled.distance - found.distance) <= kSamePlace * size) found = settled;
}

DistanceResult distance(const PlacedShape& a, const PlacedShape& b, const Vec3& hint) {
  if (a.shape.is_half_space() && b.shape.is_half_space())
    throw InvalidInput("distance",
                       {{"shapes", "are both half-spaces", "ask for the distance to a bounded shape"}});
  // The lowest point of a mesh is one of its hull.
  if (a.shape.is_half_space()) return above_plane(a.X_WS, b.shape.core(), b.X_WS);
  if (b.shape.is_half_space()) return reversed(above_plane(b.X_WS, a.shape.core(), a.X_WS));
  if (!a.shape.tree() && !b.shape.tree())
    return gjk_distance(a.shape.core(), a.X_WS, b.shape.core(), b.X_WS, hint);

  DistanceResult result = TreeSearch(a, b, hint).search();
  if (result.separated) {
    // Separated hulls cannot hold each other.
    const DistanceResult hulls = gjk_distance(a.shape.core(), a.X_WS, b.shape.core(), b.X_WS, result.normal);
    if (!hulls.separated && (lies_inside(a, b) || lies_inside(b, a))) {
      result.separated = false;
      result.distance = -result.distance;
      result.lower_bound = -std::numeric_limits<double>::infinity();
    }
  }
  return result;
}

}  // namespace jade
