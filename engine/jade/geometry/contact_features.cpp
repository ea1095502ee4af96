#include "jade/geometry/contact_features.h"

#include <algorithm>
#include <cmath>

namespace jade {
namespace {

// Directions are unit vectors from a few products: this is rounding, generously.
constexpr double kRounding = 1e-9;

using Kind = Feature::Kind;

// Names of features: polyhedra count their corners, then edges, then faces; round shapes have fixed numbers.
constexpr int kAxis = 2, kCap = 3, kRim = 8, kAnywhere = 65535;
int name(int number) { return number % (kAnywhere - 1); }

// Sine within which a direction is across a cylinder's axis. Times the radius, this is how far beyond its end something
// may be and still count as beside it: little against any gap.
constexpr double kAcross = 1e-7;

// Part of its size within which a point counts as being on a rim, or at the end of an edge.
constexpr double kNear = 1e-3;

// A cylinder whose axis is within 26° of a face's normal stands on its rim, else it lies or rolls.
constexpr double kStanding = 0.9;

}  // namespace

bool ContactFeatures::Region::may_hold(const Vec3& from, const Vec3& to) const {
  return std::max(direction.dot(from), direction.dot(to)) >= least &&
         box.overlaps({from.cwiseMin(to), from.cwiseMax(to)});
}

bool is_outward(const EdgeFeature& edge, const Vec3& n, double slack) {
  return n.dot(edge.inward[0]) <= slack && n.dot(edge.inward[1]) <= slack;
}

void ContactFeatures::gather(const PlacedShape& placed, const Region& region) {
  shape_ = &placed.shape;
  X_WS_ = placed.X_WS;
  corners_.clear();
  edges_.clear();
  faces_.clear();
  if (shape_->is_half_space()) {
    const Vec3 up = X_WS_.R.col(2);
    faces_.push_back({{Feature::Kind::plane, Vec3::Zero(), Vec3::UnitZ(), 0, 0}, up, up.dot(X_WS_.p)});
  } else if (const Polyhedron* polyhedron = shape_->features()) {
    gather_polyhedron(*polyhedron, region);
  } else {
    gather_round(shape_->core());
  }
}

void ContactFeatures::gather_polyhedron(const Polyhedron& polyhedron, const Region& region) {
  const int corners = int(polyhedron.vertices.size()), edges = int(polyhedron.edges.size());
  for (int i = 0; i < corners; ++i) {
    const Vec3& x_S = polyhedron.vertices[i];
    const Vec3 x = X_WS_ * x_S;
    if (region.holds(x)) corners_.push_back({{Kind::point, x_S, Vec3::Zero(), 0, name(i)}, x, i});
  }
  for (int i = 0; i < edges; ++i) {
    const auto& edge = polyhedron.edges[i];
    if (!edge.convex) continue;
    const Vec3 &from_S = polyhedron.vertices[edge.vertex[0]], &to_S = polyhedron.vertices[edge.vertex[1]];
    const Vec3 from = X_WS_ * from_S;
    if (!region.may_hold(from, X_WS_ * to_S)) continue;
    const double length = (to_S - from_S).norm();
    const Vec3 direction_S = (to_S - from_S) / length;
    const Vec3 inward_S[2] = {polyhedron.faces[edge.face[0]].normal.cross(direction_S),
                              direction_S.cross(polyhedron.faces[edge.face[1]].normal)};
    edges_.push_back({{Kind::line, from_S, direction_S, 0, name(corners + i)},
                      from,
                      X_WS_.R * direction_S,
                      length,
                      {X_WS_.R * inward_S[0], X_WS_.R * inward_S[1]}});
  }
  for (int i = 0; i < int(polyhedron.faces.size()); ++i) {
    const auto& face = polyhedron.faces[i];
    const Vec3 normal = X_WS_.R * face.normal;
    // A face that looks away from the other shape has nothing in front of it.
    if (normal.dot(region.direction) < 0) continue;
    faces_.push_back({{Kind::plane, face.offset * face.normal, face.normal, 0, name(corners + edges + i)},
                      normal,
                      face.offset + normal.dot(X_WS_.p),
                      i});
  }
}

void ContactFeatures::gather_round(const ConvexCore& core) {
  if (core.kind == ConvexCore::Kind::point) {
    corners_.push_back({{Kind::point, Vec3::Zero(), Vec3::Zero(), core.radius, 0}, X_WS_.p, 0});
    return;
  }
  const bool cylinder = core.kind == ConvexCore::Kind::cylinder;
  const Vec3 axis = X_WS_.R.col(2), up_S = Vec3::UnitZ();
  const Vec3 ends_S[2] = {Vec3(0, 0, -core.half.z()), Vec3(0, 0, core.half.z())};
  const double radius = cylinder ? core.half.x() : core.radius;
  edges_.push_back({{Kind::line, Vec3::Zero(), up_S, radius, kAxis},
                    X_WS_ * ends_S[0],
                    axis,
                    2 * core.half.z(),
                    {Vec3::Zero(), Vec3::Zero()}});
  for (const int end : {0, 1}) {
    const Vec3 x = X_WS_ * ends_S[end];
    const Vec3 out_S = end == 0 ? Vec3(-up_S) : up_S, out = X_WS_.R * out_S;
    // The end of a cylinder's axis stands for the end of its side, round only across the axis.
    corners_.push_back({{Kind::point, ends_S[end], Vec3::Zero(), radius, end}, x, end});
    if (cylinder) faces_.push_back({{Kind::plane, ends_S[end], out_S, 0, kCap + end}, out, out.dot(x)});
  }
}

const std::vector<CornerFeature>& ContactFeatures::feet(const Vec3& n) {
  const ConvexCore& core = shape_->core();
  if (shape_->is_half_space() || core.kind != ConvexCore::Kind::cylinder) return corners_;
  feet_.clear();
  const Vec3 n_S = X_WS_.R.transpose() * n;
  const double radius = core.half.x(), slope = n_S.head<2>().norm();
  for (const int end : {0, 1}) {
    const double sign = end == 0 ? -1 : 1;
    if (sign * n_S.z() > 0.5) continue;  // the upper rim
    const auto add = [&](const Vec2& side, int number) {
      const Vec3 x_S(side.x(), side.y(), sign * core.half.z());
      feet_.push_back({{Kind::point, x_S, Vec3::Zero(), 0, kRim + 8 * end + number}, X_WS_ * x_S, -1});
    };
    // The lowest point of the rim is stationary along it, the others are fixed in the body: the gap of each changes
    // with the pose as that of a point of the body does.
    if (slope > kRounding) add(-radius / slope * n_S.head<2>(), 0);
    if (std::abs(n_S.z()) < kStanding) continue;
    for (int k = 0; k < 4; ++k) add((k & 1 ? -radius : radius) * Vec2::Unit(k / 2), 1 + k);
  }
  return feet_;
}

Curve ContactFeatures::around(const Vec3& x) const {
  const ConvexCore& core = shape_->core();
  const Vec3 x_S = X_WS_.R.transpose() * (x - X_WS_.p);
  const double across = x_S.head<2>().norm();
  if (core.kind == ConvexCore::Kind::cylinder && across > (1 - kNear) * core.half.x() &&
      std::abs(x_S.z()) > core.half.z() - kNear * core.half.x()) {
    const double z = std::copysign(core.half.z(), x_S.z()), scale = core.half.x() / across;
    return {Curve::Kind::circle, X_WS_ * Vec3(scale * x_S.x(), scale * x_S.y(), z), X_WS_.R.col(2),
            X_WS_ * Vec3(0, 0, z)};
  }
  // A point inside a sharp edge.
  for (const EdgeFeature& e : edges_) {
    const double s = e.direction.dot(x - e.from), aside = (x - e.from - s * e.direction).norm();
    const double near = kNear * e.length;
    if (e.feature.radius == 0 && aside < 1e-9 * core.extent && s > near && s < e.length - near)
      return {Curve::Kind::line, x, e.direction, Vec3::Zero()};
  }
  return {Curve::Kind::point, x, Vec3::Zero(), Vec3::Zero()};
}

Feature ContactFeatures::feature_of(const Curve& curve) const {
  const Vec3 x_S = X_WS_.R.transpose() * (curve.x - X_WS_.p);
  if (curve.kind == Curve::Kind::point) return {Kind::point, x_S, Vec3::Zero(), 0, kAnywhere};
  const int id = curve.kind == Curve::Kind::line ? kAnywhere - 1 : x_S.z() < 0 ? kRim + 7 : kRim + 15;
  return {Kind::line, x_S, X_WS_.R.transpose() * curve.tangent().normalized(), 0, id};
}

double ContactFeatures::steepest_descent(const CornerFeature& corner, const Vec3& n) const {
  double least = 1;
  const auto look = [&](const Vec3& w) {
    const Vec3 along = w - corner.x;
    least = std::min(least, n.dot(along) / along.norm());
  };
  if (const Polyhedron* p = shape_->features()) {
    for (int k = p->first_neighbour[corner.vertex]; k < p->first_neighbour[corner.vertex + 1]; ++k)
      look(X_WS_ * p->vertices[p->neighbours[k]]);
  } else if (shape_->core().kind == ConvexCore::Kind::segment) {
    look(corners_[1 - corner.vertex].x);
  }
  return least;
}

bool ContactFeatures::is_low(const CornerFeature& corner, const Vec3& n) const {
  return steepest_descent(corner, n) >= -0.5;
}

bool ContactFeatures::is_outward(const CornerFeature& corner, const Vec3& n, double slack) const {
  if (shape_->core().kind == ConvexCore::Kind::cylinder) return std::abs(n.dot(X_WS_.R.col(2))) < kAcross;
  return steepest_descent(corner, -n) >= -slack;
}

bool ContactFeatures::face_holds(const FaceFeature& face, const Vec3& x, double margin) const {
  if (shape_->is_half_space()) return true;
  const Vec3 x_S = X_WS_.R.transpose() * (x - X_WS_.p);
  if (const Polyhedron* polyhedron = shape_->features())
    return polyhedron->face_holds(face.face, x_S, margin);
  return x_S.head<2>().norm() <= shape_->core().half.x() + margin;  // the end of a cylinder
}

namespace {

/// Whether the feature is the lowest point of a cylinder's rim: it travels with the direction to the other shape.
bool travels(const Feature& feature, const PreparedShape& shape, double slope) {
  if (shape.is_half_space() || shape.core().kind != ConvexCore::Kind::cylinder) return false;
  const bool lowest = feature.id == kRim || feature.id == kRim + 8;
  return lowest && feature.kind == Kind::point && slope > kRounding;
}

}  // namespace

Feature followed(const Feature& feature, const PreparedShape& shape, const Vec3& toward_S) {
  const double slope = toward_S.head<2>().norm();
  if (!travels(feature, shape, slope)) return feature;
  Feature moved = feature;
  moved.point.head<2>() = shape.core().half.x() / slope * toward_S.head<2>();
  return moved;
}

Mat3 followed_derivative(const Feature& feature, const PreparedShape& shape, const Vec3& toward_S) {
  const double slope = toward_S.head<2>().norm();
  Mat3 by_direction = Mat3::Zero();
  if (!travels(feature, shape, slope)) return by_direction;
  const Vec2 side = toward_S.head<2>() / slope;
  by_direction.topLeftCorner<2, 2>() =
      shape.core().half.x() / slope * (Eigen::Matrix2d::Identity() - side * side.transpose());
  return by_direction;
}

}  // namespace jade
