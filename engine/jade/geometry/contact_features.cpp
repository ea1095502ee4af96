#include "jade/geometry/contact_features.h"

#include <algorithm>
#include <cmath>

#include "jade/geometry/curve_around.h"

namespace jade {
namespace {

// Directions are unit vectors from a few products: this is rounding, generously.
constexpr double kRounding = 1e-9;

using Kind = Feature::Kind;

using feature_id::kAxis, feature_id::kCap, feature_id::kRim;
int name(int number) { return feature_id::of_polyhedron(number); }

// Sine within which a direction is across a cylinder's axis. Times the radius, this is how far beyond its end something
// may be and still count as beside it: little against any gap.
constexpr double kAcross = 1e-7;

// A cylinder that leans by less than this stands on its end, whose rim is seen at four places: its lowest point is below the
// lowest of them by less than a third of a radius times this, nanometres, and may be anywhere on the rim. As a fifth place it
// would come and go and run around the rim with rounding.
constexpr double kFlat = 1e-5;
// A cylinder whose axis is within 26° of a face's normal stands on its rim, else it lies or rolls.
constexpr double kStanding = 0.9;

}  // namespace

ContactFeatures::ContactFeatures() {
  constexpr std::size_t kCorners = 8, kEdges = 12, kFaces = 6;
  ahead_.reserve(kCorners);
  corners_.reserve(kCorners);
  edges_.reserve(kEdges);
  faces_.reserve(kFaces);
}

Feature ContactFeatures::corner_feature(const Polyhedron& polyhedron, int vertex) {
  return {Kind::point, polyhedron.vertices[vertex], Vec3::Zero(), 0, name(vertex)};
}

Feature ContactFeatures::feature(const CornerFeature& corner) const {
  if (const Polyhedron* p = shape_->features()) return corner_feature(*p, corner.vertex);
  if (corner.vertex < 0) return {Kind::point, feet_S_[-1 - corner.vertex], Vec3::Zero(), 0, corner.id};
  const ConvexCore& core = shape_->core();
  const double z = corner.vertex == 0 ? -core.half.z() : core.half.z();
  const Vec3 x_S = core.kind == ConvexCore::Kind::point ? Vec3(Vec3::Zero()) : Vec3(0, 0, z);
  return {Kind::point, x_S, Vec3::Zero(), corner.radius, corner.id};
}

Feature ContactFeatures::feature(const EdgeFeature& edge) const {
  if (edge.edge < 0) return {Kind::line, Vec3::Zero(), Vec3::UnitZ(), edge.radius, kAxis};
  const Polyhedron& p = *shape_->features();
  const Polyhedron::Edge& of = p.edges[edge.edge];
  return {Kind::line, p.vertices[of.vertex[0]], of.direction, 0, name(int(p.vertices.size()) + edge.edge)};
}

Feature ContactFeatures::feature(const FaceFeature& face) const {
  if (shape_->is_half_space()) return {Kind::plane, Vec3::Zero(), Vec3::UnitZ(), 0, 0};
  if (const Polyhedron* p = shape_->features()) {
    const Polyhedron::Face& of = p->faces[face.face];
    const int before = int(p->vertices.size() + p->edges.size());
    return {Kind::plane, of.offset * of.normal, of.normal, 0, name(before + face.face)};
  }
  const double sign = face.face == 0 ? -1 : 1;
  return {Kind::plane, Vec3(0, 0, sign * shape_->core().half.z()), Vec3(0, 0, sign), 0, kCap + face.face};
}

bool ContactFeatures::is_outward(const EdgeFeature& edge, const Vec3& n, double slack) const {
  if (edge.edge < 0) return slack >= 0;
  const auto& inward = shape_->features()->edges[edge.edge].inward;
  const Vec3 n_S = X_WS_.R.transpose() * n;
  return n_S.dot(inward[0]) <= slack && n_S.dot(inward[1]) <= slack;
}

Vec3 ContactFeatures::inward(const EdgeFeature& edge) const {
  if (edge.edge < 0) return Vec3::Zero();
  const auto& inward = shape_->features()->edges[edge.edge].inward;
  return X_WS_.R * (inward[0] + inward[1]);
}

void ContactFeatures::gather(const PlacedShape& placed, const Region& region, const PreparedShape& other) {
  shape_ = &placed.shape;
  X_WS_ = placed.X_WS;
  corners_.clear();
  edges_.clear();
  faces_.clear();
  if (shape_->is_half_space()) {
    faces_.push_back({X_WS_.R.col(2), 0});
  } else if (const Polyhedron* polyhedron = shape_->features()) {
    gather_polyhedron(*polyhedron, region, other.is_half_space());
  } else {
    gather_round(shape_->core());
  }
}

void ContactFeatures::gather_polyhedron(const Polyhedron& polyhedron, const Region& region,
                                        bool corners_only) {
  const int corners = int(polyhedron.vertices.size());
  const Vec3 toward_S = X_WS_.R.transpose() * region.direction;
  const double origin = region.direction.dot(X_WS_.p);
  ahead_.resize(polyhedron.vertices.size());
  if (region.bounded) placed_.resize(polyhedron.vertices.size());
  for (int i = 0; i < corners; ++i) {
    const Vec3& x_S = polyhedron.vertices[i];
    ahead_[i] = origin + toward_S.dot(x_S);
    if (region.bounded) placed_[i] = X_WS_ * x_S;
    if (ahead_[i] < region.least || (region.bounded && !region.box.overlaps({placed_[i], placed_[i]})))
      continue;
    corners_.push_back({X_WS_ * x_S, i, 0, name(i)});
  }
  if (corners_only) return;
  for (int i = 0; i < int(polyhedron.edges.size()); ++i) {
    const auto& edge = polyhedron.edges[i];
    const auto [from, to] = edge.vertex;
    if (!edge.convex || std::max(ahead_[from], ahead_[to]) < region.least) continue;
    if (region.bounded &&
        !region.box.overlaps({placed_[from].cwiseMin(placed_[to]), placed_[from].cwiseMax(placed_[to])}))
      continue;
    // A normal is orthogonal to its edge.
    const double ahead = toward_S.dot(edge.direction);
    if (1 - ahead * ahead < region.along * region.along) continue;
    edges_.push_back({X_WS_ * polyhedron.vertices[from], X_WS_.R * edge.direction, edge.length, 0, i});
  }
  // A face that looks away from the other shape has nothing in front of it.
  for (int i = 0; i < int(polyhedron.faces.size()); ++i) {
    const auto& face = polyhedron.faces[i];
    if (face.normal.dot(toward_S) < region.along) continue;
    faces_.push_back({X_WS_.R * face.normal, face.offset, i});
  }
}

void ContactFeatures::gather_round(const ConvexCore& core) {
  if (core.kind == ConvexCore::Kind::point) {
    corners_.push_back({X_WS_.p, 0, core.radius, 0});
    return;
  }
  const bool cylinder = core.kind == ConvexCore::Kind::cylinder;
  const Vec3 axis = X_WS_.R.col(2);
  const Vec3 ends_S[2] = {Vec3(0, 0, -core.half.z()), Vec3(0, 0, core.half.z())};
  const double radius = cylinder ? core.half.x() : core.radius;
  edges_.push_back({X_WS_ * ends_S[0], axis, 2 * core.half.z(), radius});
  for (const int end : {0, 1}) {
    const Vec3 x = X_WS_ * ends_S[end];
    const Vec3 out = end == 0 ? Vec3(-axis) : axis;
    // The end of a cylinder's axis stands for the end of its side, round only across the axis.
    corners_.push_back({x, end, radius, end});
    if (cylinder) faces_.push_back({out, core.half.z(), end});
  }
}

const std::vector<CornerFeature>& ContactFeatures::feet(const Vec3& n, Rim rim) {
  const ConvexCore& core = shape_->core();
  if (shape_->is_half_space() || core.kind != ConvexCore::Kind::cylinder) return corners_;
  feet_.clear();
  feet_S_.clear();
  const Vec3 n_S = X_WS_.R.transpose() * n;
  const double radius = core.half.x(), slope = n_S.head<2>().norm();
  for (const int end : {0, 1}) {
    const double sign = end == 0 ? -1 : 1;
    if (sign * n_S.z() > 0.5) continue;  // the upper rim
    const auto add = [&](const Vec2& side, int number) {
      const Vec3 x_S(side.x(), side.y(), sign * core.half.z());
      feet_S_.push_back(x_S);
      feet_.push_back({X_WS_ * x_S, -static_cast<int>(feet_S_.size()), 0, kRim + 8 * end + number});
    };
    // The lowest point of the rim is stationary along it, the others are fixed in the body: the gap of each changes
    // with the pose as that of a point of the body does.
    const bool stands = std::abs(n_S.z()) >= kStanding;
    if (slope > (stands && rim == Rim::four_if_flat ? kFlat : kRounding))
      add(-radius / slope * n_S.head<2>(), 0);
    if (!stands) continue;
    for (int k = 0; k < 4; ++k) add((k & 1 ? -radius : radius) * Vec2::Unit(k / 2), 1 + k);
  }
  return feet_;
}

namespace {

/// Lowest value of n·(w − x)/|w − x| over the neighbours w of a vertex.
double steepest_edge(const Polyhedron& p, int vertex, const Vec3& n_S) {
  double least = 1;
  for (int k = p.first_neighbour[vertex]; k < p.first_neighbour[vertex + 1]; ++k)
    least = std::min(least, n_S.dot(p.toward_neighbour[k]));
  return least;
}

}  // namespace

double ContactFeatures::steepest_descent(const CornerFeature& corner, const Direction& n) const {
  if (const Polyhedron* p = shape_->features()) return steepest_edge(*p, corner.vertex, n.S);
  if (shape_->core().kind != ConvexCore::Kind::segment) return 1;
  const Vec3 along = corners_[1 - corner.vertex].x - corner.x;
  return std::min(1.0, n.W.dot(along) / along.norm());
}

bool ContactFeatures::is_low(const CornerFeature& corner, const Direction& n) const {
  return steepest_descent(corner, n) >= -0.5;
}

bool ContactFeatures::is_low(const Polyhedron& polyhedron, int vertex, const Vec3& n_S) {
  return steepest_edge(polyhedron, vertex, n_S) >= -0.5;
}

bool ContactFeatures::is_outward(const CornerFeature& corner, const Vec3& n, double slack) const {
  if (shape_->core().kind == ConvexCore::Kind::cylinder) return std::abs(n.dot(X_WS_.R.col(2))) < kAcross;
  return steepest_descent(corner, direction(-n)) >= -slack;
}

bool ContactFeatures::face_holds(const FaceFeature& face, const Vec3& x, double margin) const {
  if (shape_->is_half_space()) return true;
  const Vec3 x_S = X_WS_.R.transpose() * (x - X_WS_.p);
  if (const Polyhedron* polyhedron = shape_->features())
    return polyhedron->face_holds(face.face, x_S, margin);
  return x_S.head<2>().norm() <= shape_->core().half.x() + margin;  // the end of a cylinder
}

bool is_lowest_of_rim(const Feature& feature, const PreparedShape& shape) {
  if (shape.is_half_space() || shape.core().kind != ConvexCore::Kind::cylinder) return false;
  return (feature.id == kRim || feature.id == kRim + 8) && feature.kind == Kind::point;
}

namespace {

/// It travels with the direction to the other shape.
bool travels(const Feature& feature, const PreparedShape& shape, double slope) {
  return slope > kRounding && is_lowest_of_rim(feature, shape);
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
