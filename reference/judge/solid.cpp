#include "reference/judge/solid.h"

#include <cmath>

#include <fmt/format.h>

#include "jade/base/error.h"
#include "reference/judge/hull.h"

namespace jade::judge {
namespace {

constexpr int kPrismSides = 64;  // the prism around a cylinder is 0.12 % wider than it

void require_finite(const std::vector<Vec3>& points, const std::string& place) {
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!points[i].allFinite())
      throw InvalidInput("solid to be judged",
                         {{fmt::format("{} / point {}", place, i), "is not finite", "give numbers"}});
}

Polyhedron box_solid(const Vec3& size, const std::string& place) {
  std::vector<Vec3> corners;
  corners.reserve(8);
  for (int i = 0; i < 8; ++i)
    corners.push_back(
        0.5 * Vec3(i & 1 ? size.x() : -size.x(), i & 2 ? size.y() : -size.y(), i & 4 ? size.z() : -size.z()));
  require_finite(corners, place);
  auto triangles = convex_hull(corners);
  return {std::move(corners), std::move(triangles), place};
}

/// Only the points on the surface: others would cost time in every state.
Polyhedron hull_solid(const std::vector<Vec3>& points, const std::string& place) {
  require_finite(points, place);
  auto triangles = convex_hull(points);
  std::vector<int> number(points.size(), -1);
  std::vector<Vec3> used;
  for (auto& f : triangles)
    for (int& v : f) {
      if (number[v] < 0) {
        number[v] = static_cast<int>(used.size());
        used.push_back(points[v]);
      }
      v = number[v];
    }
  return {std::move(used), std::move(triangles), place};
}

Polyhedron mesh_solid(const TriangleMesh& mesh, const std::string& place) {
  std::vector<Vec3> vertices = mesh.vertices;
  for (Vec3& v : vertices) v *= mesh.scale;
  require_finite(vertices, place);
  return {std::move(vertices), mesh.triangles, place};
}

}  // namespace

Solid::Solid(const Shape& shape, const std::string& place) {
  local_ = {Vec3::Zero()};
  if (const auto* sphere = std::get_if<Sphere>(&shape)) {
    kind_ = Kind::rounded;
    radius_ = sphere->radius;
  } else if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    kind_ = Kind::rounded;
    radius_ = capsule->radius;
    local_ = {Vec3(0, 0, -capsule->half_length), Vec3(0, 0, capsule->half_length)};
  } else if (const auto* cylinder = std::get_if<Cylinder>(&shape)) {
    kind_ = Kind::cylinder;
    radius_ = cylinder->radius;
    half_length_ = cylinder->half_length;
  } else if (std::holds_alternative<HalfSpace>(shape)) {
    kind_ = Kind::half_space;
  } else if (const auto* box = std::get_if<Box>(&shape)) {
    polyhedron_ = box_solid(box->size, place);
  } else if (const auto* hull = std::get_if<ConvexHull>(&shape)) {
    polyhedron_ = hull_solid(hull->points, place);
  } else {
    polyhedron_ = mesh_solid(std::get<TriangleMesh>(shape), place);
  }
  points_ = local_;
  this->place({});
}

void Solid::place(const WidePose& X_WS) {
  if (kind_ == Kind::polyhedron) {
    polyhedron_->place(X_WS);
    bounds_ = polyhedron_->bounds();
    return;
  }
  axis_ = X_WS.R.col(2).normalized();
  normal_ = axis_.cast<double>();
  bounds_ = {};
  for (std::size_t i = 0; i < local_.size(); ++i) {
    points_[i] = (X_WS.R * local_[i].cast<Real>() + X_WS.p).cast<double>();
    bounds_.include(points_[i]);
  }

  // Half the widths of the smallest box; a disc with normal a reaches r √(1 − a_i²) along axis i.
  Vec3 reach = Vec3::Constant(radius_);
  if (kind_ == Kind::half_space) reach = Vec3::Constant(std::numeric_limits<double>::infinity());
  if (kind_ == Kind::cylinder)
    for (int i = 0; i < 3; ++i)
      reach[i] = half_length_ * std::abs(normal_[i]) +
                 radius_ * std::sqrt(1 - std::min(1.0, normal_[i] * normal_[i]));
  reach *= 1 + 1e-15;                                            // the box must not be too small by rounding
  if (kind_ == Kind::cylinder) reach.array() += 2e-8 * radius_;  // √(1 − a²) loses half the digits at a = 1
  bounds_.low -= reach;
  bounds_.high += reach;
}

Core Solid::core() const {
  if (kind_ == Kind::polyhedron) return {.points = polyhedron_->points()};
  if (kind_ == Kind::rounded) return {.points = points_};
  return {.points = {},
          .is_cylinder = true,
          .centre = points_[0].cast<Real>(),
          .axis = axis_,
          .radius = radius_,
          .half_length = half_length_};
}

std::vector<Vec3> Solid::core_points() const {
  if (kind_ == Kind::cylinder) return prism_of(core(), kPrismSides, true).points;
  const Core c = core();
  return {c.points.begin(), c.points.end()};
}

}  // namespace jade::judge
