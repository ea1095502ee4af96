#include "jade/geometry/contact_features.h"

#include <algorithm>
#include <cmath>

namespace jade {
namespace {

// Directions are unit vectors from a few products: this is rounding, generously.
constexpr double kRounding = 1e-9;

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
    faces_.push_back({up, up.dot(X_WS_.p), 0});
  } else if (const Polyhedron* polyhedron = shape_->features()) {
    gather_polyhedron(*polyhedron, region);
  } else {
    gather_round(shape_->core());
  }
}

void ContactFeatures::gather_polyhedron(const Polyhedron& polyhedron, const Region& region) {
  const auto world = [&](int vertex) -> Vec3 { return X_WS_ * polyhedron.vertices[vertex]; };
  for (std::size_t i = 0; i < polyhedron.vertices.size(); ++i)
    if (const Vec3 x = world(int(i)); region.holds(x)) corners_.push_back({x, 0, int(i)});
  for (std::size_t i = 0; i < polyhedron.edges.size(); ++i) {
    const auto& edge = polyhedron.edges[i];
    if (!edge.convex) continue;
    EdgeFeature feature{
        .from = world(edge.vertex[0]), .to = world(edge.vertex[1]), .direction = {}, .inward = {}};
    if (!region.may_hold(feature.from, feature.to)) continue;
    feature.direction = feature.to - feature.from;
    feature.length = feature.direction.norm();
    feature.direction /= feature.length;
    feature.inward[0] = (X_WS_.R * polyhedron.faces[edge.face[0]].normal).cross(feature.direction);
    feature.inward[1] = feature.direction.cross(X_WS_.R * polyhedron.faces[edge.face[1]].normal);
    feature.id = int(i);
    edges_.push_back(feature);
  }
  for (std::size_t i = 0; i < polyhedron.faces.size(); ++i) {
    const auto& face = polyhedron.faces[i];
    const Vec3 normal = X_WS_.R * face.normal;
    // A face that looks away from the other shape has nothing in front of it.
    if (normal.dot(region.direction) < 0) continue;
    faces_.push_back({normal, face.offset + normal.dot(X_WS_.p), int(i)});
  }
}

void ContactFeatures::gather_round(const ConvexCore& core) {
  const Vec3 axis = X_WS_.R.col(2);
  const double half = core.half.z();
  const bool cylinder = core.kind == ConvexCore::Kind::cylinder;
  if (core.kind == ConvexCore::Kind::point) {
    corners_.push_back({X_WS_.p, core.radius, 0});
    return;
  }
  const Vec3 low = X_WS_.p - half * axis, high = X_WS_.p + half * axis;
  edges_.push_back({.from = low,
                    .to = high,
                    .direction = axis,
                    .length = 2 * half,
                    .radius = cylinder ? core.half.x() : core.radius,
                    .inward = {Vec3::Zero(), Vec3::Zero()},
                    .id = 0});
  if (cylinder) {
    faces_.push_back({-axis, -axis.dot(low), 0});
    faces_.push_back({axis, axis.dot(high), 1});
  } else {
    corners_.push_back({low, core.radius, 0});
    corners_.push_back({high, core.radius, 1});
  }
}

const std::vector<CornerFeature>& ContactFeatures::feet(const Vec3& n) {
  const ConvexCore& core = shape_->core();
  if (shape_->is_half_space() || core.kind != ConvexCore::Kind::cylinder) return corners_;
  feet_.clear();
  const Vec3 axis = X_WS_.R.col(2);
  const double radius = core.half.x(), height = n.dot(axis);
  const Vec3 uphill = n - height * axis;
  for (const int end : {0, 1}) {
    const double sign = end == 0 ? -1 : 1;
    if (sign * height > 0.5) continue;  // the upper rim
    const Vec3 centre = X_WS_.p + sign * core.half.z() * axis;
    // The lowest point of the rim is stationary along it, the others are fixed in the body: the gap of each changes
    // with the pose as that of a point of the body does.
    if (uphill.norm() > kRounding) feet_.push_back({centre - radius * uphill.normalized(), 0, 8 * end});
    if (std::abs(height) < kStanding) continue;
    for (int k = 0; k < 4; ++k) {
      const Vec3 side = (k & 1 ? -radius : radius) * X_WS_.R.col(k / 2);
      feet_.push_back({centre + side, 0, 8 * end + 1 + k});
    }
  }
  return feet_;
}

double ContactFeatures::steepest_descent(const CornerFeature& corner, const Vec3& n) const {
  double least = 1;
  const auto look = [&](const Vec3& w) {
    const Vec3 along = w - corner.x;
    least = std::min(least, n.dot(along) / along.norm());
  };
  if (const Polyhedron* p = shape_->features()) {
    for (int k = p->first_neighbour[corner.id]; k < p->first_neighbour[corner.id + 1]; ++k)
      look(X_WS_ * p->vertices[p->neighbours[k]]);
  } else if (!edges_.empty() && shape_->core().kind == ConvexCore::Kind::segment) {
    look(corner.id == 0 ? edges_[0].to : edges_[0].from);
  }
  return least;
}

bool ContactFeatures::is_low(const CornerFeature& corner, const Vec3& n) const {
  return steepest_descent(corner, n) >= -0.5;
}

bool ContactFeatures::is_outward(const CornerFeature& corner, const Vec3& n) const {
  return steepest_descent(corner, -n) >= -kRounding;
}

bool ContactFeatures::face_holds(const FaceFeature& face, const Vec3& x, double margin) const {
  if (shape_->is_half_space()) return true;
  const Vec3 x_S = X_WS_.R.transpose() * (x - X_WS_.p);
  if (const Polyhedron* polyhedron = shape_->features()) return polyhedron->face_holds(face.id, x_S, margin);
  return x_S.head<2>().norm() <= shape_->core().half.x() + margin;  // the end of a cylinder
}

}  // namespace jade
